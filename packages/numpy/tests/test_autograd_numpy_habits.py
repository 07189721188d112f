"""What programs for HIPS autograd do: copies, values of boxes, rules with NumPy's own calls, flatten, wrong calls."""

from __future__ import annotations

import copy
import inspect
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


def test_vectors_are_broadcast() -> None:
    x = numpy.array([1.0, -1.3, 2.0])
    numpy.testing.assert_array_equal(np.make_vjp(lambda x: x**2)(x)[0](2.0), 4 * x)
    numpy.testing.assert_array_equal(np.make_jvp(lambda x: x**2)(x)(1.0)[1], 2 * x)
    with pytest.raises(ValueError, match="expected a vector of shape"):
        np.make_vjp(lambda x: x**2)(x)[0](numpy.ones(2))


def test_a_complex_function_of_real_numbers_has_a_complex_jacobian() -> None:
    x = numpy.array([1.0, 2.0, 3.0, 4.0, 5.0])
    numpy.testing.assert_allclose(np.jacobian(lambda x: x * (1 + 2j))(x), (1 + 2j) * numpy.eye(5))
    found = np.jacobian(lambda x: np.exp(1j * x[:2]))(x)
    expected = numpy.zeros((2, 5), complex)
    expected[[0, 1], [0, 1]] = 1j * numpy.exp(1j * x[:2])
    numpy.testing.assert_allclose(found, expected)


@pytest.mark.filterwarnings("error")
def test_a_rule_of_none_gives_zeros_without_a_warning() -> None:
    scale = np.extend.primitive(lambda x, n: x * n)
    np.extend.defvjp(scale, lambda ans, x, n: lambda g: g * n, None)
    assert grad(lambda n: np.sum(scale(numpy.ones(2), n)))(3.0) == 0.0
    numpy.testing.assert_array_equal(grad(lambda x: np.sum(scale(x, 3.0)))(numpy.ones(2)), [3.0, 3.0])


def test_core_and_util_have_hips_names() -> None:
    x = numpy.array([1.0, 3.0])
    vjp, value = np.core.make_vjp(lambda x: x**2, x)
    numpy.testing.assert_array_equal(value, x**2)
    numpy.testing.assert_array_equal(vjp(numpy.ones(2)), 2 * x)
    value, tangent = np.core.make_jvp(lambda x: x**2, x)(numpy.ones(2))
    numpy.testing.assert_array_equal(tangent, 2 * x)
    assert np.util.subval((1, 2), 0, 3) == (3, 2)


def test_rules_may_use_unbroadcast() -> None:
    multiply = np.extend.primitive(lambda x, y: x * y)
    unbroadcast = np.numpy_vjps.unbroadcast_f
    np.extend.defvjp(multiply, lambda ans, x, y: unbroadcast(x, lambda g: y * g),
                     lambda ans, x, y: unbroadcast(y, lambda g: x * g))  # fmt: skip
    np.extend.defjvp(multiply, lambda g, ans, x, y: g * y, lambda g, ans, x, y: x * g)
    for shape, other in (((3, 2), (2,)), ((3, 1), (1, 2)), ((), (2, 2))):
        np.test_util.check_grads(multiply)(numpy.full(shape, 0.7), numpy.full(other, 1.3))
    assert np.numpy_vjps.match_complex(numpy.ones(2), numpy.ones(2) + 1j).dtype == numpy.float64
    numpy.testing.assert_array_equal(np.numpy_vjps.replace_zero(numpy.array([0.0, 2.0]), 1.0), [1.0, 2.0])
    numpy.testing.assert_array_equal(np.numpy_vjps.balanced_eq(numpy.ones(1), numpy.ones(1), numpy.ones(1)), [0.5])


def test_operators_show_their_own_signature() -> None:
    assert list(inspect.signature(grad).parameters)[:2] == ["fun", "argnum"]


def test_a_protocol_without_inputs_leaves_the_faces_as_they_were() -> None:
    x = variable(numpy.ones(3))
    for arguments in ((numpy.sin, "__call__"), (numpy.sin,), ()):
        with pytest.raises((TypeError, ValueError)):
            x.__array_ufunc__(*arguments)
        assert x.shape == (3,)
        assert type(x.shape) is tuple
