"""The library that multiplies sparse matrices is that of the arrays. NumPy's under its name stand in for CuPy's."""

import sys
from types import ModuleType

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
from wengert_sparse.compressed import products as compressed
from wengert_sparse.coo import products as coo
from wengert_sparse.ops import products as solve


class CupyArray(np.ndarray):
    """NumPy's array, called CuPy's: the namespace that references get has no name of its own."""

    __module__ = "cupy"


class Cupyx(ModuleType):
    """The part of SciPy that cupyx has: matrices, no arrays, of float and complex dtypes."""

    def __init__(self, name):
        super().__init__(name)
        self.used = []

    def __getattr__(self, name):
        if name.endswith("_array"):
            raise AttributeError(name)
        self.used.append(name)
        return getattr(scipy.sparse, name)


@pytest.fixture
def cupy(monkeypatch):
    module = Cupyx("cupyx.scipy.sparse")
    for name, each in (("cupyx", ModuleType("cupyx")), ("cupyx.scipy", ModuleType("cupyx.scipy"))):
        monkeypatch.setitem(sys.modules, name, each)
    monkeypatch.setitem(sys.modules, "cupyx.scipy.sparse", module)
    monkeypatch.setitem(sys.modules, "cupyx.scipy.sparse.linalg", scipy.sparse.linalg)
    return module


def on_device(*arrays):
    return [np.asarray(each).view(CupyArray) for each in arrays]


RNG = np.random.default_rng(0)
A = scipy.sparse.random_array((6, 5), density=0.4, rng=RNG, format="csr")
B = scipy.sparse.random_array((5, 7), density=0.4, rng=RNG, format="csr")
DENSE = RNG.standard_normal((5, 3))


def parts(matrix):
    found = matrix.tocoo()
    return on_device(np.stack([found.row, found.col]).astype(np.int64), found.data)


def rows(matrix):
    return on_device(matrix.indptr, matrix.indices, matrix.data)


def test_products_by_cupyx(cupy):
    dense = DENSE.view(CupyArray)
    assert np.allclose(coo.times_dense(np, *parts(A), dense, 6), A @ DENSE)
    assert np.allclose(coo.compressed_times_dense(np, *rows(A), dense), A @ DENSE)
    assert np.allclose(compressed.columns_times_dense(np, *rows(A.tocsc()), dense, 6), A @ DENSE)
    row, column, values = coo.times_sparse(np, *parts(A), *parts(B), (6, 5, 7))
    assert np.allclose(scipy.sparse.coo_array((values, (row, column)), shape=(6, 7)).toarray(), (A @ B).toarray())
    found = compressed.rows_times_rows(np, *rows(A), *rows(B), 7)
    assert np.allclose(scipy.sparse.csr_array(found[::-1], shape=(6, 7)).toarray(), (A @ B).toarray())
    square = A[:5, :] + scipy.sparse.eye_array(5) * 4
    assert np.allclose(
        solve.solve_reference(np, *parts(square), *on_device(np.ones(5))), np.linalg.solve(square.toarray(), [1] * 5)
    )
    assert {name.removesuffix("_matrix") for name in cupy.used} >= {"coo", "csr", "csc"}


def test_huge_dims_by_cupyx(cupy):
    indices, values = parts(A)
    row, _, _ = coo.times_sparse(
        np, indices * (1 << 30), values, indices[::-1] * (1 << 30), values, (1 << 40,) * 3
    )
    assert set(row // (1 << 30)) <= set(range(6))


@pytest.mark.parametrize("dtype", [np.float16, np.int64])
def test_dtypes_that_cupyx_lacks(cupy, dtype):
    values, dense, indices = on_device(np.ones(2, dtype), np.ones((3, 2), dtype), [[0, 1], [2, 2]])
    assert coo.times_dense(np, indices, values, dense, 2).tolist() == [[1, 1], [1, 1]]
    assert not cupy.used
    with pytest.raises(NotImplementedError, match=r"the product of two sparse matrices of .* is computed on the CPU"):
        coo.times_sparse(np, indices, values, indices, values, (2, 3, 3))
