"""Normalization by mean and variance: the primitives of all kinds, and batches, groups and instances."""

from __future__ import annotations

import math
from typing import Any

from wengert_core.drivers.loss.nll_loss import refuse_gradient
from wengert_core.drivers.pointwise.pointwise_checks import call_as_one, call_unguarded, every_sample
from wengert_core.dtypes.dtypes import type_name
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

ops, row, composite = TABLE.ops, TABLE.normalization_row, TABLE.composite
Layout = tuple[int, int, int, int, int]
OVER = (0, 3, 4)
"""The dims of a layout (outer, images, groups, channels, size) over which means are taken."""


# ---- references


def mean_of(x: Any, layout: Layout) -> Any:
    """The mean over OVER; 0 of nothing, where NumPy's would warn."""
    return x.sum(OVER, keepdims=True) / max(1, math.prod(layout[dim] for dim in OVER))


def normal(xp: Any, x: Any, mean: Any, var: Any, layout: Any, eps: Any) -> Any:
    """(input laid out, normalized, scale, mean, variance)."""
    x, each = x.reshape(layout), (1, *layout[1:3], 1, 1)
    if mean is None:
        mean = mean_of(x, layout)
        var = mean_of((x - mean) ** 2, layout)
    mean, var = mean.reshape(each), var.reshape(each)
    scale = 1 / xp.sqrt(var + eps)
    return x, (x - mean) * scale, scale, mean, var


def normalization_reference(xp: Any, x: Any, weight: Any, bias: Any, mean: Any, var: Any, layout: Any, eps: Any) -> Any:
    """The reference of the three normalizations."""
    _, y, _, mean, var = normal(xp, x, mean, var, layout, eps)
    y = y if weight is None else y * weight.reshape(*layout[2:4], 1)
    return y if bias is None else y + bias.reshape(*layout[2:4], 1), mean, var


def normalization_backward_reference(
    xp: Any, grad: Any, x: Any, weight: Any, mean: Any, var: Any, given: Any, layout: Any, eps: Any
) -> Any:
    """The reference of the gradient."""
    _, y, scale, _, _ = normal(xp, x, mean, var, layout, eps)
    grad = grad.reshape(layout)
    scaled = grad if weight is None else grad * weight.reshape(*layout[2:4], 1)
    by_input = scaled
    if not given:
        by_input = scaled - mean_of(scaled, layout) - y * mean_of(scaled * y, layout)
    return scale * by_input, (grad * y).sum((0, 1, 4)), grad.sum((0, 1, 4))


# ---- primitives

SCHEMA = (
    "(Tensor input, Tensor? weight, Tensor? bias, Tensor? mean, Tensor? var, object layout, float eps) -> "
    "(Tensor result, Tensor save_mean, Tensor save_var)"
)
for kind, label in (("batch", "batch_norm"), ("group", "GroupNormKernelImpl"), ("layer", "LayerNormKernelImpl")):
    row(
        f"_{kind}_norm{SCHEMA}",
        reference=normalization_reference,
        label=label,
        keeps_layout=kind != "layer",
        doc="Mean 0 and variance 1 over some dims, times weight plus bias; and the mean and variance.",
    )
row(
    "normalization_backward(Tensor grad_output, Tensor input, Tensor? weight, Tensor mean, Tensor var, bool given, "
    "object layout, float eps) -> (Tensor grad_input, Tensor grad_weight, Tensor grad_bias)",
    reference=normalization_backward_reference,
    backward=True,
)


# ---- batches


def check_statistics(name: str, x: Tensor | None, n: int) -> None:
    """One number for each channel."""
    if x is not None and x.numel() != n:
        raise RuntimeError(f"{name} should contain {n} elements not {x.numel()}")


def check_both(name: str, running_mean: Tensor | None, running_var: Tensor | None) -> None:
    """Raise ValueError for one running statistic without the other."""
    if (running_mean is None) != (running_var is None):
        raise ValueError(f"running_mean and running_var must either both be None or neither be None: {name}() got one")


def check_mixed(input: Tensor, *others: Tensor | None) -> None:
    """Weights and statistics have the input's dtype; those of a 16-bit input may be float32."""
    if input.dtype.category != 2:
        raise NotImplementedError(f"\"batch_norm\" not implemented for '{type_name(input)}': it takes floating tensors")
    for x in others:
        if (
            x is not None
            and x.dtype is not input.dtype
            and not (input.dtype.itemsize == 2 and x.dtype.name == "float32")
        ):
            raise RuntimeError(
                f"mixed dtype (CPU): all inputs must share same datatype. batch_norm got {input.dtype} and {x.dtype}; "
                "expect parameter to have scalar type of Float"
            )


def move(running: Tensor, observed: Tensor, momentum: float) -> None:
    """running * (1 - momentum) + observed * momentum, in place."""
    if every_sample(observed) is not observed and every_sample(running) is running:
        raise RuntimeError(
            "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in "
            "place, were not batched. Inside of vmap use batched statistics, or none (track_running_stats=False)"
        )
    observed = observed.detach() if hasattr(observed, "detach") else observed
    call_unguarded(lambda: running.mul_(1 - momentum).add_(observed.to(running.dtype), alpha=momentum))


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    if eps < 0 or (training and eps == 0):
        wanted = "positive during training" if training else "non-negative"
        raise ValueError(f"batch_norm eps must be {wanted}, but got {eps}")
    shape = input.shape
    if training and not shape:
        raise IndexError("tuple index out of range: batch_norm got an input without dims")
    if training and input.numel() and input.size(1) and shape[0] * math.prod(shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
    return apply_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)


def apply_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> Any:
    """batch_norm, once its input is known to be large enough."""
    shape = input.shape
    channels = shape[1] if len(shape) > 1 else 0
    if training:
        check_both("batch_norm", running_mean, running_var)
    for name, x in (("running_mean", running_mean), ("running_var", running_var)):
        if x is None and not training:
            raise RuntimeError(f"{name} must be defined in evaluation mode: batch_norm(training=False) reads it")
    for name, x in (("running_mean", running_mean), ("running_var", running_var), ("weight", weight), ("bias", bias)):
        check_statistics(name, x, channels)
    refuse_gradient("native_batch_norm", "running_mean", running_mean)
    refuse_gradient("native_batch_norm", "running_var", running_var)
    check_mixed(input, running_mean, running_var, weight, bias)
    layout = (shape[0], 1, channels, 1, math.prod(shape[2:]))
    if not training:
        return ops["_batch_norm"](input, weight, bias, running_mean, running_var, layout, eps)[0]
    count = layout[0] * layout[4]
    if running_mean is None or running_var is None or not count:
        return ops["_batch_norm"](input, weight, bias, None, None, layout, eps)[0]

    def normalize() -> Any:
        result, mean, var = ops["_batch_norm"](input, weight, bias, None, None, layout, eps)
        move(running_mean, mean, momentum)
        move(running_var, var * (count / (count - 1)) if count > 1 else var, momentum)
        return result

    return call_as_one(normalize)


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    shape = input.shape
    if use_input_stats and math.prod(shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.shape}")
    return apply_instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def apply_instance_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None,
    bias: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
) -> Any:
    """instance_norm, once its input is known to be large enough."""
    shape = input.shape
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    check_both("instance_norm", running_mean, running_var)
    images, channels, size = shape[0], shape[1], math.prod(shape[2:])
    for name, x in (("running_mean", running_mean), ("running_var", running_var), ("weight", weight), ("bias", bias)):
        check_statistics(name, x, channels)
    refuse_gradient("native_batch_norm", "running_mean", running_mean)
    refuse_gradient("native_batch_norm", "running_var", running_var)
    check_mixed(input, running_mean, running_var, weight, bias)
    layout = (1, images, channels, 1, size)
    input = input.contiguous()
    if not use_input_stats:
        layout = (images, 1, channels, 1, size)
        return ops["_batch_norm"](input, weight, bias, running_mean, running_var, layout, eps)[0]
    result, mean, var = ops["_batch_norm"](input, weight, bias, None, None, layout, eps)
    if running_mean is not None and running_var is not None and input.numel():
        move(running_mean, mean.reshape(images, channels).mean(0), momentum)
        move(running_var, (var * (size / (size - 1))).reshape(images, channels).mean(0), momentum)
    return result


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Any:
    shape = input.shape
    if len(shape) < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {len(shape)}")
    per_group = shape[0] * shape[1] // num_groups
    if per_group * math.prod(shape[2:]) == 1:
        seen = [per_group, num_groups, *shape[2:]]
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {seen}")
    return apply_group_norm(input, num_groups, weight, bias, eps)


def apply_group_norm(input: Tensor, num_groups: int, weight: Tensor | None, bias: Tensor | None, eps: float) -> Any:
    """group_norm, once its input is known to be large enough."""
    input.size(0), input.size(1)  # IndexError where there is no such dim
    shape = input.shape
    if len(shape) < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {len(shape)}")
    if num_groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    images, channels, size = shape[0], shape[1], math.prod(shape[2:])
    if channels % num_groups:
        raise RuntimeError(
            f"Expected number of channels in input to be divisible by num_groups, but got input of shape {list(shape)} "
            f"and num_groups={num_groups}"
        )
    for name, x in (("weight", weight), ("bias", bias)):
        if x is not None and tuple(x.shape) != (channels,):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {list(x.shape)} and input of shape {list(shape)}"
            )
    check_affine(input, weight, bias)
    per_group = channels // num_groups
    if size == 1 and per_group > 1 and weight is None and bias is None:  # rows of their own
        return ops["_group_norm"](input, None, None, None, None, (1, images * num_groups, 1, per_group, 1), eps)[0]
    if size == 1 and per_group > 1:
        result = ops["_group_norm"](input, None, None, None, None, (1, images * num_groups, 1, per_group, 1), eps)[0]
        each = (1, channels, *[1] * (len(shape) - 2))
        result = result if weight is None else result * weight.reshape(each)
        return result if bias is None else result + bias.reshape(each)
    return ops["_group_norm"](input, weight, bias, None, None, (1, images, num_groups, per_group, size), eps)[0]


def check_affine(input: Tensor, weight: Tensor | None, bias: Tensor | None) -> None:
    """weight and bias have one dtype, the input's; of a 16-bit input they may be float32."""
    kinds = {x.dtype for x in (weight, bias) if x is not None}
    if len(kinds) == 2 and input.dtype.itemsize == 2 and weight is not None and bias is not None:
        raise RuntimeError(f"expected scalar type {type_name(weight)} but found {type_name(bias)}")
    for kind in kinds - {input.dtype}:
        if input.dtype.itemsize != 2 or kind.name != "float32":
            raise RuntimeError(
                "mixed dtype (CPU): expect parameter to have scalar type of Float: the input is "
                f"{input.dtype}, weight or bias {kind}"
            )


for function in (batch_norm, instance_norm, group_norm):
    composite(function, namespace="nn.functional")


# ---- the functions of the top, whose last argument says something of a library that is not there


def top_group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Any:
    return apply_group_norm(input, num_groups, weight, bias, eps)


def top_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Any:
    return apply_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)


def top_instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Any:
    input.size(0), input.size(1)  # IndexError where there is no such dim
    return apply_instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


TOP: dict[str, Any] = {
    "group_norm": top_group_norm,
    "batch_norm": top_batch_norm,
    "instance_norm": top_instance_norm,
}
for name, top in TOP.items():
    composite(top, name=name)
