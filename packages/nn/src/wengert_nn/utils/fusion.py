"""Fusion of a linear map and the batch norm after it, for inference."""

from __future__ import annotations

from typing import Any

import wengert

from wengert_nn.parameter import Parameter

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """Return a copy of a convolution that also does what the batch norm after it does.

    conv, bn: modules in eval mode, `bn` with running statistics. transpose: whether `conv` is a transposed convolution,
    whose weight has its output channels in dimension 1.

    >>> import wengert as wg
    >>> conv, bn = wg.nn.Conv1d(2, 3, 1).eval(), wg.nn.BatchNorm1d(3).eval()
    >>> fused, x = wg.nn.utils.fuse_conv_bn_eval(conv, bn), wg.ones(1, 2, 4)
    >>> wg.allclose(fused(x), bn(conv(x)))
    True
    """
    return fuse(conv, bn, fuse_conv_bn_weights, transpose)


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """Return a copy of a linear layer that also does what the batch norm after it does.

    linear, bn: modules in eval mode, `bn` with running statistics of as many features as `linear` has outputs, or of 1.

    >>> import wengert as wg
    >>> linear, bn = wg.nn.Linear(2, 3).eval(), wg.nn.BatchNorm1d(3).eval()
    >>> fused, x = wg.nn.utils.fuse_linear_bn_eval(linear, bn), wg.ones(4, 2)
    >>> wg.allclose(fused(x), bn(linear(x)))
    True
    """
    if bn.num_features not in (1, linear.out_features) and not (linear.training or bn.training):
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, "
            f"got linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        )
    return fuse(linear, bn, fuse_linear_bn_weights)


def fuse(layer: Any, bn: Any, fuse_weights: Any, *transpose: bool) -> Any:
    """Return a copy of a layer with the weights that this function makes of its own and those of a batch norm."""
    import copy

    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
    result = copy.deepcopy(layer)
    result.weight, result.bias = fuse_weights(
        result.weight, result.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, *transpose
    )
    return result


def fuse_conv_bn_weights(
    conv_w: Any, conv_b: Any, bn_rm: Any, bn_rv: Any, bn_eps: float, bn_w: Any, bn_b: Any, transpose: bool = False
) -> tuple[Any, Any]:
    """Return (weight, bias) of a convolution that includes the batch norm with these statistics and parameters."""
    shape = [1] * conv_w.dim()
    shape[1 if transpose else 0] = -1
    return fused_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, shape)


def fuse_linear_bn_weights(
    linear_w: Any, linear_b: Any, bn_rm: Any, bn_rv: Any, bn_eps: float, bn_w: Any, bn_b: Any
) -> tuple[Any, Any]:
    """Return (weight, bias) of a linear layer that includes the batch norm with these statistics and parameters."""
    return fused_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, [-1, 1])


def fused_weights(
    weight: Any, bias: Any, mean: Any, var: Any, eps: float, bn_weight: Any, bn_bias: Any, shape: list[int]
) -> tuple[Any, Any]:
    """Return (weight, bias) of a linear map and the batch norm after it; shape: that of the scale beside the weight."""
    bias_dtype, needs_grad = (weight.dtype, False) if bias is None else (bias.dtype, bias.requires_grad)
    scale = wengert.rsqrt(var + eps)
    if bn_weight is not None:
        scale = scale * bn_weight
    shift = (-mean if bias is None else bias - mean) * scale
    if bn_bias is not None:
        shift = shift + bn_bias
    new_weight = (weight * scale.reshape(shape)).to(dtype=weight.dtype)
    return Parameter(new_weight, weight.requires_grad), Parameter(shift.to(dtype=bias_dtype), needs_grad)
