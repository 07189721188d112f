"""Tests for compressed tensors, and the layouts that a transpose exchanges."""

from __future__ import annotations

from typing import Any

from wengert_core.extend import Tensor, components_of, is_strided

from wengert_sparse.components import make_compressed, parts_of_compressed
from wengert_sparse.compressed.geometry import geometry_of
from wengert_sparse.layouts import SPARSE_BSC, SPARSE_BSR, SPARSE_CSC, SPARSE_CSR
from wengert_sparse.parts import CompressedParts

TRANSPOSED = {SPARSE_CSR: SPARSE_CSC, SPARSE_CSC: SPARSE_CSR, SPARSE_BSR: SPARSE_BSC, SPARSE_BSC: SPARSE_BSR}


def is_compressed(value: Any) -> bool:
    """Whether something is a tensor of a compressed layout."""
    return isinstance(value, Tensor) and not is_strided(value) and type(components_of(value)) is CompressedParts


def transpose_matrices(self: Tensor) -> Tensor:
    """The tensor with rows and columns exchanged: the same components in the other layout."""
    geometry, parts = geometry_of(self), parts_of_compressed(self)
    n_batch = len(geometry.batch)
    values = parts.values.transpose(n_batch + 1, n_batch + 2) if geometry.block else parts.values
    size = (*geometry.batch, geometry.columns, geometry.rows, *geometry.dense)
    return make_compressed(TRANSPOSED[self.layout], parts.compressed, parts.plain, values, size)
