"""Calls of ufuncs and of their methods that NumPy refuses: tensors refuse them with the same kind of exception."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import wengert as wg
from wengert_numpy.autograd_numpy.arrays.array import as_array

REFUSED: dict[str, Callable[[Any], Any]] = {
    "a comparison is no reduction of numbers": lambda x: np.less.reduce(x),
    "nor an accumulation": lambda x: np.equal.accumulate(x),
    "an index beyond the end": lambda x: np.add.reduceat(x, [0, 5]),
    "a negative index": lambda x: np.add.reduceat(x, [0, -1]),
    "an axis that is not there": lambda x: np.add.reduce(x, axis=3),
    "an axis twice": lambda x: np.add.reduce(x, axis=(0, 0)),
    "a text as axis": lambda x: np.add.reduce(x, axis="a"),
    "one input": lambda x: np.sin.reduce(x),
    "two results": lambda x: np.modf.reduce(x),
    "outer of one input": lambda x: np.sin.outer(x, x),
    "outer without a second one": lambda x: np.add.outer(x),
    "at a place that is not there": lambda x: np.add.at(x, [0, 7], 1.0),
    "values of another shape": lambda x: np.add.at(x, [0, 1], [1, 2, 3]),
    "too many inputs": lambda x: np.add(x, x, x, x),
    "too few inputs": lambda x: np.add(x),
    "another result dtype": lambda x: np.add(x, x, dtype="i4"),
    "an unknown casting rule": lambda x: np.add(x, x, casting="foo"),
    "two outputs for one": lambda x: np.add(x, x, out=(x, x)),
    "an unknown keyword": lambda x: np.add(x, x, bar=1),
    "a mask of another shape": lambda x: np.add(x, x, where=[True, False], out=x),
    "a mask that is larger than out": lambda x: np.add(x, x, where=np.ones((2, 1), bool), out=x),
    "shapes that do not fit": lambda x: np.add(x, np.ones(2)),
    "a text": lambda x: np.add(x, "a"),
    "None": lambda x: np.add(x, None),
    "integers alone": lambda x: np.bitwise_and(x, 1),
    "a number as a matrix": lambda x: np.matmul(x, 2.0),
    "vectors of other lengths": lambda x: np.matmul(x, np.ones(4)),
    "no elements and no identity": lambda x: np.minimum.reduce(x[:0]),
    "a mask and no identity": lambda x: np.minimum.reduce(x, where=[True, False, True]),
    "an accumulation along an axis that is not there": lambda x: np.add.accumulate(x, axis=5),
    "an output of another shape": lambda x: np.add.reduce(x, out=np.zeros(2)),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED.keys())
def test_what_numpy_refuses_is_refused(call: Callable[[Any], Any]) -> None:
    values = np.array([1.0, 2.0, 3.0])
    with pytest.raises(Exception) as of_arrays:  # noqa: PT011 - its kind is what is asked for
        call(values.copy())
    kind = next(cls for cls in (TypeError, ValueError, IndexError) if isinstance(of_arrays.value, cls))
    with pytest.raises(kind):
        call(wg.from_numpy(values))


@pytest.mark.parametrize("name", ["bool", "int8", "int32", "uint16", "int64", "float32", "float64"])
@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.subtract, np.logical_and, np.hypot, np.divide, np.less])
def test_reductions_have_numpys_dtypes(ufunc: np.ufunc, name: str) -> None:
    values = np.array([1, 1, 1], name)
    try:
        expected = ufunc.reduce(values)
    except TypeError:
        with pytest.raises(TypeError):
            ufunc.reduce(wg.from_numpy(values))
        return
    found = ufunc.reduce(wg.from_numpy(values))
    assert found.numpy().dtype == expected.dtype
    np.testing.assert_allclose(found.numpy(), expected)


@pytest.mark.parametrize("name", "sum prod max min any all argmax argmin ptp nansum nanmax count_nonzero".split())
@pytest.mark.parametrize("axis", [0, -1, 1, (0,)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_numbers_are_reduced_along_the_axis_that_numpy_takes_them_to_have(
    name: str, axis: object, keepdims: bool
) -> None:
    function = getattr(np, name)
    try:
        expected = function(np.array(2.0), axis=axis, keepdims=keepdims)
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error)):
            function(wg.tensor(2.0, dtype=wg.float64), axis=axis, keepdims=keepdims)
        return
    found = function(wg.tensor(2.0, dtype=wg.float64), axis=axis, keepdims=keepdims)
    np.testing.assert_array_equal(found.numpy(), expected)
    assert found.shape == np.shape(expected)


def test_running_sums_of_numbers_have_an_axis() -> None:
    assert np.cumsum(wg.tensor(2.0), axis=0).shape == np.cumsum(np.array(2.0), axis=0).shape == (1,)


@pytest.mark.parametrize("made", [wg.ones, lambda n: as_array(wg.ones(n))], ids=["a tensor", "an array"])
def test_what_is_no_ufunc_no_method_of_ufuncs_or_no_function_is_named(made: Callable[[int], Any]) -> None:
    x = made(2)
    for other in ((x,), None, 3, "sin"):
        got = type(other).__name__
        with pytest.raises(TypeError, match=f"argument 'ufunc' must be a ufunc, got {got}"):
            x.__array_ufunc__(other, "__call__", x)
        with pytest.raises(TypeError, match=f"argument 'func' must be a function, got {got}"):
            x.__array_function__(other, (), (x,), {})
    for method in ("no_method", None, [], 3):
        with pytest.raises(TypeError, match="argument 'method' must name a method of ufuncs, got"):
            x.__array_ufunc__(np.add, method, x, x)
    with pytest.raises(TypeError, match=r"partial\(\) does not take wengert's tensors"):
        x.__array_function__(partial(np.sum), (), (x,), {})
