"""Tensors of one layout as tensors of another."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor, is_strided

from wengert_sparse.components import coo_of, is_coo, make_coo, parts_of_compressed
from wengert_sparse.compressed.entries import Entries, convert_entries, elements, entries_of
from wengert_sparse.compressed.geometry import Geometry
from wengert_sparse.coo.indices import coalesce, indices_at, positions
from wengert_sparse.layouts import BLOCKS, ROWS, SPARSE_COO
from wengert_sparse.messages import size_text


def to_coo(tensor: Tensor) -> Tensor:
    """A compressed tensor as one of layout ``sparse_coo``, batches and rows and columns sparse dims."""
    entries = elements(entries_of(tensor))
    geometry = entries.geometry
    batch = indices_at(entries.batch, geometry.batch)
    indices = wc.cat([batch, wc.stack([entries.row, entries.column])])
    ordered = tensor.layout in ROWS and tensor.layout not in BLOCKS
    parts = coo_of(make_coo(indices, entries.values, geometry.shape, ordered))
    parts = coalesce(parts, geometry.shape)
    return make_coo(parts.indices, parts.values, geometry.shape, True)


def coo_entries(tensor: Tensor, n_batch: int) -> Entries:
    """The entries of a tensor of layout ``sparse_coo``, whose sparse dims are batches, rows and columns."""
    parts = coalesce(coo_of(tensor), tensor.shape)
    shape = tuple(tensor.shape)
    geometry = Geometry(shape[:n_batch], shape[n_batch], shape[n_batch + 1], None, shape[n_batch + 2 :])
    batch = positions(parts.indices[:n_batch], shape[:n_batch])
    return Entries(batch, parts.indices[n_batch], parts.indices[n_batch + 1], parts.values, geometry)


def check_blocks(tensor: Tensor, kind: Any, block: Any, rows: int, columns: int) -> tuple[int, int] | None:
    """The block size, as two ints; None for a layout of elements. RuntimeError for one that does not divide the
    sizes.
    """
    name = kind._name.removeprefix("sparse_")
    if kind not in BLOCKS:
        if block is not None:
            raise RuntimeError(
                f"to_sparse for {tensor.layout._words} to {kind._words} conversion does not use specified blocksize"
            )
        return None
    if block is None:
        raise RuntimeError(
            f"to_sparse_{name}: conversion from {tensor.layout._words} to {kind._words} without blocksize argument "
            "given is not supported"
        )
    block = (block, block) if isinstance(block, int) else tuple(int(n) for n in block)
    if len(block) != 2:
        raise RuntimeError(f"blocksize needs to be a tuple of size 2, but got {len(block)}")
    if min(block) <= 0:
        raise RuntimeError(f"blocksize needs to be positive, but got {size_text(block)}")
    if rows % block[0] or columns % block[1]:
        raise RuntimeError(
            f"tensor sparse size ({rows},{columns}) must be divisible by given blocksize ({block[0]},{block[1]})"
        )
    return (block[0], block[1])


def convert_layout(tensor: Tensor, kind: Any, block: Any, dense_dim: int | None) -> Tensor:
    """A tensor of any layout as a sparse one of another. RuntimeError where its dims do not allow that."""
    if kind is SPARSE_COO:
        return to_coo(tensor)
    if is_strided(tensor):
        return from_strided(tensor, kind, block, dense_dim or 0)
    if is_coo(tensor):
        sparse_dim = coo_of(tensor).indices.shape[0]
        if sparse_dim < 2:
            raise RuntimeError(
                f"to_sparse: conversion from Sparse to {kind._words} for input tensors with sparse_dim()!=2 is not "
                f"supported, got {sparse_dim}"
            )
        entries = coo_entries(tensor, sparse_dim - 2)
        index_dtype = wc.int64
    else:
        entries, index_dtype = entries_of(tensor), parts_of_compressed(tensor).plain.dtype
        if block is None and kind in BLOCKS:
            block = entries.geometry.block
    geometry = entries.geometry
    if dense_dim is not None and dense_dim != len(geometry.dense):
        raise RuntimeError(
            f"to_sparse: conversion from {tensor.layout._words} to {kind._words} with dense_dim argument !=0 is not "
            f"supported, got {dense_dim} for a tensor with {len(geometry.dense)} dense dims"
        )
    return convert_entries(
        entries, kind, check_blocks(tensor, kind, block, geometry.rows, geometry.columns), index_dtype
    )


def from_strided(tensor: Tensor, kind: Any, block: Any, dense_dim: int) -> Tensor:
    """A strided tensor as a compressed one: positions where not all is zero."""
    shape = tuple(tensor.shape)
    n_batch = len(shape) - 2 - dense_dim
    if n_batch < 0:
        raise RuntimeError(
            f"to_sparse: expected a tensor with at least 2 dims beside {dense_dim} dense ones for the layout "
            f"{kind!r}, got the size {size_text(shape)}"
        )
    geometry = Geometry(shape[:n_batch], shape[n_batch], shape[n_batch + 1], None, shape[n_batch + 2 :])
    pair = check_blocks(tensor, kind, block, geometry.rows, geometry.columns)
    geometry = geometry._replace(block=pair)
    (rows, columns), (height, width) = geometry.blocks, pair or (1, 1)
    grid = tensor.reshape(geometry.batches, rows, height, columns, width, *geometry.dense).transpose(2, 3)
    tail = geometry.dense if pair is None else (height, width, *geometry.dense)
    flat = grid.reshape(geometry.batches * rows * columns, *tail)
    used = flat != 0
    if used.dim() > 1:
        used = used.reshape(flat.shape[0], -1).any(1) if flat.numel() else wc.zeros(flat.shape[0], dtype=wc.bool)
    place = used.nonzero().squeeze(1)
    entries = Entries(
        place // max(rows * columns, 1),
        place // max(columns, 1) % max(rows, 1),
        place % max(columns, 1),
        flat.index_select(0, place),
        geometry,
    )
    return convert_entries(entries, kind, pair)


def to_dense(tensor: Tensor) -> Tensor:
    """A compressed tensor as a strided one."""
    entries = entries_of(tensor)
    geometry = entries.geometry
    rows, columns = geometry.blocks
    place = (entries.batch * rows + entries.row) * columns + entries.column
    tail = entries.values.shape[1:]
    grid = wc.zeros((geometry.batches * rows * columns, *tail), dtype=tensor.dtype, device=tensor.device)
    grid.index_copy_(0, place, entries.values)
    height, width = geometry.block or (1, 1)
    grid = grid.reshape(geometry.batches, rows, columns, height, width, *geometry.dense).transpose(2, 3)
    return grid.reshape(geometry.shape)
