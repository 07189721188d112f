"""Indices of the sparse dims: as positions in row-major order, sorted, found again."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_sparse.loops import coalesce as loop
from wengert_sparse.parts import Coo


def positions(indices: Tensor, sizes: Sequence[int]) -> Tensor:
    """The row-major positions (N,) of indices (S, N) in a tensor of the sizes of its S sparse dims."""
    rank, count = indices.shape
    if rank == 0:
        return wc.zeros(count, dtype=wc.int64, device=indices.device)
    if math.prod(sizes) >= 1 << 63:  # the whole has no elements, as a dense dim has the size 0
        raise RuntimeError(f"the sparse dims of sizes {list(sizes)} have more than 2**63 - 1 positions")
    found = indices[0]
    for dim in range(1, rank):
        found = found * sizes[dim] + indices[dim]
    return found


def indices_at(flat: Tensor, sizes: Sequence[int]) -> Tensor:
    """The indices (S, N) of row-major positions (N,): the inverse of ``positions``."""
    if not sizes:
        return wc.empty((0, flat.shape[0]), dtype=wc.int64, device=flat.device)
    parts = []
    for size in reversed(sizes[1:]):
        parts.append(flat % max(size, 1))
        flat = flat // max(size, 1)
    return wc.stack([flat, *reversed(parts)])


def coalesce(parts: Coo, shape: Sequence[int]) -> Coo:
    """The components with sorted indices, each once; values of one index are added in the order that they stand in."""
    indices, values, coalesced = parts
    count = len(values)
    if coalesced or count < 2:
        return parts if coalesced else Coo(indices, values, True)
    by_loops = loop.coalesce(indices, values, shape)
    if by_loops is not None:
        return by_loops
    sizes = tuple(shape[: indices.shape[0]])
    flat = positions(indices, sizes)
    if (flat[1:] > flat[:-1]).all().item():
        return Coo(indices, values, True)
    ordered, order = wc.sort(flat, stable=True)
    values = values.index_select(0, order)
    begins = (ordered[1:] != ordered[:-1]).nonzero().squeeze(1) + 1
    if len(begins) != count - 1:
        begins = wc.cat([begins.new_zeros(1), begins])
        ordered = ordered.index_select(0, begins)
        values = add_runs(values, begins)
    return Coo(indices_at(ordered, sizes), values, True)


def add_runs(values: Tensor, begins: Tensor) -> Tensor:
    """The sums of the rows of values (N, ...) from each of some positions to the next; of bools whether any is."""
    if values.device.type == "cpu" and values.dtype not in (wc.bool, wc.float16, wc.bfloat16):
        return wc.from_numpy(np.add.reduceat(values.numpy(), begins.numpy(), 0))
    lengths = wc.cat([begins[1:], begins.new_full((1,), len(values))]) - begins
    return add_segments(values, wc.repeat_interleave(lengths), len(begins))


def add_segments(values: Tensor, segment: Tensor, count: int) -> Tensor:
    """The sums (count, ...) of the rows of values (N, ...) that have the same segment (N,); of bools whether any is."""
    if values.dtype is wc.bool:
        return (
            wc.zeros((count, *values.shape[1:]), dtype=wc.int64, device=values.device)
            .index_add_(0, segment, values.to(wc.int64))
            .to(wc.bool)
        )
    return wc.zeros((count, *values.shape[1:]), dtype=values.dtype, device=values.device).index_add_(0, segment, values)


def find(flat: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
    """Find each of some positions (M,) in sorted ones (N,): (index (M,), whether it is there at all (M,))."""
    if flat.shape[0] == 0:
        return wc.zeros_like(wanted), wc.zeros(wanted.shape[0], dtype=wc.bool, device=wanted.device)
    place = wc.searchsorted(flat, wanted).clamp_(max=flat.shape[0] - 1)
    return place, flat.index_select(0, place) == wanted
