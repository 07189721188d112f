"""The cross entropy of a linear layer's output."""

from __future__ import annotations

import math
import warnings
from typing import Any

import wengert
from wengert import Tensor
from wengert.nn.functional import cross_entropy, linear

from wengert_nn.functional.type_errors import with_type_errors

__all__ = ["linear_cross_entropy"]

HALF = (wengert.float16, wengert.bfloat16)


@with_type_errors
def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Tensor:
    """Return ``cross_entropy(linear(input, linear_weight, linear_bias), target)``.

    input: ``(N, in_features)``, or without N. linear_weight: ``(C, *K, in_features)`` for C classes and losses of the
    shape K for each sample. linear_bias: ``(C, *K)``. target: classes ``(N, *K)``, or probabilities ``(N, C, *K)``.
    weight, reduction, ignore_index, label_smoothing: see ``cross_entropy``.
    options: ``LinearCrossEntropyOptions``; float16 and bfloat16 are then computed with float32, which is all that the
    options change here.

    >>> import wengert as wg
    >>> linear_cross_entropy(wg.zeros(2, 3), wg.zeros(4, 3), wg.tensor([0, 1]))
    tensor(1.3863)
    """
    check_shapes(input, linear_weight, linear_bias)
    classes, *inner = linear_weight.shape[:-1]
    shape = (*input.shape[:-1], classes, *inner)
    if ignore_index is None:
        ignore_index = -100
    elif target.shape == shape:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    dtype = input.dtype
    if options is not None:
        if inner or reduction not in ("mean", "sum", "none") or label_smoothing != 0.0 or target.dtype != wengert.int64:
            warnings.warn(
                "linear_cross_entropy: ``options`` ignored; chunked path needs reduction in {'mean','sum','none'}, "
                f"label_smoothing == 0, target.dtype == int64, out_features == (). Got reduction={reduction!r}, "
                f"label_smoothing={label_smoothing}, target.dtype={target.dtype}, out_features={tuple(inner)}.",
                stacklevel=2,
            )
        elif (accumulate := accumulation_dtype(options, dtype)) != dtype:
            input, linear_weight = input.to(accumulate), linear_weight.to(accumulate)
            linear_bias = None if linear_bias is None else linear_bias.to(accumulate)
            weight = None if weight is None else weight.to(accumulate)
    if inner:
        outputs = math.prod(inner, start=classes)
        linear_weight = linear_weight.reshape(outputs, input.shape[-1])
        linear_bias = None if linear_bias is None else linear_bias.reshape(outputs)
    logits = linear(input, linear_weight, linear_bias).reshape(shape)
    return cross_entropy(logits, target, weight, None, ignore_index, None, reduction, label_smoothing).to(dtype)


def accumulation_dtype(options: Any, dtype: Any) -> Any:
    """Return the dtype that the loss is computed with. RuntimeError for one that PyTorch does not offer either."""
    result = options.acc_dtype
    if result is None:
        return wengert.float32 if dtype in HALF and options.acc_policy == "auto" else dtype
    if result != dtype and not (result == wengert.float32 and dtype in HALF):
        raise RuntimeError(
            "linear_cross_entropy supports float32 acc_dtype with float16/bfloat16 inputs, but got "
            f"{result} acc_dtype and {dtype} inputs."
        )
    return result


def check_shapes(input: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    """Raise the errors for an input and parameters that do not belong together."""
    if input.dim() not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.dim()}")
    if weight.dim() < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {weight.dim()}")
    if input.shape[-1] != weight.shape[-1]:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), "
            f"got {input.shape[-1]} and {weight.shape[-1]}, respectively"
        )
    outer = tuple(weight.shape[:-1])
    if bias is not None and tuple(bias.shape) != outer:
        raise RuntimeError(f"expected linear_bias shape {outer}, got {tuple(bias.shape)}")
    if len(outer) > 1 and input.dim() == 1:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {tuple(weight.shape)} requires batched input, "
            f"(N, {input.shape[-1]}), got unbatched input with shape {tuple(input.shape)}"
        )
