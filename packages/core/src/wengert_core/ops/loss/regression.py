"""Losses of numbers: mse_loss, l1_loss, smooth_l1_loss, huber_loss. Each but l1_loss is one node of the graph.

A row takes the reduction as a number (``NUMBERS``); the function of nn.functional checks the arguments and calls it.
"""

from __future__ import annotations

from typing import Any

from wengert_core.dtypes.dtypes import promote_types, type_name
from wengert_core.ops.loss.reduction_argument import (
    NUMBERS,
    reduce_by_number,
    reduce_loss,
    reduction_of,
    warn_of_sizes,
    weighted_loss,
)
from wengert_core.optable.core_table import TABLE
from wengert_core.optable.kinds.base import FLOATING
from wengert_core.tensors.tensor import Tensor

ops = TABLE.ops
sub = ops["sub"]


def checked_floats(name: str, x: Tensor) -> Tensor:
    """x; NotImplementedError, in torch's words, unless it is floating."""
    if x.dtype.category != 2:
        raise NotImplementedError(f"\"{name}\" not implemented for '{type_name(x)}'")
    return x


# ---- squares
def squares(input: Tensor, target: Tensor, reduction: int) -> Any:
    """The stages of mse_loss."""
    return reduce_by_number(checked_floats("mse_cpu", sub(input, target)).square(), reduction)


mse_op = TABLE.staged(
    "mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
    stages=squares,
    reference=lambda xp, x, target, reduction: reduce_by_number((x - target) ** 2, reduction),
    key="_mse_loss",
    method=False,
    doc="The squared difference of each element; reduction: 0 none, 1 mean, 2 sum.",
)


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    if reduction != "mean" or size_average is not None or reduce is not None:
        reduction = reduction_of(size_average, reduce, reduction)
    warn_of_sizes(input, target)
    if input.dtype.category == 0 or target.dtype.category == 0:  # bools cannot be subtracted
        kind = promote_types(input.dtype, target.dtype)
        if kind.category == 0:
            checked_floats("mse_cpu", input)
        input, target = input.to(kind), target.to(kind)
    if weight is not None:
        return weighted_loss((input - target).square(), weight, reduction)
    return mse_op(input, target, NUMBERS[reduction])


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    reduction = reduction_of(size_average, reduce, reduction)
    warn_of_sizes(input, target)
    return weighted_loss((input - target).abs(), weight, reduction)

# ---- squares near 0, the absolute value far out
def row(name: str, reference: Any, words: str) -> Any:
    """A pointwise row of input, target, and where the loss, or its slope, changes from one form to another."""
    return TABLE.pointwise_ternary(
        f"{name}(Tensor self, Tensor target, Scalar beta) -> Tensor",
        kernels=[name.removeprefix("_")],
        reference=reference,
        dtypes=FLOATING,
        n_promote=2,
        method=False,
        texts={"label": f"{name.strip('_')}_cpu"},
        inplace=False,
        doc=words,
    )


def smooth_l1(xp: Any, x: Any, target: Any, beta: Any) -> Any:
    """The reference of _smooth_l1."""
    size = abs(x - target)
    return xp.where(size < beta, size * size * (0.5 / beta), size - 0.5 * beta)


def smooth_l1_slope(xp: Any, x: Any, target: Any, beta: Any) -> Any:
    """The reference of _smooth_l1_slope."""
    gap = x - target
    return xp.where((abs(gap) < beta) | xp.isnan(gap), gap / beta, xp.sign(gap))


def huber(xp: Any, x: Any, target: Any, beta: Any) -> Any:
    """The reference of _huber."""
    size = abs(x - target)
    return xp.where(size <= beta, 0.5 * size * size, beta * (size - 0.5 * beta))


smooth_l1_op = row("_smooth_l1", smooth_l1, "smooth_l1_loss of each element.")
huber_op = row("_huber", huber, "huber_loss of each element.")
row("_smooth_l1_slope", smooth_l1_slope, "The derivative of _smooth_l1 with respect to self.")
row(
    "_huber_slope",
    lambda xp, x, target, beta: xp.clip(x - target, -beta, beta),
    "The derivative of _huber with respect to self.",
)


smooth_l1_loss_op = TABLE.staged(
    "smooth_l1_loss(Tensor self, Tensor target, int reduction=1, float beta=1.0) -> Tensor",
    stages=lambda input, target, reduction, beta: reduce_by_number(smooth_l1_op(input, target, beta), reduction),
    reference=lambda xp, x, target, reduction, beta: reduce_by_number(smooth_l1(xp, x, target, beta), reduction),
    key="_smooth_l1_loss",
    method=False,
    doc="Squared below beta, absolute above; reduction: 0 none, 1 mean, 2 sum.",
)
huber_loss_op = TABLE.staged(
    "huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.0) -> Tensor",
    stages=lambda input, target, reduction, delta: reduce_by_number(
        huber_op(input, target, delta).to(input.dtype), reduction
    ),
    reference=lambda xp, x, target, reduction, delta: reduce_by_number(huber(xp, x, target, delta), reduction),
    key="_huber_loss",
    method=False,
    doc="Half the square up to delta, linear beyond; reduction: 0 none, 1 mean, 2 sum.",
)


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    reduction = reduction_of(size_average, reduce, reduction)
    if not beta >= 0:
        raise RuntimeError(f"smooth_l1_loss does not support negative values for beta. Got {beta}")
    warn_of_sizes(input, target)
    if not beta:
        return reduce_loss((input - target).abs(), reduction)
    return smooth_l1_loss_op(input, target, NUMBERS[reduction], beta)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    reduction = reduction_of(None, None, reduction)
    if not delta > 0:
        raise RuntimeError(f"huber_loss does not support non-positive values for delta. Got {delta}")
    warn_of_sizes(input, target)
    if weight is None:
        return huber_loss_op(input, target, NUMBERS[reduction], delta)
    loss = huber_loss_op(input, target, NUMBERS["none"], delta)
    if weight.shape != input.shape:
        raise ValueError("Weights and input must have the same size.")
    return reduce_loss(loss * weight, reduction)


for function in (mse_loss, l1_loss, smooth_l1_loss, huber_loss):
    TABLE.composite(function, namespace="nn.functional")
