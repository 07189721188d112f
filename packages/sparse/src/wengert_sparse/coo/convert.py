"""From and to strided tensors, and values at given indices."""

from __future__ import annotations

import math
from collections.abc import Sequence

import wengert_core as wc
from wengert_core.extend import Tensor, is_strided

from wengert_sparse.components import coo_of
from wengert_sparse.coo import fast_paths
from wengert_sparse.coo.indices import coalesce, find, indices_at, positions
from wengert_sparse.invariants import check_indices
from wengert_sparse.parts import Coo


def dense_rows(shape: Sequence[int], sparse_dim: int) -> tuple[int, ...]:
    """The shape of a strided tensor with its sparse dims as one."""
    return (math.prod(shape[:sparse_dim]), *shape[sparse_dim:])


def to_dense(self: Tensor) -> Tensor:
    """A strided tensor with the values at their indices, those of one index added, and zeros elsewhere."""
    by_loops: Tensor | None = fast_paths.to_dense(self)
    if by_loops is not None:
        return by_loops
    parts, shape = coo_of(self), self.shape
    indices, values, coalesced = parts
    check_indices(indices, shape)
    flat = positions(indices, shape[: indices.shape[0]])
    rows = dense_rows(shape, indices.shape[0])
    if values.dtype is wc.bool:
        parts = coalesce(parts, shape)
        flat, values, coalesced = positions(parts.indices, shape[: indices.shape[0]]), parts.values, True
    result = wc.zeros(rows, dtype=values.dtype, device=values.device)
    if coalesced:
        result.index_copy_(0, flat, values)
    else:
        result.index_add_(0, flat, values)
    return result.view(tuple(shape))


def from_dense(tensor: Tensor, sparse_dim: int) -> Coo:
    """The components of a strided tensor: of its first ``sparse_dim`` dims the positions where not all is zero."""
    shape = tuple(tensor.shape)
    rows = tensor.reshape(dense_rows(shape, sparse_dim))
    used = rows != 0
    if used.dim() > 1:
        used = used.reshape(rows.shape[0], -1).any(1) if rows.numel() else wc.zeros(rows.shape[0], dtype=wc.bool)
    flat = used.nonzero().squeeze(1)
    if sparse_dim == 0:
        flat = wc.zeros(1, dtype=wc.int64, device=tensor.device)
    return Coo(indices_at(flat, shape[:sparse_dim]), rows.index_select(0, flat), True)


def with_sparse_dim(parts: Coo, shape: Sequence[int], sparse_dim: int) -> Coo:
    """The same elements with another number of sparse dims. More: all elements of a dense dim are specified; fewer:
    those of a row
    are put together, with zeros where there are none.
    """
    indices, values, coalesced = parts
    present = indices.shape[0]
    if sparse_dim == present:
        return parts
    if sparse_dim > present:
        inner = tuple(shape[present:sparse_dim])
        grid = wc.ones(inner, dtype=wc.bool, device=values.device).nonzero().t()
        repeated = indices.repeat_interleave(grid.shape[1], 1)
        flat = values.reshape(-1, *shape[sparse_dim:])
        return Coo(wc.cat([repeated, grid.repeat(1, values.shape[0])]), flat, coalesced)
    inner = tuple(shape[sparse_dim:present])
    outer = positions(indices[:sparse_dim], shape[:sparse_dim])
    used, place = wc.unique(outer, return_inverse=True)
    size = math.prod(inner)
    whole = wc.zeros((used.shape[0] * size, *shape[present:]), dtype=values.dtype, device=values.device)
    whole.index_add_(0, place * size + positions(indices[sparse_dim:], inner), values)
    return Coo(indices_at(used, shape[:sparse_dim]), whole.reshape(used.shape[0], *shape[sparse_dim:]), True)


def values_at(tensor: Tensor, indices: Tensor) -> Tensor:
    """The values (N, ...) of a sparse or strided tensor at indices (S, N); zeros where a sparse one has none."""
    if is_strided(tensor):
        by_loops: Tensor | None = fast_paths.values_at(tensor, indices)
        if by_loops is not None:
            return by_loops
    sizes = tuple(tensor.shape[: indices.shape[0]])
    wanted = positions(indices, sizes)
    if is_strided(tensor):
        return tensor.reshape(dense_rows(tensor.shape, indices.shape[0])).index_select(0, wanted)
    parts = coalesce(with_sparse_dim(coo_of(tensor), tensor.shape, indices.shape[0]), tensor.shape)
    if parts.indices is indices:
        return parts.values
    place, there = find(positions(parts.indices, sizes), wanted)
    if parts.values.shape[0] == 0:
        return wc.zeros((wanted.shape[0], *parts.values.shape[1:]), dtype=tensor.dtype, device=tensor.device)
    found = parts.values.index_select(0, place)
    return found.masked_fill_(~there.reshape(-1, *[1] * (found.dim() - 1)), 0)
