"""What all losses share: the reduction, its older spelling, the warning about sizes."""

from __future__ import annotations

from typing import Any

from wengert_core.drivers.pointwise.pointwise_checks import have_one_shape
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor

NUMBERS = {"none": 0, "mean": 1, "sum": 2}


def reduction_of(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction, from the arguments that older programs give too; ValueError for an unknown one."""
    if size_average is not None or reduce is not None:
        mean = True if size_average is None else size_average
        reduction = "none" if reduce is False else "mean" if mean else "sum"
        warn_user(f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.")
    if reduction not in NUMBERS:
        raise ValueError(f"{reduction} is not a valid value for reduction: it is 'none', 'mean' or 'sum'")
    return reduction


def reduce_loss(loss: Tensor, reduction: str) -> Tensor:
    """Losses of elements as they are, their mean or their sum."""
    if reduction == "none":
        return loss
    return loss.mean() if reduction == "mean" else loss.sum()


def reduce_by_number(loss: Any, reduction: int) -> Any:
    """The same of a tensor or an array, with the reduction as a number; all but 1 and 2 is none, as in torch."""
    return loss.mean() if reduction == 1 else loss.sum() if reduction == 2 else loss


def weighted_loss(loss: Tensor, weight: Tensor | None, reduction: str) -> Tensor:
    """Weighted losses; their mean is divided by the sum of the weights."""
    if weight is None:
        return reduce_loss(loss, reduction)
    if tuple(weight.shape) != tuple(loss.shape):
        raise ValueError("Weights and input must have the same size.")
    loss = loss * weight
    return loss.sum() / weight.sum() if reduction == "mean" else reduce_loss(loss, reduction)


def warn_of_sizes(input: Tensor, target: Tensor) -> None:
    """The sizes differ: what follows broadcasts, which is seldom meant."""
    if not have_one_shape(input, target):
        warn_user(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will "
            "likely lead "
            "to incorrect results due to broadcasting. Please ensure they have the same size.")
