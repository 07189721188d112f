"""Sums of compressed tensors over some dims. As in structure.py the values move by recorded operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_sparse.compressed.entries import Entries, add_duplicates
from wengert_sparse.compressed.structure import build, recorded_entries, with_extent
from wengert_sparse.coo.indices import indices_at, positions


def sum_entries(entries: Entries, dims: Sequence[int]) -> Entries:
    """The entries of the sum over dims, which have the size 1 then."""
    batch, row, column, values, geometry = entries
    n_batch = len(geometry.batch)
    if any_below(dims, n_batch):
        sizes = tuple(1 if d in dims else size for d, size in enumerate(geometry.batch))
        indices = indices_at(batch, geometry.batch)
        kept = [indices[d] if size != 1 else indices[d] * 0 for d, size in enumerate(sizes)]
        batch, geometry = positions(wc.stack(kept), sizes), geometry._replace(batch=sizes)
    block = list(geometry.block or (1, 1))
    for k in range(2):
        if n_batch + k not in dims:
            continue
        if geometry.block:
            values, block[k] = values.sum(1 + k, keepdim=True), 1
        row, column = (row * 0, column) if k == 0 else (row, column * 0)
        geometry = with_extent(geometry, k == 0, 1)
    if geometry.block:
        geometry = geometry._replace(block=(block[0], block[1]))
    inner = [d - n_batch - 2 for d in dims if d >= n_batch + 2]
    if inner:
        values = values.sum([d + values.dim() - len(geometry.dense) for d in inner], keepdim=True)
        geometry = geometry._replace(dense=tuple(1 if d in inner else n for d, n in enumerate(geometry.dense)))
    return add_duplicates(Entries(batch, row, column, values, geometry))


def any_below(dims: Sequence[int], bound: int) -> bool:
    """Whether one of some dims is less than a bound."""
    return bool(dims) and min(dims) < bound


def sum_keeping_dims(self: Tensor, dims: Sequence[int], dtype: Any) -> Tensor:
    """The sum over dims, which have the size 1 then, in the same layout. Differentiable."""
    entries = recorded_entries(self)
    return build(sum_entries(entries._replace(values=entries.values.to(dtype)), dims), self)
