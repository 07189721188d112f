"""Products of matrices: SciPy's routines on the CPU, wengert's operations elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import wengert_core as wc
from wengert_core.extend import CPP_NAMES, Tensor, is_strided

from wengert_sparse.components import coo_of, is_coo, make_coo
from wengert_sparse.coo import fast_paths
from wengert_sparse.coo.indices import coalesce
from wengert_sparse.libraries import matrix, require_sparse_module, sparse_module
from wengert_sparse.loops.products import elements_times_dense, rows_times_dense
from wengert_sparse.messages import size_text
from wengert_sparse.table import TABLE

array = TABLE.array

MANY_ROWS = 8
"""Rows for each element, of 1,000 at least, from which on a product of sparse matrices numbers the used ones alone."""


def add_products(xp: Any, rows: int, row: Any, column: Any, values: Any, dense: Any) -> Any:
    """The sums (rows, K) of each value times a row of ``dense`` (M, K), at the rows and columns of elements (N,)."""
    out = xp.zeros((rows, dense.shape[1]), xp.result_type(values, dense))
    xp.add.at(out, row, values[:, None] * dense[column])
    return out


def times_dense(xp: Any, indices: Any, values: Any, dense: Any, rows: int) -> Any:
    """The product of a sparse matrix (rows, M) and a dense one (M, K)."""
    module = sparse_module(values, dense)
    if module is not None:
        return matrix(module, "coo", (values, (indices[0], indices[1])), (rows, dense.shape[0])).tocsr() @ dense
    return add_products(xp, rows, indices[0], indices[1], values, dense)


def times_sparse(xp: Any, a_indices: Any, a_values: Any, b_indices: Any, b_values: Any, sizes: Any) -> Any:
    """The product of sparse matrices (M, N) and (N, K), sorted by rows: rows, columns, values."""
    module = require_sparse_module("the product of two sparse matrices", a_values, b_values)
    rows, (a_row,), m = renumber(xp, sizes[0], a_indices[0])
    _, (a_column, b_row), n = renumber(xp, sizes[1], a_indices[1], b_indices[0])
    columns, (b_column,), k = renumber(xp, sizes[2], b_indices[1])
    a = matrix(module, "coo", (a_values, (a_row, a_column)), (m, n)).tocsr()
    b = matrix(module, "coo", (b_values, (b_row, b_column)), (n, k)).tocsr()
    found = a @ b
    found.sort_indices()
    found = found.tocoo()
    row, column = found.row.astype(np.int64), found.col.astype(np.int64)
    return row if rows is None else rows[row], column if columns is None else columns[column], found.data


def renumber(xp: Any, size: int, *indices: Any) -> tuple[Any, list[Any], int]:
    """Indices of a dim among those that are used, in order: (the used ones, indices, their number).

    SciPy's memory for a product grows with the sizes. Where these are not much larger than the number of elements, the
    indices are left as they are, and the used ones are None.
    """
    count = sum(len(each) for each in indices)
    if size <= MANY_ROWS * max(count, 1000):
        return None, list(indices), size
    used, place = xp.unique(xp.concatenate(indices), return_inverse=True)
    ends = np.cumsum([len(each) for each in indices])[:-1]
    return used, xp.split(place, ends.tolist()), len(used)


times_dense_row = array(
    "_coo_times_dense(Tensor indices, Tensor values, Tensor dense, int rows) -> Tensor",
    results=("array",),
    reference=times_dense,
    method=False,
    no_record=True,
    doc="The product of a sparse and a dense matrix.",
)
times_sparse_row = array(
    "_coo_times_coo(Tensor a_indices, Tensor a_values, Tensor b_indices, Tensor b_values, int[] sizes) -> "
    "(Tensor rows, Tensor columns, Tensor values)",
    results=("array", "array", "array"),
    reference=times_sparse,
    method=False,
    no_record=True,
    doc="The product of two sparse matrices.",
)


def compressed_times_dense(xp: Any, crow: Any, column: Any, values: Any, dense: Any) -> Any:
    """The product of a matrix in compressed rows and a dense one."""
    rows, module = crow.shape[0] - 1, sparse_module(values, dense)
    if module is not None:
        return matrix(module, "csr", (values, column, crow), (rows, dense.shape[0])) @ dense
    row = xp.repeat(xp.arange(rows), xp.diff(crow))
    return add_products(xp, rows, row, column, values, dense)


compressed_times_dense_row = array(
    "_csr_times_dense(Tensor crow, Tensor column, Tensor values, Tensor dense) -> Tensor",
    results=("array",),
    reference=compressed_times_dense,
    method=False,
    no_record=True,
    doc="The product of a matrix in compressed rows and a dense one.",
)


def multiply_dense(indices: Tensor, values: Tensor, dense: Tensor, rows: int) -> Tensor:
    """The product of a sparse matrix (rows, M) and a strided one (M, K)."""
    dense = dense.contiguous()
    by_loops = elements_times_dense(indices, values, dense, rows)
    if by_loops is not None:
        return by_loops
    by_library: Tensor = times_dense_row(indices, values, dense, rows)
    return by_library


def multiply_rows(pointers: Tensor, columns: Tensor, values: Tensor, dense: Tensor) -> Tensor:
    """The product of a matrix in compressed rows and a strided one."""
    dense = dense.contiguous()
    by_loops = rows_times_dense(pointers, columns, values, dense)
    if by_loops is not None:
        return by_loops
    by_library: Tensor = compressed_times_dense_row(pointers, columns, values, dense)
    return by_library


def check_product(name: str, a: Tensor, b: Tensor) -> None:
    """RuntimeError for matrices that have no product."""
    if a.dim() != 2 or b.dim() != 2:
        raise RuntimeError(
            f"{name}: Expected matrices, got tensors of sizes {size_text(a.shape)} and {size_text(b.shape)}"
        )
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(f"{name}: Argument #3 (dense): Expected dim 0 size {a.shape[1]}, got {b.shape[0]}")
    if a.dtype is not b.dtype:
        raise RuntimeError(f"expected scalar type {CPP_NAMES[a.dtype.name]} but found {CPP_NAMES[b.dtype.name]}")
    if a.dtype is wc.bool:
        raise NotImplementedError(f"\"{name}\" not implemented for 'Bool'")


def require_matrix(name: str, tensor: Tensor) -> None:
    """RuntimeError for a hybrid tensor in a product."""
    parts = coo_of(tensor)
    if parts.indices.shape[0] != 2:
        raise RuntimeError(
            f"{name}: 2-D matrices expected, got a tensor with {parts.indices.shape[0]} sparse and "
            f"{parts.values.dim() - 1} dense dims"
        )


def mm(self: Tensor, mat2: Tensor) -> Any:
    """The product of two matrices, at least one sparse; sparse where both are."""
    by_loops = fast_paths.mm(self, mat2)
    if by_loops is not None:
        return by_loops
    check_product("addmm", self, mat2)
    if is_coo(self) and is_coo(mat2):
        require_matrix("mm", self)
        require_matrix("mm", mat2)
        a, b = coo_of(self), coo_of(mat2)
        rows, columns, values = times_sparse_row(
            a.indices, a.values, b.indices, b.values, [self.shape[0], self.shape[1], mat2.shape[1]]
        )
        return make_coo(wc.stack([rows, columns]), values, (self.shape[0], mat2.shape[1]), True)
    if is_coo(self) and is_strided(mat2):
        require_matrix("mm", self)
        parts = coo_of(self)
        found: Tensor = multiply_dense(parts.indices, parts.values, mat2, self.shape[0])
        return found
    if is_coo(mat2) and is_strided(self):
        require_matrix("mm", mat2)
        parts = coo_of(mat2)
        found = multiply_dense(parts.indices.flip(0), parts.values, self.t(), mat2.shape[1])
        return found.t().contiguous()
    return NotImplemented


def addmm(self: Tensor, mat1: Tensor, mat2: Tensor, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * self + alpha * mat1 @ mat2."""
    product = mm(mat1, mat2)
    return product if product is NotImplemented else add_product(self, product, beta, alpha)


def add_product(self: Tensor, product: Tensor, beta: Any, alpha: Any) -> Tensor:
    """beta * self + alpha * product; a strided term comes first, as sums of sparse and strided tensors need it."""
    if alpha != 1:
        product = product * alpha
    if beta == 0:
        return product
    added = self if beta == 1 else self * beta
    return added + product if is_strided(added) or not is_strided(product) else product + added


def mv(self: Tensor, vec: Tensor) -> Any:
    """The product of a sparse matrix and a vector."""
    if not is_coo(self) or not is_strided(vec):
        return NotImplemented
    if self.dim() != 2 or vec.dim() != 1 or self.shape[1] != vec.shape[0]:
        raise RuntimeError(
            f"mv: Expected a matrix and a vector of as many elements as it has columns, got {size_text(self.shape)} "
            f"and {size_text(vec.shape)}"
        )
    return mm(self, vec.unsqueeze(1)).squeeze(1)


def bmm(self: Tensor, mat2: Tensor) -> Any:
    """Products of matrices of a sparse batch and a dense one."""
    if not is_coo(self) or not is_strided(mat2):
        return NotImplemented
    if self.dim() != 3 or mat2.dim() != 3 or self.shape[0] != mat2.shape[0] or self.shape[2] != mat2.shape[1]:
        raise RuntimeError(
            f"bmm: Expected batches of matrices that have a product, got {size_text(self.shape)} and "
            f"{size_text(mat2.shape)}"
        )
    parts = coalesce(coo_of(self), self.shape)
    n, rows, inner = self.shape
    columns = mat2.shape[2]
    batch, row, column = parts.indices
    indices = wc.stack([batch * rows + row, batch * inner + column])
    found: Tensor = multiply_dense(indices, parts.values, mat2.reshape(n * inner, columns), n * rows)
    return found.reshape(n, rows, columns)
