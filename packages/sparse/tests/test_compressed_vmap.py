"""Compressed tensors inside of vmap, and Jacobians of their values."""

import warnings

import numpy as np
import pytest
import wengert as wg

MASK = np.kron(np.array([[0, 1], [1, 0]]), np.ones((2, 3)))
X = wg.tensor(np.random.default_rng(0).standard_normal((3, 4, 6)) * MASK).to_sparse_csr()
V = wg.tensor(np.random.default_rng(1).standard_normal((2, 3)))
DENSE = wg.tensor(np.random.default_rng(2).standard_normal((6, 2)))
FUNCTIONS = {
    "mm": lambda t: t @ DENSE,
    "mv": lambda t: t @ DENSE[:, 0],
    "select": lambda t: t[0],
    "slice": lambda t: t[:, 1:4],
    "index_select": lambda t: t.index_select(0, wg.tensor([2, 0])),
    "cat": lambda t: wg.cat([t, t * 2]),
    "sum": lambda t: t.sum(),
    "to_dense": lambda t: t.to_dense(),
}
OF_VALUES = {
    "row": lambda t: t[0].to_dense(),
    "mm": lambda t: t[:, 1:] @ DENSE[:3],
    "cat": lambda t: wg.cat([t, t * 2], 1).to_dense(),
    "sum": lambda t: t.sum(1, keepdim=True).to_dense(),
}


def whole(x):
    return x if x.layout is wg.strided else x.to_dense()


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some have no rule, and run once for each sample
        yield


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_batch_of_matrices(name):
    found = whole(wg.vmap(FUNCTIONS[name])(X))
    assert wg.allclose(found, wg.stack([whole(FUNCTIONS[name](X[k])) for k in range(3)]))


@pytest.mark.parametrize("name", OF_VALUES)
def test_values(name):
    def function(values):
        return OF_VALUES[name](wg.sparse_csr_tensor([0, 2, 3], [1, 3, 0], values, (2, 4)))

    assert wg.allclose(wg.vmap(function)(V), wg.stack([function(V[k]) for k in range(2)]))
    jacobian = wg.func.jacrev(function)(V[0])
    assert wg.allclose(jacobian, wg.func.jacfwd(function)(V[0]))
    assert wg.allclose(jacobian @ V[0], function(V[0]))
