"""Dropout of whole channels, and dropout that keeps mean and variance."""

from __future__ import annotations

from typing import Any

from wengert_core.optable.core_table import TABLE
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor
from wengert_core.tensors.vmap_hooks import empty_for_fill

LEAST = -1.7580993408473766
"""Where selu goes for large negative inputs: -scale * alpha. Source: Klambauer et al., 2017."""


def noise(input: Tensor, p: float, by_channel: bool) -> Any:
    """0 with probability p, else 1; by_channel: the same for all elements of a channel."""
    if not by_channel:
        return empty_for_fill(TABLE.ops["empty_like"](input)).bernoulli_(1 - p)
    if input.dim() < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    shape = (*input.shape[:2], *[1] * (input.dim() - 2))
    return empty_for_fill(TABLE.ops["empty"](*shape, dtype=input.dtype)).bernoulli_(1 - p)


def dropout_variants(input: Tensor, p: float, train: bool, by_channel: bool, alpha: bool, inplace: bool = False) -> Any:
    """The four dropouts of torch's top level."""
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")
    if p == 0 or not train or input.numel() == 0:
        return input
    if p == 1:
        return input.mul_(0) if inplace else input * 0
    kept = noise(input, p, by_channel)
    if not alpha:
        kept.div_(1 - p)
        return input.mul_(kept) if inplace else input * kept
    scale = 1 / ((LEAST * LEAST * p + 1) * (1 - p)) ** 0.5
    shift = (1 - kept) * (LEAST * scale) - LEAST * scale * p
    kept.mul_(scale)
    return input.mul_(kept).add_(shift) if inplace else input * kept + shift


def check_probability(p: float) -> None:
    """ValueError outside of 0 .. 1."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def warn_rank(name: str, rank: int, n: int) -> str:
    """The warning for an input of another rank."""
    return (
        f"{name}: Received a {rank}-D input to {name}, which is deprecated and will result in an error in a future "
        f"release. To retain the behavior and silence this warning, please use dropout instead. Note that {name} "
        f"exists to provide channel-wise dropout on inputs with {n} spatial dimensions, a channel dimension, and an "
        f"optional batch dimension (i.e. {n + 1}D or {n + 2}D inputs)."
    )


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    check_probability(p)
    rank = input.dim()
    if rank not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {rank}D input. Note that dropout1d exists to provide "
            "channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch "
            "dimension (i.e. 2D or 3D inputs)."
        )
    if rank == 3:
        return dropout_variants(input, p, training, True, False, inplace)
    result = dropout_variants(input.unsqueeze_(0) if inplace else input.unsqueeze(0), p, training, True, False, inplace)
    return result.squeeze_(0) if inplace else result.squeeze(0)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    check_probability(p)
    rank = input.dim()
    if rank == 3:
        warn_user(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired "
            "- input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a "
            "future release to interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain "
            "the 1D channel-wise dropout behavior, please switch to using dropout1d instead."
        )
    elif rank != 4:
        warn_user(warn_rank("dropout2d", rank, 2))
    return dropout_variants(input, p, training, True, False, inplace)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    check_probability(p)
    rank = input.dim()
    if rank not in (4, 5):
        warn_user(warn_rank("dropout3d", rank, 3))
    if rank == 5:
        return dropout_variants(input, p, training, True, False, inplace)
    result = dropout_variants(input.unsqueeze_(0) if inplace else input.unsqueeze(0), p, training, True, False, inplace)
    return result.squeeze_(0) if inplace else result.squeeze(0)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    check_probability(p)
    return dropout_variants(input, p, training, False, True, inplace)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    check_probability(p)
    return dropout_variants(input, p, training, True, True, inplace)


for function in (dropout1d, dropout2d, dropout3d, alpha_dropout, feature_alpha_dropout):
    TABLE.composite(function, namespace="nn.functional")


def top(name: str, by_channel: bool, alpha: bool) -> None:
    """A dropout of torch's top level, whose arguments have no defaults, and its in-place version."""

    def make_dropout(inplace: bool) -> Any:
        def function(input: Tensor, p: float, train: bool) -> Any:
            return dropout_variants(input, p, train, by_channel, alpha, inplace)

        return function

    TABLE.composite(make_dropout(False), name=name)
    TABLE.composite(make_dropout(True), name=f"{name}_", doc=f"In-place version of {name}.")


top("dropout", False, False)
top("feature_dropout", True, False)
top("alpha_dropout", False, True)
top("feature_alpha_dropout", True, True)
