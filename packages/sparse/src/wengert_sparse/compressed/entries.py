"""A compressed tensor as a list of its entries, elements or blocks: the way from any layout to any other."""

from __future__ import annotations

from typing import Any, NamedTuple

import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_sparse.components import make_compressed, parts_of_compressed
from wengert_sparse.compressed.geometry import Geometry, geometry_of
from wengert_sparse.layouts import BLOCKS, ROWS


class Entries(NamedTuple):
    """N entries of B matrices."""

    batch: Tensor  # (N,), from 0 to B - 1
    row: Tensor  # (N,), of blocks where there are any
    column: Tensor  # (N,)
    values: Tensor  # (N, *block, *dense)
    geometry: Geometry


def entries_of(tensor: Tensor) -> Entries:
    """The entries of a compressed tensor, sorted as its layout has them."""
    parts, geometry = parts_of_compressed(tensor), geometry_of(tensor)
    count, batches = parts.plain.shape[-1], geometry.batches
    lines = parts.compressed.shape[-1] - 1
    counts = parts.compressed.diff().reshape(-1)
    line = wc.repeat_interleave(counts) % max(lines, 1)
    batch = wc.repeat_interleave(wc.full((batches,), count, dtype=wc.int64, device=tensor.device))
    plain = parts.plain.reshape(-1).to(wc.int64)
    row, column = (line, plain) if tensor.layout in ROWS else (plain, line)
    values = parts.values.reshape(batches * count, *parts.values.shape[len(geometry.batch) + 1 :])
    return Entries(batch, row, column, values, geometry)


def compress(entries: Entries, kind: Any, index_dtype: Any = wc.int64, ordered: bool = False) -> Tensor:
    """A tensor of a compressed layout with entries, each position once. ordered: they are sorted as it needs them.

    RuntimeError for batches with different numbers of entries.
    """
    batch, row, column, values, geometry = entries
    lines, others = geometry.blocks if kind in ROWS else geometry.blocks[::-1]
    line, plain = (row, column) if kind in ROWS else (column, row)
    place = batch * lines + line
    if not ordered:
        order = wc.argsort(place * others + plain, stable=True)
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
    return make_compressed(
        kind,
        compressed.reshape(*geometry.batch, lines + 1).to(index_dtype),
        plain.reshape(*geometry.batch, count).to(index_dtype),
        values.reshape(*geometry.batch, count, *values.shape[1:]),
        geometry.shape,
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


def put_in_blocks(entries: Entries, block: tuple[int, int]) -> Entries:
    """Elements in blocks: those blocks that have one, with zeros where they have none."""
    geometry = entries.geometry._replace(block=block)
    (height, width), (rows, columns) = block, geometry.blocks
    key = (entries.batch * rows + entries.row // height) * columns + entries.column // width
    used, place = wc.unique(key, return_inverse=True)
    values = wc.zeros(
        (used.shape[0] * height * width, *entries.values.shape[1:]),
        dtype=entries.values.dtype,
        device=entries.values.device,
    )
    values.index_copy_(0, (place * height + entries.row % height) * width + entries.column % width, entries.values)
    return Entries(
        used // max(rows * columns, 1),
        used // max(columns, 1) % max(rows, 1),
        used % max(columns, 1),
        values.reshape(used.shape[0], height, width, *entries.values.shape[1:]),
        geometry,
    )


def convert_entries(entries: Entries, kind: Any, block: tuple[int, int] | None, index_dtype: Any = wc.int64) -> Tensor:
    """A tensor of any compressed layout with these entries."""
    wanted = block if kind in BLOCKS else None
    if entries.geometry.block != wanted:
        entries = elements(entries)
        if wanted is not None:
            entries = put_in_blocks(entries, wanted)
    return compress(entries, kind, index_dtype)
