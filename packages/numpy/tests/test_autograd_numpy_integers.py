"""Integers beside arrays inside differentiated code: arithmetic of indices, arrays of integers as constants, roll."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
import wengert as wg
import wengert_numpy.autograd_numpy as np
from wengert_numpy.autograd_numpy.arrays.array import as_array

POSITIONS = numpy.array([[-7, -1, 0], [3, 8, 12]])
NUMBERS = [1, 5, 0, -3, 2**62, True]


def array_of(values: Any) -> Any:
    """Return an array of differentiated code."""
    return as_array(wg.from_numpy(numpy.array(values)))


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8"])
@pytest.mark.parametrize("name", ["add", "sub", "mul"])
def test_arithmetic_with_a_number_has_the_values_and_dtype_of_numpy(name: str, dtype: str, number: Any) -> None:
    values = numpy.abs(POSITIONS).astype(dtype)
    method = f"__{name}__"
    try:
        expected = getattr(values, method)(number)
    except OverflowError:
        with pytest.raises(OverflowError):
            getattr(array_of(values), method)(number)
        return
    found = getattr(array_of(values), method)(number)
    assert found.dtype == expected.dtype
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("number", [1, 5, -3])
def test_remainders_have_the_sign_of_the_divisor(number: int) -> None:
    found = array_of(POSITIONS) % number
    assert found.dtype == numpy.int64
    assert found.tolist() == (POSITIONS % number).tolist()


def test_indices_that_are_computed_from_values_wrap_around() -> None:
    def loss(x: Any) -> Any:
        i = np.floor(x).astype(int) % 3
        return np.sum(x[i] * x[(i + 1) % 3])

    gradient = np.grad(loss)(numpy.array([0.5, -0.5, 4.5]))  # i is 0, 2, 1: all pairs of neighbors
    assert gradient.tolist() == [4.0, 5.0, 0.0]


@pytest.mark.parametrize("kind", ["int64", "int8", "uint16", "bool"])
def test_an_array_of_integers_before_an_array_is_a_constant(kind: str) -> None:
    constant = numpy.array([0, 1, 1]).astype(kind)
    for function in (numpy.add, numpy.subtract, numpy.multiply, numpy.divide):
        x = numpy.array([0.5, 2.0, -1.0])
        found = function(constant, array_of(x))
        assert found.dtype == numpy.float64
        assert found.tolist() == function(constant, x).tolist()
        assert np.grad(lambda x, f=function: np.sum(f(constant, x)))(x).shape == (3,)


def test_single_precision_beside_integers_is_promoted_as_by_numpy() -> None:
    x = numpy.array([0.5, 2.0, -1.0], dtype=numpy.float32)
    constant = numpy.arange(3)
    assert (constant - array_of(x)).dtype == (constant - x).dtype == numpy.float64


def test_writing_into_an_array_of_integers_is_refused() -> None:
    constant = numpy.arange(3)
    with pytest.raises(TypeError):
        numpy.add.at(constant, [0], array_of([1.0]))
    assert constant.tolist() == [0, 1, 2]


@pytest.mark.parametrize(("shift", "axis"), [(1, 0), (-1, 1), (7, -1), (-8, -2), (0, 0), (2, None), ((1, -2), (0, 1))])
def test_roll_moves_values_and_gradients(shift: Any, axis: Any) -> None:
    x, weights = numpy.arange(6.0).reshape(2, 3), numpy.array([[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]])
    assert np.roll(array_of(x), shift, axis=axis).tolist() == numpy.roll(x, shift, axis=axis).tolist()
    gradient = np.grad(lambda x: np.sum(weights * np.roll(x, shift, axis)))(x)
    back = tuple(-one for one in shift) if isinstance(shift, tuple) else -shift
    assert gradient.tolist() == numpy.roll(weights, back, axis).tolist()


def test_roll_along_an_axis_that_is_not_there_raises_the_error_of_numpy() -> None:
    with pytest.raises(numpy.exceptions.AxisError, match="axis 2 is out of bounds for array of dimension 2"):
        np.roll(array_of(POSITIONS), 1, axis=2)
