"""gather, scatter, scatter_add and the check of bounds against NumPy's indexing."""
import numpy as np
import pytest
from numpy.typing import NDArray
from wengert_core.kernels.testing import testing

from .kernel_arrays import DTYPES, assert_same, dtype, values

OPS = ["gather", "scatter", "scatter_add"]


def lay_out(array: NDArray, form: str) -> NDArray:
    """The same matrix in another memory layout."""
    if form == "fortran":
        return np.asfortranarray(array)
    if form == "reversed":
        return array[::-1, ::-1].copy()[::-1, ::-1]
    wide = np.zeros((array.shape[0], 3 * array.shape[1]), array.dtype)
    wide[:, ::3] = array
    return array.copy() if form == "contiguous" else wide[:, ::3]


def result_by_definition(op: str, self_: NDArray, dim: int, index: NDArray, other: NDArray) -> NDArray:
    """One element after the other, as the definition says; the result is other for gather, else self."""
    self_, other = self_.copy(), other.copy()
    for i, j in np.ndindex(index.shape):
        at = (index[i, j], j) if dim == 0 else (i, index[i, j])
        if op == "gather":
            other[i, j] = self_[at]
        elif op == "scatter":
            self_[at] = other[i, j]
        else:
            self_[at] = self_[at] + other[i, j]
    return other if op == "gather" else self_


@pytest.mark.parametrize("form", ["contiguous", "fortran", "strided", "reversed"])
@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("op", OPS)
def test_along_a_dim(op: str, name: str, dim: int, form: str) -> None:
    rng = np.random.default_rng(4)
    self_ = lay_out(values(name, 7 * 9).reshape(7, 9), form)
    other = lay_out(values(name, 5 * 6, seed=1).reshape(5, 6), form)
    index = lay_out(rng.integers(-self_.shape[dim], self_.shape[dim], (5, 6)), form)
    want = result_by_definition(op, self_, dim, index, other)
    testing.index_loop(op, self_, dim, index, other)
    assert_same(np.ascontiguousarray(other if op == "gather" else self_), want)


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("op", OPS)
def test_whole_rows(op: str, name: str) -> None:
    self_, other = values(name, 40 * 33).reshape(40, 33), values(name, 20 * 33, seed=1).reshape(20, 33)
    index = np.broadcast_to(np.random.default_rng(4).integers(0, 40, (20, 1)), (20, 33))
    want = result_by_definition(op, self_, 0, index, other)
    testing.index_loop(op, self_, 0, index, other)
    assert_same(other if op == "gather" else self_, want)


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_an_empty_index_does_nothing(op: str, shape: tuple[int, int]) -> None:
    self_ = values("float32", 12).reshape(3, 4)
    want = self_.copy()
    testing.index_loop(op, self_, 1, np.zeros(shape, np.int64), np.zeros(shape, np.float32))
    np.testing.assert_array_equal(self_, want)


def test_broadcast_row_index_reads_each_row_once() -> None:
    weight = values("float16", 10 * 3).reshape(10, 3)
    ids = np.array([9, 0, -1])
    out = np.zeros((3, 3), np.float16)
    testing.index_loop("gather", weight, 0, np.broadcast_to(ids[:, None], (3, 3)), out)
    np.testing.assert_array_equal(out, weight[ids])


def test_16_bit_floats_round_at_every_step() -> None:
    self_ = np.zeros((1, 1), dtype("bfloat16"))
    ones = np.ones((1, 1000), dtype("bfloat16"))
    testing.index_loop("scatter_add", self_, 1, np.zeros((1, 1000), np.int64), ones)
    assert float(self_[0, 0]) == 256


@pytest.mark.parametrize("step", [1, 2, -1])
def test_the_first_bad_entry_is_found(step: int) -> None:
    index = np.arange(20)[::step]
    assert testing.check_index(index, 0, 20) == -1
    assert testing.check_index(index, 0, 15) == int(np.argmax(index >= 15))
    assert testing.check_index(index, 3, 20) == int(np.argmax(index < 3))
    assert testing.check_index(index[:0], 0, 0) == -1
    assert testing.check_index(np.array([-1, -5, -6]), -5, 5) == 2
    assert testing.check_index(np.array([2**62, -(2**63)]), 0, 5) == 0
