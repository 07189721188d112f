"""embedding_bag: sums, means or maxima of bags of embeddings."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_core.checks import each_sample, every_sample, is_batched
from wengert_core.dtypes import type_name
from wengert_core.ops.beside import beside
from wengert_core.ops.embeddings import scaled_by_frequency, shorten
from wengert_core.ops.nn import constant
from wengert_core.ops.table import TABLE
from wengert_core.tensor import Tensor

ops = TABLE.ops
where = ops["where"]
MODES = ("sum", "mean", "max")


def check_table(weight: Tensor) -> None:
    """What embedding_bag refuses as its weight."""
    if weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    if weight.dtype.category != 2:
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, "
            f"Float, Double; but got {weight.dtype} instead (while checking arguments for embedding_bag)"
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
    if last and offsets.numel() < 1:
        raise RuntimeError("include_last_offset: number of offset should be at least 1")
    first, final = (every_sample(offsets[0]), every_sample(offsets[-1])) if offsets.numel() else (None, None)
    if first is not None and (first != 0).any().item():
        raise RuntimeError(
            f"offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. "
            f"However, got {first.max().item()}"
        )
    if final is not None and final.max().item() > count:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {count} but got offsets[-1] of {final.max().item()}"
        )


def check_entries(entries: Tensor, total: int) -> None:
    """RuntimeError for a row that is not there."""
    entries = every_sample(entries)
    if entries.numel() and not 0 <= entries.min().item() <= entries.max().item() < total:
        values = entries.tolist()
        at = next(i for i, value in enumerate(values) if not 0 <= value < total)
        raise RuntimeError(
            f"Index {at} of input takes value {values[at]} which is not in the valid range [0, {total}): embedding_bag"
        )


def check_padding(padding_idx: int | None, total: int) -> None:
    """RuntimeError for a row that is not there."""
    if padding_idx is not None and not -total <= padding_idx < total:
        raise RuntimeError(
            f"padding_idx must be within the number of embeddings, -{total} through {total - 1} but got {padding_idx}"
        )


def bag_numbers(input: Tensor, offsets: Tensor | None, last: bool) -> tuple[Any, int]:
    """(the bag of each entry of the flattened input, how many bags there are)."""
    if offsets is None:
        return np.repeat(np.arange(input.size(0)), input.size(1)), input.size(0)
    starts = np.asarray(offsets.tolist(), np.int64)
    starts, count = (starts[:-1], len(starts) - 1) if last else (starts, len(starts))
    return np.searchsorted(starts, np.arange(input.numel()), side="right") - 1, count


def largest(rows: Tensor, bags: Any, count: int) -> Tensor:
    """The maximum of each bag and column; 0 for an empty bag. Of equal ones the first has the gradient."""
    sizes = np.bincount(bags, minlength=count)
    places = np.arange(len(bags)) - (np.cumsum(sizes) - sizes)[bags]
    longest = int(sizes.max(initial=0))
    if not longest:
        return rows.new_zeros((count, rows.size(1)))
    table = np.zeros((count, longest), np.int64)
    table[bags, places] = np.arange(len(bags))
    there = np.arange(longest) < sizes[:, None]
    spread = rows.index_select(0, beside(rows, table.reshape(-1))).reshape(count, longest, rows.size(1))
    found = where(beside(rows, there).unsqueeze(2), spread, -np.inf).max(1)[0]
    return where(beside(rows, sizes == 0).unsqueeze(1), 0, found)


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """The "sum", "mean" or "max" of the rows of weight that each bag numbers: [bags, columns]; 0 for an empty bag.

    input: a bag in each row, or all bags one after the other, which start at ``offsets`` (``include_last_offset``: its
    last entry is the end of the last bag). per_sample_weights: factors of the rows, for "sum".
    padding_idx: entries that do not count. max_norm, scale_grad_by_freq: as embedding has them.
    """
    if is_batched(offsets) or (padding_idx is not None and is_batched(input)):
        return each_sample(
            "embedding_bag", embedding_bag, input, weight, offsets, max_norm, norm_type, scale_grad_by_freq, mode,
            sparse, per_sample_weights, include_last_offset, padding_idx)
    check_bags(input, weight, offsets, mode, per_sample_weights, include_last_offset)
    if sparse:
        raise NotImplementedError("embedding_bag: wengert has no sparse gradients; leave sparse=False")
    if scale_grad_by_freq and mode == "max":
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    total = weight.size(0)
    check_padding(padding_idx, total)
    bags, count = bag_numbers(input, offsets, include_last_offset)
    entries = input.reshape(-1)
    check_entries(entries, total)
    factors = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    if padding_idx is not None:
        kept = np.flatnonzero(np.asarray(entries.tolist(), np.int64) != padding_idx % total)
        bags, entries = bags[kept], entries.index_select(0, beside(entries, kept))
        factors = None if factors is None else factors.index_select(0, beside(factors, kept))
    if max_norm is not None:
        shorten(constant(weight), input.reshape(-1), max_norm, norm_type)
    rows = weight.index_select(0, entries)
    if scale_grad_by_freq:
        rows = scaled_by_frequency(rows, entries, total)
    if mode == "max":
        return largest(rows, bags, count)
    if factors is not None:
        rows = rows * factors.unsqueeze(1)
    sums = rows.new_zeros((count, weight.size(1))).index_add(0, beside(rows, bags.astype(np.int64)), rows)
    if mode == "sum":
        return sums
    sizes = np.maximum(np.bincount(bags, minlength=count), 1)
    return sums / beside(sums, sizes).to(sums.dtype).unsqueeze(1)


TABLE.composite(embedding_bag, namespace="nn.functional")
