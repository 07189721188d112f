"""Losses with margins of classes and of labels, each one node of the graph."""

from __future__ import annotations

from typing import Any

from wengert_core.drivers.loss.nll_loss import refuse_gradient
from wengert_core.drivers.pointwise.pointwise_checks import every_sample
from wengert_core.dtypes.dtypes import type_name
from wengert_core.ops.loss.reduction_argument import NUMBERS, reduce_by_number, reduction_of
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

ops = TABLE.ops
where = ops["where"]


# ---- classes
def check_precise(name: str, x: Tensor) -> None:
    """NotImplementedError for what is not float32 or float64, as torch."""
    if x.dtype.name not in ("float32", "float64"):
        raise NotImplementedError(f"\"{name}\" not implemented for '{type_name(x)}'")


def check_labels(target: Tensor) -> None:
    """RuntimeError for numbers of classes that are not int64."""
    if target.dtype.name != "int64":
        raise RuntimeError(f"expected scalar type Long but found {type_name(target)}")


def positive_part(x: Tensor) -> Tensor:
    """x where it is positive, else 0, also for NaN, which lacks nothing to a margin."""
    return where(x > 0, x, 0)


def margins_of_classes(self: Tensor, target: Tensor, p: Any, margin: Any, weight: Any, reduction: int) -> Any:
    """The stages of multi_margin_loss."""
    rows, labels = self if self.dim() > 1 else self.reshape(1, self.numel()), target.reshape(target.numel(), 1)
    terms = positive_part(margin - rows.gather(1, labels) + rows)
    terms = (terms if p == 1 else terms * terms).scatter(1, labels, 0.0)
    if weight is not None:
        terms = terms * weight.index_select(0, labels.reshape(-1)).unsqueeze(1)
    return reduce_by_number((terms.sum(1) / rows.size(1)).reshape(target.shape), reduction)


def numpy_margins(xp: Any, x: Any, target: Any, p: Any, margin: Any, weight: Any, reduction: int) -> Any:
    """The same of arrays."""
    rows, labels = x if x.ndim > 1 else x.reshape(1, x.size), target.reshape(-1, 1)
    terms = xp.maximum(margin - xp.take_along_axis(rows, labels, 1) + rows, 0) ** p
    terms = terms * (xp.arange(rows.shape[1]) != labels) * (1 if weight is None else weight[labels])
    return reduce_by_number(terms.mean(1).reshape(target.shape), reduction)


margin_op = TABLE.staged(
    "multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, "
    "int reduction=1) -> Tensor",
    stages=margins_of_classes,
    reference=numpy_margins,
    key="_multi_margin_loss",
    method=False,
    out=False,
    doc="How much other classes lack to a margin below the target's; reduction: 0 none, 1 mean, 2 sum.",
)


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: Any = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    reduction = reduction_of(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ValueError(f"only p == 1 and p == 2 supported, got {p}")
    if weight is not None and weight.dim() != 1:
        raise ValueError(f"weight must be one-dimensional, got {weight.dim()} dims")
    if weight is not None:
        refuse_gradient("multi_margin_loss", "weight", weight, "unbatched")
        if weight.dtype != input.dtype:
            raise RuntimeError(f"expected scalar type {type_name(input)} but found {type_name(weight)}")
    classes = checked_classes(input, target)
    if weight is not None and weight.numel() != classes:
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {list(weight.shape)}")
    check_precise("multi_margin_loss_cpu_kernel", input)
    check_labels(target)
    labels = target.reshape(-1, 1)
    seen = every_sample(labels)
    if seen.numel() and (seen.min() < 0 or seen.max() >= classes):
        raise RuntimeError(f"target out of range: classes are numbered from 0 to {classes - 1}")
    return margin_op(input, target, p, 1.0 * margin, weight, NUMBERS[reduction])


def checked_classes(input: Tensor, target: Tensor) -> int:
    """The number of classes, 1 of a tensor without dims; RuntimeError for shapes that do not fit."""
    classes = input.size(-1) if input.dim() else 1
    if input.dim() > 2 or classes == 0:
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(input.shape)}"
        )
    rows = input.size(0) if input.dim() == 2 else 1
    if target.dim() > 1 or target.numel() != rows:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch "
            f"size). Expected target size [{rows}], but got {list(target.shape)}. Input has shape {list(input.shape)}."
        )
    return classes


# ---- labels
def pairs_of_labels(self: Tensor, target: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """(rows, places of labels, what each pair of a label and another class lacks: [samples, labels, classes])."""
    rows, labels = (x if x.dim() > 1 else x.reshape(1, x.numel()) for x in (self, target))
    counts = (labels >= 0).long().cumprod(1)
    places = labels.clamp_min(0)
    is_label = ops["zeros_like"](labels).scatter_add(1, places, counts) > 0
    terms = positive_part(1 - rows.gather(1, places).unsqueeze(2) + rows.unsqueeze(1))
    return rows, places, where((counts == 1).unsqueeze(2) & ~is_label.unsqueeze(1), terms, 0)


def margins_of_labels(self: Tensor, target: Tensor, reduction: int) -> Any:
    """The stages of multilabel_margin_loss."""
    rows, _, terms = pairs_of_labels(self, target)
    losses = terms.sum((1, 2)) / rows.size(1)
    return reduce_by_number(losses if self.dim() > 1 else losses.reshape(()), reduction)


def numpy_labels(xp: Any, x: Any, target: Any, reduction: int) -> Any:
    """The same of arrays."""
    rows, labels = (a if a.ndim > 1 else a.reshape(1, a.size) for a in (x, target))
    counts = xp.cumprod(labels >= 0, 1)
    places = xp.maximum(labels, 0)
    is_label = (counts[:, :, None] * (places[:, :, None] == xp.arange(rows.shape[1]))).any(1)
    terms = xp.maximum(1 - xp.take_along_axis(rows, places, 1)[:, :, None] + rows[:, None], 0)
    losses = (terms * counts[:, :, None] * ~is_label[:, None]).sum((1, 2)) / rows.shape[1]
    return reduce_by_number(losses.reshape(x.shape[:-1] if x.ndim > 1 else ()), reduction)


labels_op = TABLE.staged(
    "multilabel_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
    stages=margins_of_labels,
    reference=numpy_labels,
    key="_multilabel_margin_loss",
    method=False,
    out=False,
    doc="How much other classes lack to a margin of 1 below each label's; reduction: 0 none, 1 mean, 2 sum.",
)


def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    reduction = reduction_of(size_average, reduce, reduction)
    flat = input.dim() < 2 and target.dim() < 2 and input.numel() == target.numel()  # a number is a vector of one
    if not (flat or target.shape == input.shape) or input.dim() > 2 or (input.dim() and input.size(-1) == 0):
        raise RuntimeError(
            "Expected non-empty vector or matrix with optional 0-dim batch size and "
            f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}"
        )
    check_precise("multilabel_margin_loss_forward_out_frame", input)
    check_labels(target)
    classes = input.size(-1) if input.dim() else 1
    seen = every_sample(target.reshape(-1))
    if seen.numel() and (seen.min() < -1 or seen.max() >= classes):
        raise RuntimeError(
            f"argument #2 'target' is out of range: classes are numbered from 0 to {classes - 1}; -1 ends a row"
        )
    return labels_op(input, target, NUMBERS[reduction])


for function in (multi_margin_loss, multilabel_margin_loss):
    TABLE.composite(function, namespace="nn.functional")
