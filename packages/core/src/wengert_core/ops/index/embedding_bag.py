"""embedding_bag: sums, means or maxima of bags of embeddings, one node of the graph.

The op gives what its derivative needs too: the bag of each entry, sizes of bags, and where the maxima are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_core.drivers.pointwise.pointwise_checks import is_batched
from wengert_core.dtypes.dtypes import ALL, promote_types
from wengert_core.exchange.constants import constant_like
from wengert_core.ops.index.embedding_bag_checks import (
    MAX,
    MEAN,
    MODES,
    SUM,
    check_bags,
    check_ends,
    check_entries,
    check_factors,
    check_integers,
    check_sparse,
    check_starts,
    check_table,
    on_host,
    padding_row,
)
from wengert_core.ops.index.embeddings import shorten
from wengert_core.ops.pointwise.composed_activations import constant
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

ops = TABLE.ops
where = ops["where"]
INT64 = ALL["int64"]


# ---- the op
def bag_numbers(offsets: Any, n: int, last: bool) -> tuple[Any, Any]:
    """(the bag of each of n entries, the sizes of the bags). RuntimeError for bags that start before others."""
    count = len(offsets) - last
    if not count:
        return np.zeros(n, np.int64), np.zeros(0, np.int64)
    sizes = np.empty(count, np.int64)
    np.subtract(offsets[1:count], offsets[: count - 1], sizes[:-1])
    sizes[-1] = n - offsets[count - 1]
    try:
        if offsets[0] == 0:
            return np.arange(count).repeat(sizes), sizes
    except ValueError:  # a size below 0
        pass
    raise RuntimeError(f"embedding_bag: offsets have to begin with 0 and to ascend, got {offsets.tolist()}")


def largest(rows: Tensor, entries: Tensor, bags: Any, sizes: Any) -> tuple[Tensor, Tensor]:
    """(the maximum of each bag and column, the entries that have them); 0 for an empty bag.

    Of equal ones the first counts. A NaN is the maximum where it comes first, and else does not count, as in torch.
    """
    shape = (len(sizes), rows.size(1))
    table = np.zeros((len(sizes), int(sizes.max(initial=0))), np.int64)
    if not table.size:
        return rows.new_zeros(shape), entries.new_zeros(shape)
    within = np.arange(len(bags)) - (np.cumsum(sizes) - sizes)[bags]
    table[bags, within] = np.arange(len(bags))
    spread = rows.index_select(0, constant_like(rows, table.reshape(-1))).reshape(*table.shape, rows.size(1))
    counts = constant_like(rows, np.arange(table.shape[1]) < sizes[:, None]).unsqueeze(2)
    comes_first = constant_like(rows, np.arange(table.shape[1]) == 0).unsqueeze(1)
    found, position = where(counts & (comes_first | (spread == spread)), spread, -np.inf).max(1)
    entry = entries.index_select(0, constant_like(rows, table.reshape(-1))).reshape(table.shape).gather(1, position)
    if sizes.all():
        return found, entry
    full = constant_like(rows, sizes > 0).unsqueeze(1)
    return where(full, found, 0), where(full, entry, 0)


def bag_values(
    weight: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: bool, mode: int, sparse: bool,
    per_sample_weights: Tensor | None, include_last_offset: bool, padding_idx: int,
) -> Any:  # fmt: skip
    """The stages of embedding_bag."""
    entries = indices if indices.dim() == 1 else indices.reshape(-1)
    factors = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    starts = on_host(offsets)
    check_starts(starts, entries.numel(), include_last_offset)
    bags, sizes = bag_numbers(starts, entries.numel(), include_last_offset)
    places = bag_of_each = constant_like(weight, bags)
    if padding_idx >= 0:
        kept = np.flatnonzero(on_host(entries) != padding_idx)
        bags, entries = bags[kept], entries.index_select(0, constant_like(weight, kept))
        places, sizes = constant_like(weight, bags), np.bincount(bags, minlength=len(sizes))
        factors = None if factors is None else factors.index_select(0, constant_like(weight, kept))
    try:
        rows = weight.index_select(0, entries)
    except IndexError:
        check_entries(indices, weight.size(0))
        raise
    kind = INT64 if indices.dtype is INT64 else promote_types(indices.dtype, offsets.dtype)
    if mode == MAX:
        found, entry = largest(rows, entries, bags, sizes)
        sizes_of_bags = constant_like(weight, sizes)
        if kind is INT64 and entry.dtype is INT64:
            return found, bag_of_each, sizes_of_bags, entry
        return found, bag_of_each.to(kind), sizes_of_bags.to(kind), entry.to(kind)
    rows = rows if factors is None else rows * factors.unsqueeze(1)
    found = rows.new_zeros((len(sizes), weight.size(1))).index_add(0, places, rows)
    bag_size = nothing = entries.new_empty(0)
    if mode == MEAN:
        found = found / constant_like(weight, np.maximum(sizes, 1)).to(found.dtype).unsqueeze(1)
        bag_size = constant_like(weight, sizes).to(kind)
    return found, bag_of_each if kind is INT64 else bag_of_each.to(kind), bag_size, nothing


def bags_of_arrays(
    xp: Any, weight: Any, indices: Any, offsets: Any, by_frequency: bool, mode: int, sparse: bool, factors: Any,
    last: bool, padding: int,
) -> Any:  # fmt: skip
    """The reference: bag by bag."""
    entries = indices.reshape(-1)
    check_starts(np.asarray(offsets), len(entries), last)
    starts = [int(n) for n in offsets][: len(offsets) - last]
    found, sizes, maxima = [weight[:0]], [], [xp.zeros((0, weight.shape[1]), offsets.dtype)]
    for start, end in zip(starts, [*starts[1:], len(entries)], strict=False):
        kept = [i for i in range(start, end) if int(entries[i]) != padding]
        rows = weight[entries[kept]]
        rows = rows if factors is None else rows * factors.reshape(-1)[kept][:, None]
        best = rows.argmax(0) if kept else None
        largest = mode == MAX and kept
        whole = rows.max(0) if largest else rows.sum(0) / (len(kept) or 1 if mode == MEAN else 1)
        found.append(whole[None])
        sizes.append(len(kept))
        maxima.append((entries[kept][best] if largest else xp.zeros(weight.shape[1], offsets.dtype))[None])
    numbers = [bag for bag, size in enumerate(np.diff([*starts, len(entries)])) for _ in range(size)]
    return (
        xp.concatenate(found), xp.asarray(numbers, offsets.dtype),
        xp.zeros(0, offsets.dtype) if mode == SUM else xp.asarray(sizes, offsets.dtype),
        xp.concatenate(maxima) if mode == MAX else xp.zeros(0, offsets.dtype),
    )  # fmt: skip


bag_op = TABLE.staged(
    "_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, "
    "bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> "
    "(Tensor result0, Tensor result1, Tensor result2, Tensor result3)",
    stages=bag_values,
    reference=bags_of_arrays,
    method=False,
    out=False,
    doc="Sums (mode 0), means (1) or maxima (2) of bags of rows; each entry's bag, sizes (not of 0), rows of maxima.",
)


# ---- functions
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
    check_bags(input, weight, offsets, mode, per_sample_weights, include_last_offset)
    check_sparse(sparse, mode == "max")
    if scale_grad_by_freq and mode == "max":
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    padding = padding_row(padding_idx, weight.size(0))
    if is_batched(input) or max_norm is not None:
        check_entries(input, weight.size(0))  # otherwise by the op itself
    if max_norm is not None:
        if offsets is not None:
            check_ends(offsets, input.numel(), include_last_offset)
        shorten(constant(weight), input.reshape(-1), max_norm, norm_type)
    if offsets is None:
        include_last_offset = False
        offsets = ops["arange"](0, input.numel(), input.size(1), dtype=input.dtype, device=input.device)
    return bag_op(
        weight, input, offsets, scale_grad_by_freq, MODES[mode], sparse, per_sample_weights, include_last_offset,
        padding,
    )[0]


def rows_of_bags(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Any:
    for name, x, dims in (("input", indices, (1, 2)), ("offsets", offsets, (1,)), ("weight", weight, (2,))):
        if x.dim() not in dims:
            wanted = " or ".join(f"{n}D" for n in dims)
            raise RuntimeError(f"{name} has to be a {wanted} Tensor, but got Tensor of dimension {x.dim()}")
    kind = promote_types(indices.dtype, offsets.dtype)
    check_integers(kind, indices, offsets)
    if is_batched(offsets):  # otherwise by the op itself
        check_ends(offsets, indices.numel(), include_last_offset)
    if mode not in (SUM, MEAN, MAX):
        raise RuntimeError(f"`mode` must be sum, mean, or max (0, 1, 2), got {mode}")
    check_table(weight)
    check_sparse(sparse, mode == MAX)
    if per_sample_weights is not None:
        check_factors(weight, indices, mode, per_sample_weights)
    padding = padding_row(padding_idx, weight.size(0))
    if is_batched(indices):
        check_entries(indices, weight.size(0))
    found, bags, sizes, entries = bag_op(
        weight, indices.to(kind), offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset,
        padding,
    )
    if mode == MEAN:
        return found, bags, sizes, sizes.clone()
    if mode == MAX:
        return found, bags, sizes, entries
    steps = weight.stride(1) == 1 and (per_sample_weights is None or per_sample_weights.stride(0) == 1)
    if padding < 0 and steps and weight.dtype.name != "float64":
        bags = bags.new_empty(0)
    return found, bags, bags.new_zeros(offsets.numel()), bags.new_zeros(offsets.numel())


rows_of_bags.__name__ = "embedding_bag"
TABLE.composite(embedding_bag, namespace="nn.functional")
TABLE.composite(rows_of_bags)
