"""Losses of classification: nll_loss, cross_entropy."""

from __future__ import annotations

import math
from typing import Any

from wengert_core.dtypes.dtypes import type_name
from wengert_core.exchange.device_memory import current_device_number, is_capturing
from wengert_core.ops.loss.reduction_argument import NUMBERS, reduce_loss, reduction_of
from wengert_core.ops.reduce.softmax import log_softmax_op
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor


def pick_targets(xp: Any, classes: int, target: Any, weight: Any, ignore_index: int) -> tuple[Any, Any]:
    """Targets as [N, S] made fit to index with, and the weight of each: 0 where it is ignored."""
    counts = target != ignore_index
    wrong = counts & ((target < 0) | (target >= classes))
    if not is_capturing(current_device_number()) and wrong.any():
        raise IndexError(f"Target {int(target[wrong][0])} is out of bounds.")
    index = xp.where(counts, target, 0)
    return index, xp.where(counts, 1.0 if weight is None else weight[index], 0.0)


def nll(xp: Any, x: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> Any:
    """Minus the weighted element of each target's class: each, their weighted mean or their sum."""
    blocks = x.reshape((1, *x.shape, 1) if x.ndim == 1 else (*x.shape[:2], -1 if x.size else 0))
    shape = target.shape if x.ndim > 1 else ()
    target = target.reshape(blocks.shape[0], blocks.shape[2]).astype("int64")
    index, scale = pick_targets(xp, blocks.shape[1], target, weight, ignore_index)
    losses = -xp.take_along_axis(blocks, index[:, None], 1)[:, 0] * scale
    losses = xp.where(scale == 0, 0, losses)
    if reduction == 0:
        return losses.reshape(shape)
    return losses.sum() / scale.sum() if reduction == 1 else losses.sum()


def nll_gradient(
    xp: Any, grad: Any, self_shape: Any, target: Any, weight: Any, reduction: int, ignore_index: int
) -> Any:
    """The gradient of nll with respect to x."""
    shape = tuple(self_shape)
    out = xp.zeros((1, *shape, 1) if len(shape) == 1 else (*shape[:2], math.prod(shape[2:])), grad.dtype)
    target = target.reshape(out.shape[0], out.shape[2]).astype("int64")
    index, scale = pick_targets(xp, out.shape[1], target, weight, ignore_index)
    each = grad.reshape(target.shape) if reduction == 0 else grad / (scale.sum() if reduction == 1 else 1)
    xp.put_along_axis(out, index[:, None], xp.where(scale == 0, 0, -scale * each).astype(out.dtype)[:, None], 1)
    return out.reshape(shape)


nll_loss_op = TABLE.class_loss(
    "nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, int ignore_index=-100) -> Tensor",
    reference=nll,
)
TABLE.class_loss(
    "nll_loss_backward(Tensor grad_output, int[] self_shape, Tensor target, Tensor? weight, int reduction, int "
    "ignore_index) -> Tensor",
    reference=nll_gradient,
    backward=True,
)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    if reduction != "mean" or size_average is not None or reduce is not None:
        reduction = reduction_of(size_average, reduce, reduction)
    return nll_loss_op(input, target, weight, NUMBERS[reduction], ignore_index)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    if reduction != "mean" or size_average is not None or reduce is not None:
        reduction = reduction_of(size_average, reduce, reduction)
    if input.dim() == target.dim() and input.shape == target.shape:
        return entropy_of_probabilities(input, target, weight, ignore_index, reduction, label_smoothing)
    logs = log_softmax_op(input, 0 if input.dim() == 1 else 1)
    if label_smoothing == 0:
        return nll_loss_op(logs, target, weight, NUMBERS[reduction], ignore_index)
    return smooth_loss(logs, target, weight, ignore_index, reduction, checked_smoothing(label_smoothing))


def checked_smoothing(label_smoothing: float) -> float:
    """RuntimeError unless it is a share."""
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    return label_smoothing


def check_weight(weight: Tensor | None, classes: int) -> None:
    """RuntimeError unless there is one weight for each class."""
    if weight is not None and tuple(weight.shape) != (classes,):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of "
            f"shape: {list(weight.shape)}"
        )


def smooth_loss(
    logs: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, reduction: str, smoothing: float
) -> Tensor:
    """(1 - smoothing) * nll_loss + smoothing * the mean over all classes."""
    dim = 0 if logs.dim() == 1 else 1
    classes = logs.size(dim)
    loss = nll_loss_op(logs, target, weight, NUMBERS[reduction], ignore_index)
    spread = logs if weight is None else logs * weight.reshape([classes if i == dim else 1 for i in range(logs.dim())])
    ignored = target == ignore_index
    smooth = (-spread.sum(dim)).masked_fill(ignored.reshape(logs.shape[:dim] + logs.shape[dim + 1 :]), 0.0)
    if reduction == "mean" and weight is not None:
        index = target.masked_fill(ignored, 0).reshape(target.numel())
        smooth = smooth.sum() / weight.index_select(0, index).masked_fill(ignored.reshape(target.numel()), 0.0).sum()
    elif reduction == "mean":
        smooth = smooth.sum() / (target.numel() - ignored.sum())
    else:
        smooth = reduce_loss(smooth, reduction)
    return (1 - smoothing) * loss + smooth * (smoothing / classes)


def entropy_of_probabilities(
    input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, reduction: str, smoothing: float
) -> Tensor:
    """-sum(target * log_softmax(input)) over the classes; a mean is divided by the number of samples."""
    if not target.is_floating_point():
        raise RuntimeError(f"Expected floating point type for target with class probabilities, got {type_name(target)}")
    if ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    if input.dim() == 0:
        raise IndexError("Dimension specified as 1 but tensor has no dimensions: cross_entropy needs a dim of classes")
    dim = 0 if input.dim() == 1 else 1
    classes = input.size(dim)
    check_weight(weight, classes)
    if checked_smoothing(smoothing):
        target = target * (1 - smoothing) + smoothing / classes
    terms = log_softmax_op(input, dim) * target
    if weight is not None:
        terms = terms * weight.reshape([classes if i == dim else 1 for i in range(input.dim())])
    if reduction == "none":
        return -terms.sum(dim)
    total = -terms.sum()
    if reduction == "mean":
        return total / (input.numel() // classes if classes else 0)  # NaN of nothing
    return total


for function in (nll_loss, cross_entropy):
    TABLE.composite(function, namespace="nn.functional")
