"""Aliases of sparse tensors: what a write to one of them changes."""

import copy
import pickle

import numpy as np
import pytest
import wengert as wg

from .sparse_cases import LAYOUTS, equal, random_matrix


def make():
    return wg.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (3,)).coalesce()


OTHER = wg.sparse_coo_tensor([[1, 2]], [5.0, 6.0], (3,))
WRITES = {
    "add_": (lambda y: y.add_(OTHER), [1.0, 7.0, 6.0]), "zero_": (lambda y: y.zero_(), [0.0, 0.0, 0.0]),
    "copy_": (lambda y: y.copy_(OTHER), [0.0, 5.0, 6.0]), "mul_": (lambda y: y.mul_(3), [3.0, 6.0, 0.0]),
    "mul_sparse": (lambda y: y.mul_(OTHER), [0.0, 10.0, 0.0]),
    "resize": (lambda y: y.sparse_resize_and_clear_((4,), 1, 0), [0.0, 0.0, 0.0, 0.0]),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITES)
def test_a_write_to_a_detached_tensor_is_its_own(name):
    x = make()
    y, (write, expected) = x.detach(), WRITES[name]
    write(y)
    assert x.to_dense().tolist() == [1.0, 2.0, 0.0]
    assert y.to_dense().tolist() == expected
    assert x._version == y._version == 1


@pytest.mark.parametrize("name", WRITES)
def test_data_has_a_version_of_its_own(name):
    x = make()
    y, (write, expected) = x.data, WRITES[name]
    write(y)
    assert x.to_dense().tolist() == [1.0, 2.0, 0.0]
    assert y.to_dense().tolist() == expected
    assert (x._version, y._version) == (0, 1)
    write(x)
    assert y.to_dense().tolist() == expected


def test_values_are_in_the_memory_of_the_tensor():
    x = make()
    x.values().mul_(2)
    assert x.to_dense().tolist() == [2.0, 4.0, 0.0]
    v = wg.tensor([1.0, 2.0])
    y = wg.sparse_coo_tensor([[0, 1]], v)
    v.zero_()
    assert y.to_dense().tolist() == [0.0, 0.0]


@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)), lambda x: x.clone()])
def test_copies_have_components_of_their_own(layout, copied):
    x = random_matrix(np.random.default_rng(0), layout).requires_grad_()
    y, before = copied(x), x.to_dense().detach()
    assert y.layout is layout
    y.detach().values().zero_() if y.layout is not wg.sparse_coo else y.detach()._values().zero_()
    equal(x, before)


def test_a_leaf_keeps_its_gradient_in_copies():
    x = wg.eye(2).to_sparse().requires_grad_()
    (x * x).to_dense().sum().backward()
    for y in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert y.requires_grad
        equal(y.grad, x.grad.to_dense())
