"""Indices of arrays in differentiated code: NumPy's rules, of which tensors have others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wengert as wg
from wengert_numpy.autograd_numpy.arrays.array import as_array

ROWS = np.array([0, 1])
INDICES: dict[str, Any] = {
    "integer, slice, array": (0, slice(None), ROWS),
    "array, slice, integer": (ROWS, slice(None), 0),
    "slice, integer, array": (slice(None), 0, ROWS),
    "integer, slice, True": (0, slice(None), True),
    "integer, slice, mask": (0, slice(None), np.array([True, False, True, False])),
    "integer, slice, mask without axes": (0, slice(None), np.array(True)),
    "integer, None, array": (0, None, ROWS),
    "slice, integer, None, array": (slice(None), 0, None, ROWS),
    "integer, ellipsis, list": (0, ..., [0, 2]),
    "NumPy's integer, slice, array": (np.int64(1), slice(None), ROWS),
    "integer, slice, matrix": (1, slice(None), np.array([[0, 1], [2, 3]])),
    "NumPy's True": np.True_,
    "NumPy's False in a tuple": (0, np.False_),
    "array": ROWS,
    "two arrays": (ROWS, ROWS),
    "an array without axes": (0, slice(None), np.array(1)),
    "ellipsis": (..., 0),
}


def array() -> Any:
    return np.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES.keys())
def test_elements_are_numpys(index: Any) -> None:
    x = array()
    found = as_array(wg.from_numpy(x))[index]
    assert found.shape == x[index].shape
    np.testing.assert_array_equal(found._value, x[index])
    weights = np.cos(np.arange(float(x[index].size))).reshape(x[index].shape)
    expected = np.zeros_like(x)
    np.add.at(expected, index, weights)
    np.testing.assert_array_equal(wg.numpy.grad(lambda x: np.sum(x[index] * weights))(x), expected)


@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES.keys())
def test_writes_go_where_numpys_go(index: Any) -> None:
    x = array()
    values = 100.0 + np.arange(float(x[index].size)).reshape(x[index].shape)
    target = as_array(wg.from_numpy(x.copy()))
    target[index] = values
    x[index] = values
    np.testing.assert_array_equal(target._value, x)


@pytest.mark.parametrize("index", [(..., ...), "a", (0, "a"), 1.5, (0, 1.5), 5, (0, 0, 0, 0)])
def test_what_is_no_index_is_an_index_error(index: Any) -> None:
    x = array()
    with pytest.raises(IndexError):
        x[index]
    with pytest.raises(IndexError):
        as_array(wg.from_numpy(x))[index]
