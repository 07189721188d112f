"""index_put with a mask that has no dims: it adds a dim of size 1 or 0, as NumPy's assignment does."""

import numpy as np
import pytest
import wengert as wg

INDICES = ((0,), (None, 0), (None, None, 0))


def calls():
    for shape in ((), (3,), (2, 3), (2, 0, 3)):
        yield from ((shape, where) for where in INDICES if len(where) <= len(shape) + 1)


def of_numpy(where, mask):
    return tuple(slice(None) if one is None else np.array(mask) for one in where)


def of_tensors(where, mask):
    return tuple(None if one is None else wg.tensor(mask) for one in where)


@pytest.mark.parametrize("mask", [True, False])
@pytest.mark.parametrize(("shape", "where"), list(calls()))
def test_values_gradients_and_batches(shape, where, mask):
    x = np.arange(float(np.prod(shape, dtype=int))).reshape(shape)
    values = np.full_like(x[of_numpy(where, mask)], 7.0)
    expected = x.copy()
    expected[of_numpy(where, mask)] = values
    indices = of_tensors(where, mask)
    assert np.array_equal(wg.from_numpy(x.copy()).index_put(indices, wg.from_numpy(values)).numpy(), expected)
    target = wg.from_numpy(x.copy())
    assert target.index_put_(indices, wg.from_numpy(values)) is target
    assert np.array_equal(target.numpy(), expected)

    both = wg.from_numpy(x.copy()).requires_grad_(), wg.from_numpy(values.copy()).requires_grad_()
    both[0].index_put(indices, both[1]).sum().backward()
    assert np.array_equal(both[0].grad.numpy(), np.full_like(x, not mask))
    assert np.array_equal(both[1].grad.numpy(), np.ones_like(values))

    batch = wg.from_numpy(np.stack([x, x])), wg.from_numpy(np.stack([0 * values, values]))
    found = wg.vmap(lambda one, value: one.index_put(indices, value))(*batch)
    assert np.array_equal(found[1].numpy(), expected)
    found = wg.vmap(lambda one, value: (one * 1.0).index_put_(indices, value))(*batch)
    assert np.array_equal(found[1].numpy(), expected)


def test_an_index_beside_such_a_mask():
    x = np.arange(12.0).reshape(3, 4)
    expected = x.copy()
    expected[np.array(True), np.array([0, 2])] = 5.0
    found = wg.from_numpy(x.copy()).index_put((wg.tensor(True), wg.tensor([0, 2])), wg.tensor(5.0, dtype=wg.float64))
    assert np.array_equal(found.numpy(), expected)
