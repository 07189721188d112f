"""A compressed tensor as a list of its entries, elements or blocks: the way from any layout to any other."""

from __future__ import annotations

from typing import Any, NamedTuple

import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_sparse.components import from_parts, parts_of_compressed
from wengert_sparse.compressed.geometry import Geometry, geometry_of
from wengert_sparse.coo.indices import indices_at, positions
from wengert_sparse.layouts import BLOCKS, ROWS
from wengert_sparse.parts import CompressedParts


class Entries(NamedTuple):
    """N entries of B matrices."""

    batch: Tensor  # (N,), from 0 to B - 1
    row: Tensor  # (N,), of blocks where there are any
    column: Tensor  # (N,)
    values: Tensor  # (N, *block, *dense)
    geometry: Geometry


def entries_of(tensor: Tensor, values: Tensor | None = None) -> Entries:
    """The entries of a compressed tensor, in the order that its components have.

    values: in place of those that the tensor has, as a recorded copy of them.
    """
    parts, geometry = parts_of_compressed(tensor), geometry_of(tensor)
    count, batches = parts.plain.shape[-1], geometry.batches
    lines = parts.compressed.shape[-1] - 1
    counts = parts.compressed.diff().reshape(-1)
    line = wc.repeat_interleave(counts) % max(lines, 1)
    batch = wc.repeat_interleave(wc.full((batches,), count, dtype=wc.int64, device=tensor.device))
    plain = parts.plain.reshape(-1).to(wc.int64)
    row, column = (line, plain) if tensor.layout in ROWS else (plain, line)
    values = parts.values if values is None else values
    return Entries(
        batch, row, column, values.reshape(batches * count, *values.shape[len(geometry.batch) + 1 :]), geometry
    )


def compress(entries: Entries, kind: Any, index_dtype: Any = wc.int64) -> Tensor:
    """A tensor of a compressed layout with entries, each position once."""
    return from_parts(kind, compress_parts(entries, kind, index_dtype), entries.geometry.shape)


def compress_parts(entries: Entries, kind: Any, index_dtype: Any = wc.int64) -> CompressedParts:
    """The components of a compressed tensor with entries, each position once.

    RuntimeError for batches with different numbers of entries.
    """
    batch, row, column, values, geometry = entries
    lines = geometry.blocks[0 if kind in ROWS else 1]
    line, plain = (row, column) if kind in ROWS else (column, row)
    place = batch * lines + line
    after = (place[1:] > place[:-1]) | ((place[1:] == place[:-1]) & (plain[1:] > plain[:-1]))
    if not after.all().item():
        order = wc.argsort(plain, stable=True)  # by two keys, whose product may be more than 2**63
        order = order.index_select(0, wc.argsort(place.index_select(0, order), stable=True))
        place, plain, values = place.index_select(0, order), plain.index_select(0, order), values.index_select(0, order)
    counts = wc.bincount(place, minlength=geometry.batches * lines).reshape(geometry.batches, lines)
    each = counts.sum(1)
    count = int(each[0].item()) if geometry.batches else 0
    if geometry.batches > 1 and not (each == count).all().item():
        raise RuntimeError(
            "Expect the same number of specified elements per batch, got "
            f"{', '.join(str(n) for n in each.tolist()[:8])}"
        )
    ends = counts.cumsum(1)
    compressed = wc.cat([wc.zeros((geometry.batches, 1), dtype=wc.int64, device=values.device), ends], 1)
    return CompressedParts(
        compressed.reshape(*geometry.batch, lines + 1).to(index_dtype),
        plain.reshape(*geometry.batch, count).to(index_dtype),
        values.reshape(*geometry.batch, count, *values.shape[1:]),
    )


def elements(entries: Entries) -> Entries:
    """The entries of a block layout one by one, zeros in the blocks included."""
    if entries.geometry.block is None:
        return entries
    height, width = entries.geometry.block
    count, device = entries.row.shape[0], entries.values.device
    size = (count, height, width)
    row = (entries.row * height).reshape(-1, 1, 1) + wc.arange(height, device=device).reshape(1, -1, 1)
    column = (entries.column * width).reshape(-1, 1, 1) + wc.arange(width, device=device).reshape(1, 1, -1)
    values = entries.values.reshape(count * height * width, *entries.values.shape[3:])
    return Entries(
        entries.batch.reshape(-1, 1, 1).expand(size).reshape(-1),
        row.expand(size).reshape(-1),
        column.expand(size).reshape(-1),
        values,
        entries.geometry._replace(block=None),
    )


def split_blocks(entries: Entries, along_rows: bool) -> Entries:
    """The entries of a block layout in blocks of one row, or of one column."""
    geometry = entries.geometry
    if geometry.block is None or geometry.block[0 if along_rows else 1] == 1:
        return entries
    height, width = geometry.block
    size = height if along_rows else width
    values = entries.values if along_rows else entries.values.transpose(1, 2)
    values = values.reshape(-1, 1, width if along_rows else height, *geometry.dense)
    inner = wc.arange(size, device=entries.row.device)
    batch, row, column = (each.repeat_interleave(size) for each in entries[:3])
    within = inner.repeat(entries.row.shape[0])
    if along_rows:
        return Entries(batch, row * size + within, column, values, geometry._replace(block=(1, width)))
    return Entries(batch, row, column * size + within, values.transpose(1, 2), geometry._replace(block=(height, 1)))


def add_duplicates(entries: Entries) -> Entries:
    """The entries with each position once, sorted by rows: those of one position are added."""
    batch, row, column, place = find_positions(entries.batch, entries.row, entries.column, entries.geometry)
    zeros = entries.values.new_zeros((len(batch), *entries.values.shape[1:]))
    return Entries(batch, row, column, zeros.index_add(0, place, entries.values), entries.geometry)


def find_positions(batch: Tensor, row: Tensor, column: Tensor, geometry: Geometry) -> tuple[Tensor, ...]:
    """The different positions among some, sorted by rows: (batch, row, column), and which one each of them is."""
    sizes = (geometry.batches, *geometry.blocks)
    used, place = wc.unique(positions(wc.stack([batch, row, column]), sizes), return_inverse=True)
    return *indices_at(used, sizes), place


def put_in_blocks(entries: Entries, block: tuple[int, int]) -> Entries:
    """Elements in blocks: those blocks that have one, with zeros where they have none."""
    geometry = entries.geometry._replace(block=block)
    height, width = block
    batch, row, column, place = find_positions(entries.batch, entries.row // height, entries.column // width, geometry)
    count = len(batch)
    values = wc.zeros(
        (count * height * width, *entries.values.shape[1:]), dtype=entries.values.dtype, device=entries.values.device
    )
    values.index_copy_(0, (place * height + entries.row % height) * width + entries.column % width, entries.values)
    return Entries(batch, row, column, values.reshape(count, height, width, *entries.values.shape[1:]), geometry)


def convert_entries(entries: Entries, kind: Any, block: tuple[int, int] | None, index_dtype: Any = wc.int64) -> Tensor:
    """A tensor of any compressed layout with these entries."""
    wanted = block if kind in BLOCKS else None
    if entries.geometry.block != wanted:
        entries = elements(entries)
        if wanted is not None:
            entries = put_in_blocks(entries, wanted)
    return compress(entries, kind, index_dtype)
