"""SciPy's sparse arrays as tensors and back, on the same memory."""

import numpy as np
import pytest
import scipy.sparse as sp
import wengert as wg

from .sparse_cases import equal

RNG = np.random.default_rng(0)
DENSE = RNG.standard_normal((4, 6)) * (RNG.random((4, 6)) < 0.5)


@pytest.mark.parametrize("name", ["coo", "csr", "csc", "bsr", "dia", "lil", "dok"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_values(name, kind):
    array = getattr(sp, f"{name}_{kind}")(DENSE)
    x = wg.sparse.from_scipy(array)
    equal(x, wg.tensor(DENSE))
    back = wg.sparse.to_scipy(x)
    assert np.array_equal(back.toarray(), DENSE)


@pytest.mark.parametrize("name", ["csr", "csc", "bsr"])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_memory_is_shared(name, index):
    array = getattr(sp, f"{name}_array")(DENSE)
    array.indptr, array.indices = array.indptr.astype(index), array.indices.astype(index)
    x = wg.sparse.from_scipy(array)
    assert np.shares_memory(x.values().numpy(), array.data)
    back = wg.sparse.to_scipy(x)
    for part in ("data", "indices", "indptr"):
        assert np.shares_memory(getattr(back, part), getattr(array, part))
    x.mul_(2)


def test_values_of_coo_are_shared():
    array = sp.coo_array(DENSE)
    x = wg.sparse.from_scipy(array)
    x.div_(0.5)  # in the memory of the values
    assert np.array_equal(array.toarray(), DENSE * 2)
    assert np.shares_memory(wg.sparse.to_scipy(x).data, array.data)


def test_unsorted_and_duplicate_elements_are_put_in_order():
    array = sp.csr_array((np.array([1.0, 2.0, 3.0]), np.array([2, 0, 0]), np.array([0, 3, 3])), shape=(2, 3))
    x = wg.sparse.from_scipy(array)
    assert x.col_indices().tolist() == [0, 2]
    equal(x, wg.tensor([[5.0, 0.0, 1.0], [0.0, 0.0, 0.0]], dtype=wg.float64))
    assert array.nnz == 3


@pytest.mark.parametrize(("make", "words"), [
    (lambda: wg.ones(2, 2), "expected a sparse tensor"),
    (lambda: wg.eye(2).to_sparse().requires_grad_(), "requires grad"),
    (lambda: wg.eye(2).to_sparse(1), "no dense dims"), (lambda: wg.eye(2).to_sparse_bsc((1, 1)), "sparse_bsc"),
    (lambda: wg.ones(2, 2, 2).to_sparse_csr(), "1 batch dims"),
])  # fmt: skip
def test_what_scipy_does_not_have(make, words):
    with pytest.raises(RuntimeError, match=words):
        wg.sparse.to_scipy(make())


def test_what_is_no_sparse_array():
    with pytest.raises(TypeError, match="must be a sparse array of SciPy, not ndarray"):
        wg.sparse.from_scipy(DENSE)
