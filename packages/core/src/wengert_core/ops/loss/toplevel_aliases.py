"""What torch has a second time at its top level: losses whose reduction is a number, embedding with its weight first.

nn.functional has the same functions with the arguments that programs are written for. A reduction is 0 for none (which
is what torch does here without it, though its signatures name the mean), 1 for the mean, 2 for the sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert_core.ops.loss.margin_losses import ranking_losses
from wengert_core.ops.loss.reduction_argument import reduce_by_number
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

REDUCTIONS = {1: "mean", 2: "sum"}


def functional(name: str) -> Any:
    """The function of that name in nn.functional."""
    return TABLE.ops[f"nn.functional.{name}"]


def reduction_name(reduction: int) -> str:
    """The name of a reduction."""
    return REDUCTIONS.get(reduction, "none")


def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Tensor | None = None, reduction: int = 0
) -> Any:
    function = functional("binary_cross_entropy_with_logits")
    return function(input, target, weight, reduction=reduction_name(reduction), pos_weight=pos_weight)


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0
) -> Any:
    return functional("cosine_embedding_loss")(
        input1, input2, target, float(margin), reduction=reduction_name(reduction)
    )


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
    reduction: int = 0,
    zero_infinity: bool = False,
) -> Any:
    function = functional("ctc_loss")
    return function(log_probs, targets, input_lengths, target_lengths, blank, reduction_name(reduction), zero_infinity)


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = 0) -> Any:
    return functional("hinge_embedding_loss")(input, target, margin, reduction=reduction_name(reduction))


def kl_div(input: Tensor, target: Tensor, reduction: int = 0, *, log_target: bool = False) -> Any:
    return reduce_by_number(functional("kl_div")(input, target, reduction="none", log_target=log_target), reduction)


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0
) -> Any:
    return reduce_by_number(ranking_losses(input1, input2, target, margin), reduction)


def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int) -> Any:
    return functional("poisson_nll_loss")(input, target, log_input, full, eps=eps, reduction=reduction_name(reduction))


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = 0,
) -> Any:
    function = functional("triplet_margin_loss")
    return function(anchor, positive, negative, margin, p, eps, swap, reduction=reduction_name(reduction))


def embedding(
    weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Any:
    there = 0 <= padding_idx < (weight.size(0) if weight.dim() else 0)  # any other number is taken, and means none
    padding = padding_idx if there else None
    return functional("embedding")(indices, weight, padding, None, 2.0, scale_grad_by_freq, sparse)


for function in (
    binary_cross_entropy_with_logits, cosine_embedding_loss, ctc_loss, hinge_embedding_loss, kl_div,
    margin_ranking_loss, poisson_nll_loss, triplet_margin_loss, embedding,
):  # fmt: skip
    TABLE.composite(function)
