"""Products of compressed matrices, on their components: SciPy's routines on the CPU, wengert's operations elsewhere."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.extend import CPP_NAMES, Tensor, is_strided

from wengert_sparse.components import from_parts, is_coo, parts_of_compressed
from wengert_sparse.compressed.convert import convert_layout, to_coo
from wengert_sparse.compressed.entries import entries_of
from wengert_sparse.compressed.geometry import geometry_of
from wengert_sparse.compressed.kinds import is_compressed, transpose_matrices
from wengert_sparse.coo import products as coo
from wengert_sparse.layouts import BLOCKS, SPARSE_BSR, SPARSE_CSC, SPARSE_CSR
from wengert_sparse.libraries import matrix, require_sparse_module, sparse_module
from wengert_sparse.messages import size_text
from wengert_sparse.parts import CompressedParts
from wengert_sparse.table import TABLE

FEW = 1 << 12
"""Products of numbers up to which making one of SciPy's arrays takes longer than multiplying."""
CHUNK = 1 << 22
"""The most numbers that products of blocks have in memory at once."""
HALVES = (wc.float16, wc.bfloat16)
"""The dtypes that SciPy's routines do not have."""


def columns_times_dense(xp: Any, column: Any, row: Any, values: Any, dense: Any, rows: int) -> Any:
    """The product of a matrix in compressed columns and a dense one."""
    module = sparse_module(values, dense)
    if module is not None:
        return matrix(module, "csc", (values, row, column), (rows, dense.shape[0])) @ dense
    place = xp.repeat(xp.arange(column.shape[0] - 1), xp.diff(column))
    return coo.add_products(xp, rows, row, place, values, dense)


def rows_times_rows(xp: Any, a: Any, a_column: Any, a_values: Any, b: Any, b_column: Any, b_values: Any, n: int) -> Any:
    """The product of two matrices in compressed rows, the second of n columns: its components."""
    module = require_sparse_module("the product of two sparse matrices", a_values, b_values)
    inner = b.shape[0] - 1
    first = matrix(module, "csr", (a_values, a_column, a), (a.shape[0] - 1, inner))
    found = first @ matrix(module, "csr", (b_values, b_column, b), (inner, n))
    found.sort_indices()
    return found.indptr.astype(a.dtype), found.indices.astype(a.dtype), found.data


def block_rows_times_dense(xp: Any, crow: Any, column: Any, values: Any, dense: Any) -> Any:
    """The product of a matrix of blocks in compressed rows and a dense one."""
    size = ((crow.shape[0] - 1) * values.shape[1], dense.shape[0])
    module = require_sparse_module("the product of a matrix of blocks", values, dense)
    return matrix(module, "bsr", (values, column, crow), size) @ dense


block_rows_times_dense_row = TABLE.array(
    "_bsr_times_dense(Tensor crow, Tensor column, Tensor values, Tensor dense) -> Tensor",
    results=("array",),
    reference=block_rows_times_dense,
    method=False,
    no_record=True,
    doc="The product of a matrix of blocks in compressed rows and a dense one, on the CPU.",
)
columns_times_dense_row = TABLE.array(
    "_csc_times_dense(Tensor column, Tensor row, Tensor values, Tensor dense, int rows) -> Tensor",
    results=("array",),
    reference=columns_times_dense,
    method=False,
    no_record=True,
    doc="The product of a matrix in compressed columns and a dense one.",
)
rows_times_rows_row = TABLE.array(
    "_csr_times_csr(Tensor a, Tensor a_column, Tensor a_values, Tensor b, Tensor b_column, Tensor b_values, int n) -> "
    "(Tensor compressed, Tensor plain, Tensor values)",
    results=("array", "array", "array"),
    reference=rows_times_rows,
    method=False,
    no_record=True,
    doc="The product of two matrices in compressed rows.",
)


def mm(self: Tensor, mat2: Tensor) -> Any:
    """The product of two matrices, at least one compressed; sparse where both are."""
    check_shapes(self, mat2)
    coo.check_product("addmm", self, mat2)
    if is_strided(mat2):
        return times_dense(self, mat2)
    if is_strided(self):
        return times_dense(transpose_matrices(mat2), self.t()).t().contiguous()
    return times_sparse(self, mat2)


def check_shapes(self: Tensor, mat2: Tensor) -> None:
    """RuntimeError for matrices that have no product, and for tensors with dense dims or batches."""
    for tensor in (self, mat2):
        if is_compressed(tensor) and tensor.dim() == 2 + len(geometry_of(tensor).dense) > 2:
            raise RuntimeError(
                f"mm: 2-D matrices expected, got a tensor of size {size_text(tensor.shape)} with dense dims"
            )
    if self.dim() != 2 or mat2.dim() != 2 or self.shape[1] != mat2.shape[0]:
        sizes = ["x".join(str(n) for n in tensor.shape) for tensor in (self, mat2)]
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({sizes[0]} and {sizes[1]}) (see docs/errors/shape-mismatch)"
        )


def times_dense(matrix: Tensor, dense: Tensor) -> Tensor:
    """The product of a compressed matrix and a strided one."""
    parts = parts_of_compressed(matrix)
    if matrix.layout in BLOCKS:
        few = parts.values.numel() * dense.shape[1] <= FEW or matrix.dtype in HALVES
        if few or matrix.layout is not SPARSE_BSR or matrix.device.type != "cpu":
            return blocks_times_dense(matrix, dense)
        found: Tensor = block_rows_times_dense_row(*parts, dense)
        return found
    if matrix.dtype in HALVES:
        return elements_times_dense(matrix, dense)
    if matrix.layout is SPARSE_CSR:
        return coo.multiply_rows(*parts, dense)
    if len(parts.values) * dense.shape[1] > FEW:
        by_library: Tensor = columns_times_dense_row(*parts, dense, matrix.shape[0])
        return by_library
    _, row, column, values, _ = entries_of(matrix)
    return coo.multiply_dense(wc.stack([row, column]), values, dense, matrix.shape[0])


def elements_times_dense(matrix: Tensor, dense: Tensor) -> Tensor:
    """The product of a matrix without blocks and a strided one, by wengert's operations."""
    _, row, column, values, _ = entries_of(matrix)
    found = wc.zeros((matrix.shape[0], dense.shape[1]), dtype=dense.dtype, device=dense.device)
    step = max(CHUNK // max(dense.shape[1], 1), 1)
    for begin in range(0, len(values), step):
        some = slice(begin, begin + step)
        found.index_add_(0, row[some], dense.index_select(0, column[some]) * values[some].unsqueeze(1))
    return found


def blocks_times_dense(matrix: Tensor, dense: Tensor) -> Tensor:
    """The product of a matrix of blocks and a strided one: of each block and the rows of its columns."""
    _, row, column, values, geometry = entries_of(matrix)
    (rows, columns), (height, width) = geometry.blocks, geometry.block or (1, 1)
    narrow = dense.reshape(columns, width, dense.shape[1])
    found = wc.zeros((rows, height, dense.shape[1]), dtype=dense.dtype, device=dense.device)
    step = max(CHUNK // max(max(height, width) * dense.shape[1], 1), 1)
    for begin in range(0, len(values), step):
        some = slice(begin, begin + step)
        found.index_add_(0, row[some], wc.bmm(values[some], narrow.index_select(0, column[some])))
    return found.reshape(matrix.shape[0], dense.shape[1])


def times_sparse(self: Tensor, mat2: Tensor) -> Any:
    """The product of two sparse matrices: of layout ``sparse_csr`` where both are compressed without blocks, as in
    PyTorch; else it has the layout of the first compressed one.
    """
    if self.layout in (SPARSE_CSR, SPARSE_CSC) and mat2.layout in (SPARSE_CSR, SPARSE_CSC):
        a, b = (parts_of_compressed(convert_layout(each, SPARSE_CSR, None, None)) for each in (self, mat2))
        if a.plain.dtype is not b.plain.dtype:
            a, b = (parts._replace(compressed=parts.compressed.long(), plain=parts.plain.long()) for parts in (a, b))
        found = rows_times_rows_row(*a, *b, mat2.shape[1])
        return from_parts(SPARSE_CSR, CompressedParts(*found), (self.shape[0], mat2.shape[1]))
    product = coo.mm(*(each if is_coo(each) else to_coo(each) for each in (self, mat2)))
    first = self if is_compressed(self) else mat2
    block = None
    if first.layout in BLOCKS:
        heights, widths = (geometry_of(each).block if is_compressed(each) else None for each in (self, mat2))
        block = ((heights or (1, 1))[0], (widths or (1, 1))[1])
    return convert_layout(product, first.layout, block, None)


def addmm(self: Tensor, mat1: Tensor, mat2: Tensor, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * self + alpha * mat1 @ mat2."""
    if is_strided(mat1) and is_strided(mat2):
        words = [each.layout._words for each in (self, mat1, mat2)]
        raise RuntimeError(f"addmm: computation on CPU is not implemented for {words[0]} + {words[1]} @ {words[2]}")
    if self.dtype is not mat1.dtype:
        raise RuntimeError(
            f"expected scalar type {CPP_NAMES[self.dtype.name]} but found {CPP_NAMES[mat1.dtype.name]}: addmm got "
            f"{self.dtype} and a product of {mat1.dtype}"
        )
    return coo.add_product(self, mm(mat1, mat2), beta, alpha)


def mv(self: Tensor, vec: Tensor) -> Any:
    """The product of a compressed matrix and a strided vector."""
    if not is_compressed(self) or not is_strided(vec):
        return NotImplemented
    if self.dim() != 2 or vec.dim() != 1 or self.shape[1] != vec.shape[0]:
        raise RuntimeError(
            f"size mismatch, got input ({self.shape[0]}), mat ({'x'.join(str(n) for n in self.shape)}), vec "
            f"({'x'.join(str(n) for n in vec.shape)}): mv expects a matrix and a vector of as many elements as it has "
            "columns"
        )
    return mm(self, vec.unsqueeze(1)).squeeze(1)
