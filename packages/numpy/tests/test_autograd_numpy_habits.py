"""What programs for HIPS autograd do: copies, values of boxes, rules with NumPy's own calls, flatten, wrong calls."""

from __future__ import annotations

import copy
from typing import Any

import numpy
import pytest
import wengert as wg
import wengert_numpy.autograd_numpy as np
from wengert_numpy.autograd_numpy import grad
from wengert_numpy.autograd_numpy.arrays.array import as_array


def variable(array: Any) -> Any:
    """Return an array that is followed."""
    return as_array(wg.from_numpy(numpy.array(array))).requires_grad_()


def test_copies_keep_the_history() -> None:
    x = numpy.array([1.0, -1.3, 2.0])
    for copied in (copy.copy, copy.deepcopy, lambda x: copy.deepcopy({"a": [x]})["a"][0], lambda x: x.copy()):
        found = grad(lambda x, copied=copied: np.sum(copied(x) ** 2) + x[0])(x)
        numpy.testing.assert_array_equal(found, 2 * x + [1, 0, 0])


def test_values_of_arrays_have_hips_names() -> None:
    seen: list[Any] = []

    def f(x: Any) -> Any:
        assert isinstance(x, np.numpy_boxes.ArrayBox)
        assert isinstance(x, np.extend.Box)
        seen.extend((x._value, x[0]._value, np.extend.getval({"a": x})["a"], np.isscalar(x[0]), np.isscalar(x)))
        return np.sum(x)

    grad(f)(numpy.ones(2))
    assert [type(one) for one in seen] == [numpy.ndarray, numpy.float64, numpy.ndarray, bool, bool]
    assert seen[3:] == [True, False]
    assert not isinstance(numpy.ones(2), np.numpy_boxes.ArrayBox)
    assert type(np.make_diagonal(numpy.ones(2))) is numpy.ndarray


def test_errors_are_numpys() -> None:
    x = variable(numpy.ones(3))
    with pytest.raises(ValueError, match="cannot reshape"):
        x.reshape(2, 2)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(x > 0)
    with pytest.raises(ValueError, match="axes"):
        x.transpose(0, 1)
    with pytest.raises(TypeError, match="scalar-output"):
        grad(lambda x: 3)(1.0)
    with pytest.raises(TypeError, match="scalar-output"):
        grad(lambda x: x > 0)(1.0)


def test_rules_get_arrays_of_numpy_where_nothing_follows_them() -> None:
    kinds: list[type] = []

    def rule(ans: Any, x: Any) -> Any:
        def vjp(g: Any) -> Any:
            kinds.append(type(g))
            return 2 * x * g

        return vjp

    square = np.extend.primitive(lambda x: x**2)
    np.extend.defvjp(square, rule)
    numpy.testing.assert_array_equal(grad(lambda x: np.sum(square(x)))(numpy.ones(2)), [2.0, 2.0])
    numpy.testing.assert_array_equal(np.hessian(lambda x: np.sum(square(x)))(numpy.ones(2)), 2 * numpy.eye(2))
    assert kinds[0] is numpy.ndarray


def test_flatten_is_the_function_and_its_module() -> None:
    from wengert.numpy.misc import flatten as module_and_function
    from wengert.numpy.misc.flatten import flatten

    value = [numpy.ones(2, numpy.float32), 3.0]
    for function in (module_and_function, flatten):
        vector, unflatten = function(value)  # type: ignore[operator]
        numpy.testing.assert_array_equal(vector, [1.0, 1.0, 3.0])
        parts = unflatten(vector)
        assert parts[0].dtype == numpy.float32
        parts[0][0] = 9.0
        assert vector[0] == 1.0
    with pytest.raises(TypeError, match="not callable"):
        np.misc()  # type: ignore[operator]


def test_vectors_may_have_fewer_axes_than_the_value() -> None:
    x = numpy.array([1.0, 2.0])
    found = np.tensor_jacobian_product(lambda x: np.outer(x, x))(x, x)
    numpy.testing.assert_array_equal(found, numpy.tensordot(x, np.jacobian(lambda x: np.outer(x, x))(x), 1))
