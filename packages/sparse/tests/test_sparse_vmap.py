"""Sparse tensors inside of vmap, and constructors of batched values."""

import warnings

import numpy as np
import pytest
import wengert as wg

RNG = np.random.default_rng(0)
X = wg.tensor(RNG.standard_normal((3, 4, 5)) * (RNG.random((3, 4, 5)) < 0.5)).to_sparse()
V = wg.tensor(RNG.standard_normal((3, 2)))
INDICES = wg.tensor([[0, 1], [1, 0]])
DENSE = wg.tensor(RNG.standard_normal((5, 2)))
FUNCTIONS = {
    "mul": lambda t: t * 2,
    "neg": lambda t: -t,
    "sin": lambda t: t.sin(),
    "add": lambda t: t + t * t,
    "to_dense": lambda t: t.to_dense(),
    "sum": lambda t: t.sum(),
    "t": lambda t: t.t(),
    "mm": lambda t: t @ DENSE,
    "sparse_mm": lambda t: wg.sparse.mm(t, DENSE),
    "select": lambda t: t[0],
    "float": lambda t: t.float(),
}
OF_VALUES = {
    "to_dense": lambda v: wg.sparse_coo_tensor(INDICES, v, (3, 2)).to_dense(),
    "mul": lambda v: (wg.sparse_coo_tensor(INDICES, v, (3, 2)) * 3).to_dense(),
    "sin": lambda v: wg.sparse_coo_tensor(INDICES, v, (3, 2), is_coalesced=True).sin().to_dense(),
    "mm": lambda v: wg.sparse.mm(wg.sparse_coo_tensor(INDICES, v, (3, 2)), DENSE[:2]),
    "csr": lambda v: wg.sparse_csr_tensor([0, 1, 2], [0, 1], v, (2, 2)).to_dense(),
    "grad": wg.func.grad(lambda u: (wg.sparse_coo_tensor(INDICES, u, (3, 2)).to_dense() ** 2).sum()),
}


def whole(x):
    return x if x.layout is wg.strided else x.to_dense()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_batch_in_a_sparse_dim(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some have no rule, and run once for each sample
        found = whole(wg.vmap(FUNCTIONS[name])(X))
    assert wg.allclose(found, wg.stack([whole(FUNCTIONS[name](X[k])) for k in range(3)]))


@pytest.mark.parametrize("name", OF_VALUES)
def test_a_batch_of_values(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = wg.vmap(OF_VALUES[name])(V)
    assert wg.allclose(found, wg.stack([OF_VALUES[name](V[k]) for k in range(3)]))


def test_jacobians_and_hessians():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for transform in (wg.func.jacrev, wg.func.jacfwd):
            found = transform(OF_VALUES["to_dense"])(V[0])
            assert found.shape == (3, 2, 2)
            assert found.sum().item() == 2
        cubes = wg.func.hessian(lambda u: (wg.sparse_coo_tensor(INDICES, u, (3, 2)) ** 3).to_dense().sum())(V[0])
    assert wg.allclose(cubes, wg.diag(6 * V[0]))
