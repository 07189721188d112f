"""Losses with margins of pairs, of triplets and of signs. Those of classes are in class_margins.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core.drivers.loss.nll_loss import refuse_gradient
from wengert_core.dtypes.dtypes import type_name
from wengert_core.ops.loss.reduction_argument import NUMBERS, reduce_by_number, reduce_loss, reduction_of
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

ops = TABLE.ops
where = ops["where"]


def functional(name: str) -> Any:
    """A function of nn.functional."""
    return ops[f"nn.functional.{name}"]


# ---- pairs
SMALL = 1e-12  # keeps the norm of a zero vector from being 0


def check_pairs(input1: Tensor, input2: Tensor, target: Tensor) -> None:
    """RuntimeError unless the target has a dim less than the inputs, or none of these."""
    if target.dim() > 1:
        raise RuntimeError(
            f"0D or 1D target tensor expected, multi-target not supported: got a target of shape {list(target.shape)}"
        )
    wanted = target.dim() + 1
    if input1.dim() != wanted or input2.dim() != wanted:
        raise RuntimeError(
            f"{target.dim()}D target tensor expects {wanted}D input tensors, but found inputs with sizes "
            f"{list(input1.shape)} and {list(input2.shape)}."
        )


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    reduction = reduction_of(size_average, reduce, reduction)
    check_pairs(input1, input2, target)
    sizes = [(x * x).sum(-1) + SMALL for x in (input1, input2)]
    cosine = (input1 * input2).sum(-1) / (sizes[0] * sizes[1]).sqrt()
    near = where(target == 1, 1 - cosine, 0)
    far = where(target == -1, (cosine - margin).clamp_min(0), 0)
    return reduce_loss(near + far, reduction)


# ---- labels
def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor | float,
    weight: Any = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    reduction = reduction_of(size_average, reduce, reduction)
    log_sigmoid = functional("logsigmoid")
    losses = -(target * log_sigmoid(input) + (1 - target) * log_sigmoid(-input))
    if weight is not None:
        losses = losses * weight
    dim = input.dim() - 1
    losses = losses.sum(dim) / input.size(dim)
    return reduce_loss(losses, reduction)


# ---- triplets
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    reduction = reduction_of(size_average, reduce, reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return of_triplets(anchor, positive, negative, margin, swap, reduction,
                       lambda x, y: ops["pairwise_distance"](x, y, p, eps), "triplet_margin_loss")  # fmt: skip


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: Any = False,
    reduction: str = "mean",
) -> Tensor:
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    reduction = reduction_of(None, None, reduction)
    distance = distance_function or ops["pairwise_distance"]
    return of_triplets(anchor, positive, negative, margin, swap, reduction, distance, "triplet_margin_loss")


def of_triplets(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float,
    swap: bool,
    reduction: str,
    distance: Callable[[Tensor, Tensor], Tensor],
    name: str,
) -> Tensor:
    """Both losses of triplets."""
    dims = [x.dim() for x in (anchor, positive, negative)]
    if len(set(dims)) > 1:
        raise RuntimeError(
            f"{name}: The anchor, positive, and negative tensors are expected to have the same number of dimensions, "
            f"but got: anchor {dims[0]}D, positive {dims[1]}D, and negative {dims[2]}D inputs"
        )
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = ops["minimum"](far, distance(positive, negative))
    return reduce_loss((margin + near - far).clamp_min(0), reduction)


# ---- two inputs, or an input and signs
def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    reduction = reduction_of(size_average, reduce, reduction)
    loss = where(target == 1, 0, (1.0 * margin - input).clamp(min=0)) + where(target == -1, 0, input)
    return reduce_loss(loss if input.dtype.category > 1 else loss.to(input.dtype), reduction)


def soft_margins(input: Tensor, target: Tensor, reduction: int) -> Any:
    """The stages of soft_margin_loss."""
    return reduce_by_number(-ops["nn.functional.logsigmoid"](target * input).to(input.dtype), reduction)


soft_margin_op = TABLE.staged(
    "soft_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
    stages=soft_margins,
    reference=lambda xp, x, target, reduction: reduce_by_number(xp.logaddexp(0, -target * x), reduction),
    key="_soft_margin_loss",
    method=False,
    doc="log(1 + exp(-target * self)); reduction: 0 none, 1 mean, 2 sum.",
)


def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    reduction = reduction_of(size_average, reduce, reduction)
    refuse_gradient("soft_margin_loss", "target", target)
    if input.dtype.category != 2:
        loss = (-target * input).exp().log1p()
        if input.dtype.category < 2:
            raise RuntimeError(f"result type Float can't be cast to the desired output type {type_name(input)}")
        return reduce_loss(loss, reduction)
    return soft_margin_op(input, target, NUMBERS[reduction])


def ranking_losses(input1: Tensor, input2: Tensor, target: Tensor, margin: float) -> Tensor:
    """max(0, margin - target * (input1 - input2))."""
    return (-target * (input1 - input2) + float(margin)).clamp_min(0)


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    reduction = reduction_of(size_average, reduce, reduction)
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{input1.shape}, input2: {input2.shape}, target: {target.shape} "
        )
    return reduce_loss(ranking_losses(input1, input2, target, margin), reduction)


for function in (
    cosine_embedding_loss,
    multilabel_soft_margin_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
    hinge_embedding_loss,
    soft_margin_loss,
    margin_ranking_loss,
):
    TABLE.composite(function, namespace="nn.functional")
