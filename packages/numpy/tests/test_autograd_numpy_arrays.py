"""Arrays inside differentiated code: NumPy's methods, attributes and operators, kept by operations; constructors."""

# ruff: noqa: NPY002 - wengert.numpy.random has the functions of NumPy's global generator
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest
import wengert as wg
import wengert_numpy.autograd_numpy as np
from wengert_numpy.autograd_numpy.arrays.array import as_array, ndarray

MATRIX = numpy.array([[0.5, 2.0, 1.0], [3.0, -1.0, 0.25]])


def variable(array: Any = MATRIX) -> Any:
    """Return an array that is followed."""
    return as_array(wg.from_numpy(numpy.array(array))).requires_grad_()


SAME: list[Callable[[Any], Any]] = [
    lambda x: x.sum(), lambda x: x.sum(0), lambda x: x.sum(axis=1, keepdims=True), lambda x: x.mean(axis=-1),
    lambda x: x.std(), lambda x: x.std(axis=0, ddof=1), lambda x: x.var(1), lambda x: x.max(), lambda x: x.max(axis=0),
    lambda x: x.min(axis=1), lambda x: x.prod(axis=0), lambda x: x.repeat(2), lambda x: x.repeat(2, axis=1),
    lambda x: x.transpose(), lambda x: x.transpose(1, 0), lambda x: x.transpose((1, 0)), lambda x: x.T,
    lambda x: x.reshape(3, 2), lambda x: x.reshape((3, -1)), lambda x: x.reshape(3, 2, order="F"), lambda x: x.ravel(),
    lambda x: x.flatten(), lambda x: x.copy(), lambda x: x.astype("float32"), lambda x: x.astype(numpy.int64),
    lambda x: x.dot(x.T), lambda x: x @ x.T, lambda x: x.argmax(), lambda x: x.argmin(axis=1),
    lambda x: x.argsort(axis=0), lambda x: x.clip(0.0, 1.0), lambda x: x.cumsum(axis=1), lambda x: x.cumprod(0),
    lambda x: x.take([0, 2], axis=1), lambda x: x[None].squeeze(), lambda x: x.swapaxes(0, 1), lambda x: x.trace(),
    lambda x: x.diagonal(), lambda x: x.round(), lambda x: x.conj(), lambda x: x.real, lambda x: x.imag,
    lambda x: (x > 0).any(), lambda x: (x > 0).all(axis=1), lambda x: x.compress([True, False], axis=0),
    lambda x: x.nonzero(), lambda x: x[x > 1], lambda x: x[:, ::-1], lambda x: x[[1, 0], 1:], lambda x: x[..., -1],
    lambda x: x[numpy.array([True, False])], lambda x: -x, lambda x: +x, lambda x: abs(x), lambda x: 2 / x,
    lambda x: 2 - x, lambda x: 2**x, lambda x: x**2, lambda x: x // 2, lambda x: x % 2, lambda x: 7 % x,
    lambda x: divmod(x, 2), lambda x: x == 2.0, lambda x: x != 2, lambda x: x <= 1, lambda x: (x > 0) & (x < 2),
    lambda x: ~(x > 0), lambda x: x + numpy.arange(3), lambda x: numpy.arange(3) * x, lambda x: x * numpy.float64(2),
    lambda x: numpy.array([True, False, True]) * x, lambda x: x @ numpy.ones((3, 2)), lambda x: list(x)[1],
    lambda x: x.argmax() + 0.5, lambda x: x.argmax() / 2, lambda x: numpy.maximum(x, 0), lambda x: 1j * x,
]  # fmt: skip


@pytest.mark.parametrize("f", SAME)
def test_methods_and_operators_are_numpys(f: Callable[[Any], Any]) -> None:
    expected, found = f(MATRIX), f(variable())
    pairs = zip(expected, found, strict=True) if isinstance(expected, tuple) else [(expected, found)]
    for wanted, one in pairs:
        assert type(one) is ndarray
        assert one.dtype == wanted.dtype
        assert one.shape == wanted.shape
        numpy.testing.assert_allclose(one.detach().numpy(), wanted, rtol=1e-6)


@pytest.mark.parametrize("name", ["shape", "ndim", "size", "dtype", "itemsize", "nbytes", "strides"])
def test_attributes_are_numpys(name: str) -> None:
    found = getattr(variable(), name)
    assert found == getattr(MATRIX, name)
    assert type(found) is type(getattr(MATRIX, name))


@pytest.mark.parametrize("function", [numpy.sin, numpy.sum, wg.sin, wg.exp, lambda x: wg.stack([x, x]), lambda x: x[0]])
def test_operations_keep_the_class(function: Callable[[Any], Any]) -> None:
    assert type(function(variable())) is ndarray


def test_sort_and_fill_work_in_place() -> None:
    x = variable() * 1.0
    x.sort(axis=1)
    numpy.testing.assert_array_equal(x.detach().numpy(), numpy.sort(MATRIX, axis=1))
    x.fill(2.0)
    numpy.testing.assert_array_equal(x.detach().numpy(), numpy.full((2, 3), 2.0))


def test_sort_in_place_has_the_derivative_of_the_permutation() -> None:
    def f(x: Any) -> Any:
        y = 2 * x
        y.sort()
        return np.sum(y * numpy.arange(3.0))

    numpy.testing.assert_array_equal(np.grad(f)(numpy.array([3.0, 1.0, 2.0])), [4.0, 0.0, 2.0])


def test_augmented_assignment_leaves_saved_values_alone() -> None:
    def f(x: Any) -> Any:
        y = np.exp(x)
        z = y * y
        y += 1.0
        return np.sum(z * y)

    x = numpy.array([0.1, 0.2])
    e = numpy.exp(x)
    numpy.testing.assert_allclose(np.grad(f)(x), 2 * e**2 * (e + 1) + e**3, rtol=1e-12)


def test_astype_obeys_the_casting_rule() -> None:
    with pytest.raises(TypeError, match="Cannot cast array data"):
        variable().astype("int64", casting="safe")


def test_isinstance_of_ndarray_is_true_inside_and_outside_of_differentiated_code() -> None:
    assert isinstance(variable(), np.ndarray)
    assert isinstance(MATRIX, np.ndarray)
    assert not isinstance([1.0], np.ndarray)
    assert not isinstance(wg.ones(2), np.ndarray)
    assert type(np.ndarray((2, 3))) is numpy.ndarray


def test_an_array_prints_as_an_array() -> None:
    x = variable([1.0, 2.5])
    assert repr(x) == "array([1. , 2.5])"
    assert str(x) == "[1.  2.5]"
    assert f"{x[1]:.2f}" == "2.50"


def test_a_comparison_with_none_is_false() -> None:
    assert variable().__eq__(None) is NotImplemented
    assert variable() != None  # noqa: E711 - programs that were written for arrays have it


def test_the_methods_of_tensors_are_there_for_wengerts_own_code() -> None:
    x = variable(numpy.eye(3) * 2 + 0.1)
    gradient = np.grad(lambda x: np.sum(np.linalg.inv(x) @ x[0]) + x.std() + np.prod(x, axis=0).sum())
    numpy.testing.assert_allclose(gradient(x.detach().numpy()), gradient(x).detach().numpy())


# ---- the namespace


@pytest.mark.parametrize("name", sorted(numpy.__all__))
def test_every_name_of_numpy_is_there(name: str) -> None:
    assert hasattr(np, name)


def test_functions_are_numpys() -> None:
    """Ufuncs are NumPy's own, functions are NumPy's that look into lists first."""
    assert np.sin is numpy.sin
    assert np.linalg.svd.__wrapped__ is numpy.linalg.svd
    assert np.fft.fft.__wrapped__ is numpy.fft.fft
    assert np.random.randn is numpy.random.randn


CONSTRUCTED: list[Callable[[Any], Any]] = [
    lambda x: np.array([x[0], 2 * x[1], 3.0]), lambda x: np.array([[x[0], x[1]], [x[2], x[0] * x[1]]]),
    lambda x: np.array([x, 2 * x]), lambda x: np.array(x, ndmin=2), lambda x: np.asarray([x[0], 1]),
    lambda x: np.array((x, numpy.ones(3))), lambda x: np.r_[x, 1.0, x[:2]], lambda x: np.c_[x, 2 * x],
    lambda x: np.r_["0,2", x, numpy.ones(3)], lambda x: np.r_["1,2,0", x, x], lambda x: np.c_[x, numpy.ones((3, 2))],
    lambda x: np.r_[0:2, x], lambda x: np.r_[0:1:3j, x], lambda x: np.r_[x[0], x[1]],
    lambda x: np.full((2, 2), x[0]), lambda x: np.full_like(x, x[1]), lambda x: np.ascontiguousarray(x.T),
    lambda x: np.select([numpy.array([True, False, False])], [numpy.ones(3)], default=x),
    lambda x: np.select([x > 1, x < 0], [x, numpy.ones(3)], default=x[0]),
    lambda x: np.concatenate([x, numpy.ones(2)]), lambda x: np.where(x > 1, x, x**2), lambda x: np.vstack([x, x]),
    lambda x: np.where(x > 1, x, 0.0), lambda x: np.stack((x, x), axis=1), lambda x: np.transpose(np.outer(x, x)),
    lambda x: np.concatenate([x[None], numpy.zeros((1, 3))], axis=0), lambda x: np.concatenate([x, [1, 2]]),
    lambda x: np.dot(numpy.ones((2, 3)), x), lambda x: np.tensordot(x, x, 1),
    lambda x: np.dot(x, 2.0), lambda x: np.sum([x, x], axis=0), lambda x: np.kron([x[0], x[1]], [1.0, 2.0]),
    lambda x: np.cross([x[0], x[1], x[2]], [1.0, 2.0, 3.0]), lambda x: np.concatenate([[x[0]], [x[1], 2.0]]),
    lambda x: np.append([x[0]], [x[1]]), lambda x: np.vstack([[x[0], x[1]], [1.0, 2.0]]),
    lambda x: np.diag([x[0], x[1]]), lambda x: np.linalg.multi_dot([[x, x], np.outer(x, x), x]),
    lambda x: np.where(numpy.array([True, False, True]), [x[0], x[1], x[2]], 0.0), lambda x: np.diff([x[0], x[1]]),
    lambda x: np.linalg.inv([[x[0], x[1]], [x[1], x[2]]]), lambda x: np.fft.ifft([x[0], x[1]]).real,
    lambda x: np.block([[x, x], [x, x]]), lambda x: np.reshape([x[0], x[1]], (2, 1)),
    lambda x: np.einsum("i,j->ij", [x[0], x[1]], [1.0, 2.0]),
]  # fmt: skip


@pytest.mark.parametrize("f", CONSTRUCTED)
def test_constructors_take_arrays_in_differentiated_code(f: Callable[[Any], Any]) -> None:
    x = numpy.array([0.7, 1.5, -0.3])
    found = f(variable(x))
    assert type(found) is ndarray
    numpy.testing.assert_allclose(found.detach().numpy(), f(x))
    assert found.shape == f(x).shape
    np.test_util.check_grads(f)(x)


def test_constructors_of_plain_values_are_numpys() -> None:
    assert type(np.array([1, 2])) is numpy.ndarray
    assert type(np.r_[1, 2]) is numpy.ndarray
    assert np.full((2,), 3).dtype == numpy.int64


def test_make_diagonal_puts_vectors_on_diagonals() -> None:
    np.test_util.check_grads(np.make_diagonal)(MATRIX)
    assert np.make_diagonal(MATRIX, axis1=-1, axis2=-2).shape == (2, 3, 3)


def test_isinstance_and_type_of_builtins_see_what_an_array_stands_for() -> None:
    from wengert_numpy.autograd_numpy import builtins

    scalar = variable(2.0)
    assert builtins.isinstance(scalar, float)
    assert not builtins.isinstance(variable(), float)
    assert builtins.type(variable()) is numpy.ndarray
    assert builtins.type(scalar) is numpy.float64
    assert builtins.isinstance((1, 2), builtins.tuple)


# ---- random numbers


def test_samples_depend_on_locations_and_scales() -> None:
    def f(p: Any) -> Any:
        numpy.random.seed(0)
        return np.sum(np.random.normal(p[0], p[1], size=4) ** 2) + np.sum(np.random.uniform(p[0], p[1], 3) ** 2)

    np.test_util.check_grads(f)([0.5, 2.0])


def test_samples_are_those_of_numpy() -> None:
    numpy.random.seed(3)
    expected = numpy.random.normal(0.5, 2.0, size=4)
    numpy.random.seed(3)
    numpy.testing.assert_allclose(np.random.normal(variable(0.5), 2.0, size=4).detach().numpy(), expected)


def test_permutations_and_choices_of_rows_have_derivatives() -> None:
    def f(x: Any) -> Any:
        numpy.random.seed(1)
        return np.random.permutation(x)[0] * np.random.choice(x[:, 0], 2)[1]

    np.test_util.check_grads(f)(MATRIX)
