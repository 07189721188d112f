"""Parts of compressed tensors, and what parts, joins and sums are made with.

Only the indices are computed here. The values move by operations that are recorded, so that these functions serve as
kernels and as functions, and the gradient of a tensor has its layout and its indices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_sparse.components import make_coo, parts_of_compressed
from wengert_sparse.compressed.entries import (
    Entries,
    compress_parts,
    elements,
    entries_of,
    split_blocks,
)
from wengert_sparse.compressed.geometry import Geometry, geometry_of
from wengert_sparse.compressed.kinds import is_compressed
from wengert_sparse.coo.indices import indices_at, positions
from wengert_sparse.coo.shape import wrap_dim
from wengert_sparse.layouts import ROWS
from wengert_sparse.messages import size_text
from wengert_sparse.ops.compressed import layout_row
from wengert_sparse.ops.compressed import row as compressed_row
from wengert_sparse.ops.members import values as values_of


def recorded_entries(tensor: Tensor) -> Entries:
    """The entries of a compressed tensor, its values with their history."""
    return entries_of(tensor, values_of(tensor))


def build(entries: Entries, like: Tensor) -> Tensor:
    """A tensor with entries, each position once, of the layout and the index dtype of another. Differentiable."""
    parts = compress_parts(entries, like.layout, parts_of_compressed(like).plain.dtype)
    found: Tensor = compressed_row(*parts, entries.geometry.shape, like.layout)
    return found


def map_components(tensor: Tensor, function: Callable[[Tensor], Tensor], size: Sequence[int]) -> Tensor:
    """A tensor with each component changed along its batch dims. Differentiable."""
    parts = parts_of_compressed(tensor)
    found: Tensor = compressed_row(
        function(parts.compressed), function(parts.plain), function(values_of(tensor)), tuple(size), tensor.layout
    )
    return found


def map_values(tensor: Tensor, function: Callable[[Tensor], Tensor], size: Sequence[int]) -> Tensor:
    """A tensor with its values changed along their dense dims. Differentiable."""
    parts = parts_of_compressed(tensor)
    found: Tensor = compressed_row(
        parts.compressed, parts.plain, function(values_of(tensor)), tuple(size), tensor.layout
    )
    return found


def with_size(tensor: Tensor, dim: int, size: int) -> tuple[int, ...]:
    """The shape of a tensor, another size at one dim."""
    return (*tensor.shape[:dim], size, *tensor.shape[dim + 1 :])


def values_dim(tensor: Tensor, dim: int) -> int:
    """The dim of the values that is a dense dim of the tensor."""
    return dim - tensor.dim() + parts_of_compressed(tensor).values.dim()


# ---- parts


def cut_entries(entries: Entries, along_rows: bool, begin: int, stop: int, step: int) -> Entries:
    """The entries in a range of rows, or of columns; in blocks of one of them where the range cuts blocks."""
    geometry = entries.geometry
    size = geometry.block[0 if along_rows else 1] if geometry.block else 1
    if size > 1 and (step != 1 or begin % size or stop % size):
        entries, size = split_blocks(entries, along_rows), 1
    along = (entries.row if along_rows else entries.column) - begin // size
    there = (along >= 0) & (along < (stop - begin) // size)
    if step != 1:
        there &= along % step == 0
    chosen = there.nonzero().squeeze(1)
    return choose(entries, along_rows, chosen, along.index_select(0, chosen) // step, len(range(begin, stop, step)))


def choose(entries: Entries, along_rows: bool, chosen: Tensor, moved: Tensor, size: int) -> Entries:
    """Some entries, moved to other rows, or columns, of which the result has a number."""
    batch, row, column, values = (each.index_select(0, chosen) for each in entries[:4])
    geometry = with_extent(entries.geometry, along_rows, size)
    return (
        Entries(batch, moved, column, values, geometry) if along_rows else Entries(batch, row, moved, values, geometry)
    )


def with_extent(geometry: Geometry, along_rows: bool, size: int) -> Geometry:
    """The geometry with another number of rows, or of columns."""
    return geometry._replace(rows=size) if along_rows else geometry._replace(columns=size)


def narrow_lines(tensor: Tensor, begin: int, stop: int) -> Tensor:
    """A range of the compressed dim of a matrix, in units of blocks: a part of its components. Differentiable."""
    parts, geometry = parts_of_compressed(tensor), geometry_of(tensor)
    compressed = parts.compressed[begin : stop + 1]
    first, last = compressed[:1].item(), compressed[-1:].item()
    along_rows = tensor.layout in ROWS
    size = (stop - begin) * (geometry.block[0 if along_rows else 1] if geometry.block else 1)
    values = values_of(tensor)[first:last]
    found: Tensor = compressed_row(
        compressed - first, parts.plain[first:last], values, with_size(tensor, int(not along_rows), size), tensor.layout
    )
    return found


def range_entries(tensor: Tensor, along_rows: bool, begin: int, stop: int, step: int) -> Entries:
    """The entries in a range of rows, or of columns; those of other lines are not read where that is possible."""
    geometry = geometry_of(tensor)
    size = geometry.block[0 if along_rows else 1] if geometry.block else 1
    if not geometry.batch and along_rows is (tensor.layout in ROWS) and begin < stop:
        first = begin // size
        tensor = narrow_lines(tensor, first, -(-stop // size))
        begin, stop = begin - first * size, stop - first * size
    return cut_entries(recorded_entries(tensor), along_rows, begin, max(stop, begin), step)


def slice_(self: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Any:
    """A range of a dim, in the same layout; in blocks of one row, or column, where the range cuts blocks."""
    if not is_compressed(self):
        return NotImplemented
    dim = wrap_dim(dim, self.dim())
    begin, stop, step = slice(start, end, step).indices(self.shape[dim])
    n_batch = len(geometry_of(self).batch)
    if n_batch <= dim < n_batch + 2:
        return build(range_entries(self, dim == n_batch, begin, stop, step), self)
    size = with_size(self, dim, len(range(begin, stop, step)))
    place = dim if dim < n_batch else values_dim(self, dim)
    chosen = (*[slice(None)] * place, slice(begin, max(stop, begin), step))
    change = map_components if dim < n_batch else map_values
    return change(self, lambda each: each[chosen].contiguous(), size)


def select_kernel(self: Tensor, dim: int, index: int) -> Tensor:
    """The slice at one index: of layout ``sparse_coo`` where it is a row or a column, else in the same layout."""
    dim = wrap_dim(dim, self.dim())
    size, geometry = self.shape[dim], geometry_of(self)
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {size_text(self.shape)} at dimension {dim}"
        )
    index %= size
    n_batch = len(geometry.batch)
    shape = (*self.shape[:dim], *self.shape[dim + 1 :])
    if dim < n_batch:
        return map_components(self, lambda each: each.select(dim, index), shape)
    if dim >= n_batch + 2:
        place = values_dim(self, dim)
        return map_values(self, lambda values: values.select(place, index).contiguous(), shape)
    entries = elements(range_entries(self, dim == n_batch, index, index + 1, 1))
    other = entries.column if dim == n_batch else entries.row
    indices = wc.cat([indices_at(entries.batch, geometry.batch), other.unsqueeze(0)])
    flat = positions(indices, shape[: n_batch + 1])
    return make_coo(indices, entries.values, shape, bool((flat[1:] > flat[:-1]).all().item()))


def index_select(self: Tensor, dim: int, index: Tensor) -> Any:
    """The slices at some indices of a dim, in their order; a block layout has them in blocks of one row, or column."""
    if not is_compressed(self):
        return NotImplemented
    dim = wrap_dim(dim, self.dim())
    index = check_index(self, dim, index)
    n_batch, count = len(geometry_of(self).batch), index.shape[0]
    if dim < n_batch:
        return map_components(self, lambda each: each.index_select(dim, index), with_size(self, dim, count))
    if dim >= n_batch + 2:
        place = values_dim(self, dim)
        return map_values(self, lambda values: values.index_select(place, index), with_size(self, dim, count))
    along_rows = dim == n_batch
    entries = split_blocks(recorded_entries(self), along_rows)
    chosen, target = match(entries.row if along_rows else entries.column, index)
    return build(choose(entries, along_rows, chosen, target, count), self)


def check_index(self: Tensor, dim: int, index: Tensor) -> Tensor:
    """The indices, counted from the front. IndexError for those that are no integers, or out of range."""
    if index.dim() > 1 or index.dtype not in (wc.int64, wc.int32):
        raise IndexError(f"index_select() expected index to be 1-D of dtype Long, got {index.dim()}-D of {index.dtype}")
    index, size = index.reshape(-1).to(wc.int64), self.shape[dim]
    wrong = index[(index < -size) | (index >= size)]
    if wrong.numel():
        raise IndexError(
            f"index_select(): index contains {wrong[0].item()} that is out of range for tensor of size "
            f"{size_text(self.shape)} at dimension {dim}"
        )
    return wc.where(index < 0, index + size, index)


def match(position: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
    """For each of some wanted positions (M,) all the entries (N,) that have it: the entries, and which of the wanted
    ones each is for.
    """
    ordered, order = wc.sort(position, stable=True)
    first = wc.searchsorted(ordered, wanted)
    counts = wc.searchsorted(ordered, wanted, right=True) - first
    target = wc.repeat_interleave(counts)
    begins = (first - (counts.cumsum(0) - counts)).index_select(0, target)
    return order.index_select(0, begins + wc.arange(target.shape[0], device=position.device)), target


# ---- another shape


def reshape(self: Tensor, size: Sequence[int], *stride: Any) -> Any:
    """The matrices of a batch below each other, or in another batch: columns and dense dims stay.

    RuntimeError for a shape with other columns, or whose matrices cut blocks.
    """
    if not is_compressed(self):
        return NotImplemented
    geometry, size = geometry_of(self), tuple(size)
    tail = (geometry.columns, *geometry.dense)
    height = geometry.block[0] if geometry.block else 1
    n_batch = len(size) - len(tail) - 1
    if n_batch < 0 or size[n_batch + 1 :] != tail or size[n_batch] % height:
        raise RuntimeError(
            f"reshape: a tensor of layout {self.layout!r} and size {size_text(self.shape)} can have other batch dims "
            f"and rows, {height} at a time; its columns and dense dims stay {size_text(tail)}, got {size_text(size)}"
        )
    entries = recorded_entries(self)
    rows = size[n_batch] // height
    line = entries.batch * geometry.blocks[0] + entries.row
    return build(
        entries._replace(
            batch=line // max(rows, 1),
            row=line % max(rows, 1),
            geometry=geometry._replace(batch=size[:n_batch], rows=size[n_batch]),
        ),
        self,
    )


def view(self: Tensor, size: Any) -> Any:
    """The elements in another shape: as reshape."""
    return NotImplemented if not is_compressed(self) or isinstance(size, wc.dtype) else self.reshape(size)


# ---- another layout


def block_of(tensor: Tensor) -> tuple[int, int] | None:
    """The block size of a compressed tensor; None of one of another layout, or without blocks."""
    return geometry_of(tensor).block if is_compressed(tensor) else None


def in_layout_of(tensor: Tensor, like: Tensor) -> Tensor:
    """A sparse tensor in the layout, and the blocks, of another one. Differentiable."""
    if tensor.layout is like.layout and block_of(tensor) == block_of(like):
        return tensor
    found: Tensor = layout_row(tensor, like.layout, block_of(like))
    return found
