"""``primitive``, ``defvjp``, ``defjvp``: the program's own derivatives, of all orders, in both modes."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
import wengert_numpy.autograd_numpy as np
from wengert_numpy.autograd_numpy import extend

VECTOR = numpy.array([0.1, 0.2, 0.7])


@extend.primitive
def logsumexp(x: Any, scale: float = 1.0) -> Any:
    assert type(x) is numpy.ndarray
    top = numpy.max(x)
    return scale * (top + numpy.log(numpy.sum(numpy.exp(x - top))))


extend.defvjp(logsumexp, lambda ans, x, scale=1.0: lambda g: scale * g * np.exp(x - ans / scale))
extend.defjvp(logsumexp, lambda g, ans, x, scale=1.0: scale * np.sum(g * np.exp(x - ans / scale)))


@extend.primitive
def product_and_sum(a: Any, b: Any) -> Any:
    return a * b, {"sum": a + b}


extend.defvjp(
    product_and_sum,
    lambda ans, a, b: lambda g: g[0] * b + g[1]["sum"],
    lambda ans, a, b: lambda g: g[0] * a + g[1]["sum"],
)
extend.defjvp(
    product_and_sum,
    lambda g, ans, a, b: (g * b, {"sum": g}),
    lambda g, ans, a, b: (g * a, {"sum": g}),
)


def test_a_primitive_of_plain_arrays_is_the_function_itself() -> None:
    assert type(logsumexp(VECTOR)) is numpy.float64


def test_derivatives_of_a_primitive_are_those_of_its_rules() -> None:
    p = numpy.exp(VECTOR) / numpy.sum(numpy.exp(VECTOR))
    numpy.testing.assert_allclose(np.grad(logsumexp)(VECTOR), p)
    numpy.testing.assert_allclose(np.hessian(logsumexp)(VECTOR), numpy.diag(p) - numpy.outer(p, p), atol=1e-15)
    np.test_util.check_grads(logsumexp, modes=["rev"], order=3)(VECTOR)


def test_forward_mode_uses_the_rule_of_forward_mode() -> None:
    value, tangent = np.make_jvp(logsumexp)(VECTOR)(numpy.ones(3))
    assert value == pytest.approx(logsumexp(VECTOR))
    assert tangent == pytest.approx(1.0)


def test_keyword_arguments_reach_function_and_rules() -> None:
    numpy.testing.assert_allclose(np.grad(logsumexp)(VECTOR, scale=2.0), 2 * np.grad(logsumexp)(VECTOR), rtol=1e-12)


@pytest.mark.parametrize("mode", ["rev", "fwd"])
def test_a_primitive_may_have_several_results(mode: str) -> None:
    def f(a: Any, b: Any) -> Any:
        product, rest = product_and_sum(a, b)
        return product * np.sin(rest["sum"])

    np.test_util.check_grads(f, (0, 1), modes=[mode], order=1)(VECTOR, 2 * VECTOR)


def test_a_primitive_takes_nested_containers() -> None:
    @extend.primitive
    def weigh(parameters: Any, x: Any) -> Any:
        return parameters["w"][0] * x + parameters["b"]

    extend.defvjp(
        weigh,
        lambda ans, parameters, x: lambda g: {"w": [np.sum(g * x)], "b": np.sum(g)},
        lambda ans, parameters, x: lambda g: g * parameters["w"][0],
    )
    np.test_util.check_grads(weigh, (0, 1), modes=["rev"])({"w": [2.0], "b": 1.0}, VECTOR)


def test_rules_may_be_for_some_arguments_and_none_is_a_derivative_of_zero() -> None:
    @extend.primitive
    def f(name: str, x: Any, y: Any) -> Any:
        return x * numpy.round(y)

    extend.defvjp(f, lambda ans, name, x, y: lambda g: g * np.round(y), None, argnums=(1, 2))
    slopes = np.grad(lambda x, y: np.sum(f("name", x, y)), (0, 1))(VECTOR, 3.2 * numpy.ones(3))
    numpy.testing.assert_allclose(slopes[0], 3 * numpy.ones(3))
    numpy.testing.assert_array_equal(slopes[1], numpy.zeros(3))


def test_rules_may_be_one_function_of_the_argument_numbers() -> None:
    @extend.primitive
    def f(x: Any, y: Any) -> Any:
        return x * y

    extend.defvjp_argnum(f, lambda argnum, ans, args, kwargs: lambda g: g * args[1 - argnum])
    extend.defjvp_argnum(f, lambda argnum, g, ans, args, kwargs: g * args[1 - argnum])
    np.test_util.check_grads(lambda x, y: f(x, y) * x, (0, 1), order=1)(VECTOR, 2 * VECTOR)
    extend.defvjp_argnums(f, lambda argnums, ans, args, kwargs: lambda g: [g * args[1 - i] for i in argnums])
    extend.defjvp_argnums(
        f, lambda argnums, gs, ans, args, kwargs: sum(g * args[1 - i] for i, g in zip(argnums, gs, strict=True))
    )
    np.test_util.check_grads(lambda x, y: f(x, y) * x, (0, 1), order=1)(VECTOR, 2 * VECTOR)


def test_linear_functions_are_their_own_rule_in_forward_mode() -> None:
    @extend.primitive
    def double(x: Any) -> Any:
        return 2 * x

    extend.defjvp(double, "same")
    numpy.testing.assert_allclose(np.make_jvp(double)(VECTOR)(VECTOR)[1], 2 * VECTOR)

    @extend.primitive
    def product(x: Any, y: Any) -> Any:
        return x * y

    extend.def_linear(product)
    tangent = np.make_jvp(lambda x: product(x, x))(VECTOR)(VECTOR)[1]
    numpy.testing.assert_allclose(tangent, 2 * VECTOR**2)


def test_rules_of_complex_functions_are_products_with_the_complex_derivative() -> None:
    @extend.primitive
    def square(z: Any) -> Any:
        return z**2

    extend.defvjp(square, lambda ans, z: lambda g: g * 2 * z)
    assert np.holomorphic_grad(square)(1 + 2j) == pytest.approx(2 + 4j)
    assert np.grad(lambda z: np.real(square(z)))(1 + 2j) == pytest.approx(2 + 4j)


def test_a_primitive_may_differentiate_inside() -> None:
    @extend.primitive
    def slope(x: Any) -> Any:
        found = np.grad(lambda y: np.sum(y**3))(x)
        assert type(found) is numpy.ndarray
        return found

    extend.defvjp(slope, lambda ans, x: lambda g: 6 * x * g)
    numpy.testing.assert_allclose(np.grad(lambda x: np.sum(slope(x)))(VECTOR), 6 * VECTOR)


def test_the_jacobian_of_a_primitive_is_that_of_its_rule() -> None:
    @extend.primitive
    def sine(x: Any) -> Any:
        return numpy.sin(x)

    extend.defvjp(sine, lambda ans, x: lambda g: g * numpy.asarray(extend.getval(np.cos(x))))
    x = numpy.linspace(0.0, 1.0, 9)
    numpy.testing.assert_allclose(np.jacobian(sine)(x), numpy.diag(numpy.cos(x)))


def test_functions_without_a_derivative_get_plain_arrays() -> None:
    @extend.notrace_primitive
    def index(x: Any) -> Any:
        assert type(x) is numpy.ndarray
        return int(numpy.argmax(x))

    numpy.testing.assert_array_equal(np.grad(lambda x: x[index(x)] ** 2)(VECTOR), [0, 0, 1.4])

    @extend.primitive
    def step(x: Any) -> Any:
        return numpy.sign(x)

    extend.register_notrace(None, step)
    numpy.testing.assert_array_equal(np.grad(lambda x: np.sum(step(x) + x))(VECTOR), numpy.ones(3))


@pytest.mark.parametrize("operator", ["grad", "make_jvp"])
def test_a_rule_that_is_not_defined_is_said(operator: str) -> None:
    nothing = extend.primitive(lambda x: x)
    with pytest.raises(NotImplementedError, match=r"(VJP|JVP) of <lambda> wrt argnums \(0,\) not defined"):
        np.grad(nothing)(1.0) if operator == "grad" else np.make_jvp(nothing)(1.0)(1.0)


def test_a_gradient_of_another_shape_is_a_value_error() -> None:
    f = extend.primitive(lambda x: numpy.sum(x))
    extend.defvjp(f, lambda ans, x: lambda g: g)
    with pytest.raises(ValueError, match=r"VJP of <lambda> gave a gradient of shape \(\) for an argument of shape"):
        np.grad(f)(VECTOR)


def test_a_derivative_by_a_keyword_argument_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="argument 'scale' is a keyword argument"):
        np.grad(lambda s: logsumexp(VECTOR, scale=s))(2.0)


def test_rules_belong_to_primitives_only() -> None:
    with pytest.raises(TypeError, match="is no primitive"):
        extend.defvjp(numpy.sin, lambda ans, x: lambda g: g)


def test_a_vector_space_has_zeros_ones_and_a_basis() -> None:
    space = extend.vspace({"a": numpy.ones((2, 2)), "b": 1j})
    assert space.size == 6
    assert space.iscomplex
    assert len(list(space.standard_basis())) == 6
    numpy.testing.assert_array_equal(space.zeros()["a"], numpy.zeros((2, 2)))
    assert space == extend.vspace(space.ones())
    assert space.inner_prod(space.ones(), space.ones()) == 5
