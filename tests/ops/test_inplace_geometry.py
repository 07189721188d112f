"""t_, squeeze_ and their kin against the views they are made like, on tensors with history and without."""

from __future__ import annotations

import numpy as np
import pytest
import wengert_core as wc
import wengert_engine as we

CHANGES = {
    "t_": ("t", ()),
    "transpose_": ("transpose", (0, -1)),
    "squeeze_": ("squeeze", ()),
    "unsqueeze_": ("unsqueeze", (1,)),
    "as_strided_": ("as_strided", ((2, 2), (1, 2), 1)),
}


def layout(x):
    return tuple(x.shape), x.stride(), x.storage_offset(), x.is_contiguous()


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("shape", [(2, 3), (1, 6)])
def test_the_geometry_is_that_of_the_view(name, shape):
    view, arguments = CHANGES[name]
    x = wc.arange(6.0).reshape(shape).clone()
    expected = getattr(x, view)(*arguments)
    before = x.untyped_storage()
    changed = x.clone()
    assert getattr(changed, name)(*arguments) is changed
    assert layout(changed) == layout(expected)
    np.testing.assert_array_equal(changed.numpy(), expected.numpy())
    assert changed._version == 1
    assert x.untyped_storage() is before


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("part", [lambda y: y, lambda y: y.view(2, 3), lambda y: y[:, :]], ids=["all", "view", "slice"])
def test_the_gradient_is_that_of_the_view(name, part):
    view, arguments = CHANGES[name]
    x = wc.rand(2, 3, dtype=wc.float64, requires_grad=True)
    expected = getattr(part(x * 1), view)(*arguments)
    weights = wc.rand(expected.shape, dtype=wc.float64)
    (wanted,) = we.grad((expected * weights).sum(), x)
    changed = part(x * 1)
    getattr(changed, name)(*arguments)
    (got,) = we.grad((changed * weights).sum(), x)
    np.testing.assert_array_equal(got.numpy(), wanted.numpy())


def test_a_view_of_what_changed_finds_its_elements():
    x = wc.arange(6.0, requires_grad=True)
    y = (x * 1).view(2, 3)
    row = y[1]
    y.t_()
    y.mul_(wc.tensor([1.0, 10.0]))
    row.sum().backward()
    assert row.tolist() == [30, 40, 50]
    assert x.grad.tolist() == [0, 0, 0, 10, 10, 10]


def test_memory_that_others_look_into_does_not_grow():
    x = wc.arange(3.0)
    view = x[1:]
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable: other tensors look"):
        x.resize_(4)
    assert view.tolist() == [1, 2]
    del view
    assert x.resize_(4)[:3].tolist() == [0, 1, 2]


def test_what_grew_keeps_its_version_and_is_written_to():
    x = wc.zeros(2).add_(1)
    assert x.resize_(1000).fill_(3).sum().item() == 3000
    assert x._version == 3


def test_set_shares_memory_without_the_version():
    x, y = wc.zeros(1), wc.zeros(3)
    x.set_(y).fill_(2)
    assert y.tolist() == [2, 2, 2]
    assert (x._version, y._version) == (2, 0)


def test_set_keeps_the_source_alive():
    x = wc.zeros(1)
    x.set_(wc.arange(1000.0))
    assert x.sum().item() == 499500
