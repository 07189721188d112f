"""What embedding_bag refuses."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_core.devices.device import CPU
from wengert_core.drivers.pointwise.pointwise_checks import every_sample, is_batched
from wengert_core.dtypes.dtypes import type_name
from wengert_core.ops.index.sparse_gradients import sparse_constructor
from wengert_core.tensors.tensor import Tensor

MODES = {"sum": 0, "mean": 1, "max": 2}
SUM, MEAN, MAX = 0, 1, 2


def on_host(x: Tensor) -> Any:
    """Integers as a NumPy array."""
    return x.numpy() if x.device is CPU else np.asarray(x.tolist(), np.int64)


def check_table(weight: Tensor) -> None:
    """What embedding_bag refuses as its weight."""
    if weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    if weight.dtype.category != 2:
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, "
            f"Float, Double; but got {weight.dtype} instead (while checking arguments for embedding_bag)"
        )


def check_integers(kind: Any, indices: Tensor, offsets: Tensor) -> None:
    """RuntimeError unless one of indices and offsets, or both, are int32 or int64 and none floating."""
    if kind.name not in ("int64", "int32"):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"{indices.type()} and offsets {offsets.type()} instead (while checking arguments for embedding_bag)"
        )


def check_sparse(sparse: bool, largest: bool) -> None:
    """ValueError for sparse gradients of maxima; NotImplementedError where no package brings sparse tensors."""
    if sparse and largest:
        raise ValueError("max mode does not support sparse weights")
    if sparse:
        sparse_constructor("embedding_bag", "sparse")


def check_factors(weight: Tensor, indices: Tensor, mode: int, factors: Tensor) -> None:
    """What the function of the top refuses as per_sample_weights."""
    if mode != SUM:
        raise RuntimeError(f"embedding_bag: per_sample_weights only supported with mode='sum' (0), got {mode}")
    if factors.dtype is not weight.dtype:
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
            f"'per_sample_weights'; but type {weight.type()} does not equal {factors.type()} (while checking arguments "
            "for embedding_bag)"
        )
    if factors.dim() != 1 or factors.numel() != indices.numel():
        raise RuntimeError(
            f"embedding_bag: expected as many per_sample_weights as indices, {indices.numel()}, as a 1D tensor, but "
            f"got the shape {list(factors.shape)}"
        )


def check_bags(
    input: Tensor, weight: Tensor, offsets: Tensor | None, mode: str, weights: Tensor | None, last: bool
) -> None:
    """What embedding_bag refuses."""
    if mode not in MODES:
        raise ValueError(f"mode has to be one of sum, mean or max, got {mode}")
    if weights is not None and weights.shape != input.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({list(weights.shape)}) is not None, then it must have the same "
            f"shape as the input ({list(input.shape)})"
        )
    if weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' "
            f"(got mode='{mode}'). Please open a feature request on GitHub."
        )
    check_table(weight)
    if input.dtype.name not in ("int64", "int32"):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"{input.type()} instead (while checking arguments for embedding_bag)"
        )
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
                f"sequences. However, found offsets of type {type(offsets)}"
            )
    elif input.dim() == 1:
        check_offsets(offsets, input.numel(), last)
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    if weights is not None and weights.dtype is not weight.dtype:
        raise RuntimeError(
            f"expected per_sample_weights to have the same type as weight, got {type_name(weights)} and "
            f"{type_name(weight)}"
        )


def check_offsets(offsets: Tensor | None, count: int, last: bool) -> None:
    """What is refused of the places where bags start."""
    if offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if offsets.dim() != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    if is_batched(offsets):  # otherwise by the op itself
        check_ends(offsets, count, last)


def check_ends(offsets: Tensor, count: int, last: bool) -> None:
    """RuntimeError unless the first bag starts at 0 and the last one within the entries."""
    check_starts(on_host(every_sample(offsets)), count, last)


def check_starts(starts: Any, count: int, last: bool) -> None:
    """The same of an array, or of one with a row for each sample."""
    if not starts.shape[-1]:
        if last:
            raise RuntimeError("include_last_offset: number of offset should be at least 1")
        return
    first, final = starts[..., 0], starts[..., -1]
    if starts.ndim > 1:
        first, final = np.abs(first).max(initial=0), final.max(initial=0)  # of all samples
    if first != 0:
        raise RuntimeError(
            f"offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. "
            f"However, got {first}"
        )
    if final > count:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {count} but got offsets[-1] of {final}"
        )


def check_entries(entries: Tensor, total: int) -> None:
    """RuntimeError for a row that is not there."""
    entries = every_sample(entries.reshape(-1))
    if entries.numel() and (entries.min() < 0 or entries.max() >= total):
        values = entries.tolist()
        at = next(i for i, value in enumerate(values) if not 0 <= value < total)
        raise RuntimeError(
            f"Index {at} of input takes value {values[at]} which is not in the valid range [0, {total}): embedding_bag"
        )


def padding_row(padding_idx: int | None, total: int) -> int:
    """The row that stands for padding, counted from the front; -1 for none. RuntimeError for one that is not there."""
    if padding_idx is None:
        return -1
    if not -total <= padding_idx < total:
        raise RuntimeError(
            f"padding_idx must be within the number of embeddings, -{total} through {total - 1}, but got {padding_idx}"
        )
    return padding_idx % total
