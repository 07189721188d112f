"""Compressed tensors along a dim: cat and stack. As in structure.py the values move by recorded operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_sparse.components import parts_of_compressed
from wengert_sparse.compressed.entries import Entries, add_duplicates
from wengert_sparse.compressed.geometry import Geometry, geometry_of
from wengert_sparse.compressed.kinds import is_compressed
from wengert_sparse.compressed.structure import (
    block_of,
    build,
    in_layout_of,
    recorded_entries,
    values_dim,
    with_extent,
    with_size,
)
from wengert_sparse.coo.shape import wrap_dim
from wengert_sparse.messages import size_text
from wengert_sparse.ops.compressed import row as compressed_row
from wengert_sparse.ops.convert import to_sparse
from wengert_sparse.ops.members import values as values_of


def as_one_layout(name: str, tensors: Sequence[Tensor]) -> list[Tensor]:
    """The tensors in the layout and the dtype that their result has. RuntimeError where a strided one is among them."""
    first = next(tensor for tensor in tensors if is_compressed(tensor))
    dtype = tensors[0].dtype
    for place, tensor in enumerate(tensors):
        if tensor.layout is wc.strided:
            raise RuntimeError(
                f"{name}: Concatenating sparse tensors, but a dense tensor was found at position {place}."
            )
        if tensor.dim() != first.dim():
            raise RuntimeError(
                f"{name}: Tensors must have same number of dimensions: got {first.dim()} and {tensor.dim()} at "
                f"position {place}"
            )
        dtype = wc.promote_types(dtype, tensor.dtype)
    every = [in_layout_of(tensor, first).to(dtype) for tensor in tensors]
    for place, tensor in enumerate(every):
        if len(geometry_of(tensor).batch) != len(geometry_of(first).batch):
            raise RuntimeError(
                f"{name}: expected tensors with {len(geometry_of(first).batch)} batch dims, as the first compressed "
                f"one has, got {len(geometry_of(tensor).batch)} at position {place}"
            )
    return every


def check_counts(name: str, tensors: Sequence[Tensor]) -> None:
    """RuntimeError for matrices with different numbers of elements, which make no batch."""
    counts = [parts_of_compressed(tensor).plain.shape[-1] for tensor in tensors]
    if len(set(counts)) > 1:
        raise RuntimeError(
            f"{name}: Expect the same number of specified elements per batch, got {', '.join(map(str, counts[:8]))}"
        )


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Any:
    """Tensors one after the other along a dim, in the layout of the first compressed one."""
    if not any_compressed(tensors):
        return NotImplemented
    every = as_one_layout("cat", tensors)
    first = every[0]
    dim = wrap_dim(dim, first.dim())
    for place, tensor in enumerate(every):
        for d in range(first.dim()):
            if d != dim and tensor.shape[d] != first.shape[d]:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected in dimension {d} size "
                    f"{first.shape[d]}, but got {tensor.shape[d]} for tensor at position {place}."
                )
    n_batch = len(geometry_of(first).batch)
    begins = list(accumulate((tensor.shape[dim] for tensor in every), initial=0))
    size = with_size(first, dim, begins[-1])
    if dim < n_batch:
        check_counts("cat", every)
        return join_components(every, lambda parts: wc.cat(parts, dim), size)
    if dim < n_batch + 2:
        return build(join_matrices(every, dim == n_batch, begins), first)
    return build(join_dense(every, values_dim(first, dim) - n_batch, begins, size), first)


def any_compressed(tensors: Sequence[Any]) -> bool:
    """Whether one of some tensors is compressed."""
    return any(is_compressed(tensor) for tensor in tensors)


def join_components(tensors: Sequence[Tensor], join: Callable[[list[Tensor]], Tensor], size: Sequence[int]) -> Tensor:
    """A tensor of which each component is that of several tensors together. Differentiable."""
    every = [parts_of_compressed(tensor) for tensor in tensors]
    found: Tensor = compressed_row(
        join([parts.compressed for parts in every]),
        join([parts.plain for parts in every]),
        join([values_of(tensor) for tensor in tensors]),
        tuple(size),
        tensors[0].layout,
    )
    return found


def join_matrices(tensors: Sequence[Tensor], along_rows: bool, begins: Sequence[int]) -> Entries:
    """The entries of matrices below, or beside, each other."""
    every = [recorded_entries(tensor) for tensor in tensors]
    geometry = every[0].geometry
    height, width = geometry.block or (1, 1)
    moved = [
        each._replace(row=each.row + begin // height)
        if along_rows
        else each._replace(column=each.column + begin // width)
        for each, begin in zip(every, begins, strict=False)
    ]
    return join_entries(moved, with_extent(geometry, along_rows, begins[-1]))


def join_entries(every: Sequence[Entries], geometry: Geometry) -> Entries:
    """The entries of several tensors, in a tensor of another geometry."""
    batch, row, column, values = (wc.cat(pieces) for pieces in zip(*(each[:4] for each in every), strict=True))
    return Entries(batch, row, column, values, geometry)


def join_dense(tensors: Sequence[Tensor], dim: int, begins: Sequence[int], size: Sequence[int]) -> Entries:
    """The entries of tensors one after the other along a dense dim, ``dim`` of an entry's values: zeros where a tensor
    has none.
    """
    every, wide = [recorded_entries(tensor) for tensor in tensors], []
    for each, begin, end in zip(every, begins, begins[1:], strict=False):
        before, after = list(each.values.shape), list(each.values.shape)
        before[dim], after[dim] = begin, begins[-1] - end
        wide.append(
            each._replace(
                values=wc.cat([each.values.new_zeros(before), each.values, each.values.new_zeros(after)], dim)
            )
        )
    geometry = every[0].geometry
    return add_duplicates(join_entries(wide, geometry._replace(dense=tuple(size[len(geometry.batch) + 2 :]))))


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Any:
    """Tensors along a new dim: a batch dim, or a sparse or dense one as ``sparse_coo`` has them."""
    if not any_compressed(tensors):
        return NotImplemented
    every = as_one_layout("stack", tensors)
    first = every[0]
    dim = wrap_dim(dim, first.dim() + 1)
    for place, tensor in enumerate(every):
        if tensor.shape != first.shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {size_text(first.shape)} at entry 0 and "
                f"{size_text(tensor.shape)} at entry {place}"
            )
    if dim <= len(geometry_of(first).batch):
        check_counts("stack", every)
        size = (*first.shape[:dim], len(every), *first.shape[dim:])
        return join_components(every, lambda parts: wc.stack(parts, dim), size)
    whole = wc.stack([to_sparse(tensor) for tensor in every], dim)
    return to_sparse(whole, layout=first.layout, blocksize=block_of(first))
