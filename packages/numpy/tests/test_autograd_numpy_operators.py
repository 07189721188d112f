"""Differential operators of ``wengert.numpy``: values, types of results, nesting, containers, complex numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy
import pytest
import wengert as wg
import wengert_numpy.autograd_numpy as np

VECTOR = numpy.array([0.3, 1.1, 2.0])
MATRIX = numpy.array([[1.0, 0.5], [0.2, 2.0]])


def tanh(x: Any) -> Any:
    return (1.0 - np.exp(-2 * x)) / (1.0 + np.exp(-2 * x))


# ---- values and types


def test_the_gradient_of_a_number_is_a_number_of_numpy() -> None:
    slope = np.grad(tanh)(1.0)
    assert type(slope) is numpy.float64
    assert slope == pytest.approx(1 - numpy.tanh(1.0) ** 2, rel=1e-14)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_gradient_of_an_array_is_an_array_of_its_shape_and_dtype(dtype: str) -> None:
    slope = np.grad(lambda x: np.sum(np.sin(x)))(MATRIX.astype(dtype))
    assert type(slope) is numpy.ndarray
    assert slope.dtype == dtype
    numpy.testing.assert_allclose(slope, numpy.cos(MATRIX), rtol=1e-6)


def test_a_gradient_can_be_written_to_without_a_change_of_other_results() -> None:
    first, second = np.grad(lambda x, y: np.sum(x + y), (0, 1))(VECTOR, VECTOR)
    first *= 2
    numpy.testing.assert_array_equal(first, [2, 2, 2])
    numpy.testing.assert_array_equal(second, [1, 1, 1])


def test_derivatives_of_any_order_are_nested_gradients() -> None:
    d: Any = tanh
    for _ in range(4):
        d = np.grad(d)
    step = 1e-5
    third = np.grad(np.grad(np.grad(tanh)))
    assert d(0.4) == pytest.approx((third(0.4 + step) - third(0.4 - step)) / (2 * step), rel=1e-6)


def test_elementwise_gradients_of_elementwise_functions_are_their_derivatives() -> None:
    slope = np.elementwise_grad(np.elementwise_grad(tanh))(VECTOR)
    t = numpy.tanh(VECTOR)
    numpy.testing.assert_allclose(slope, -2 * t * (1 - t**2), rtol=1e-12)


def test_value_and_grad_gives_both() -> None:
    value, slope = np.value_and_grad(lambda x: np.sum(x**2))(VECTOR)
    assert type(value) is numpy.float64
    assert value == pytest.approx(numpy.sum(VECTOR**2))
    numpy.testing.assert_allclose(slope, 2 * VECTOR)


def test_grad_and_aux_gives_the_second_output_as_it_is() -> None:
    slope, aux = np.grad_and_aux(lambda x: (np.sum(x**2), {"double": 2 * x, "word": "w"}))(VECTOR)
    numpy.testing.assert_allclose(slope, 2 * VECTOR)
    assert type(aux["double"]) is numpy.ndarray
    numpy.testing.assert_allclose(aux["double"], 2 * VECTOR)
    assert aux["word"] == "w"


@pytest.mark.parametrize("n", [2, 3, 7])
def test_the_jacobian_has_the_shape_of_the_value_and_then_of_the_argument(n: int) -> None:
    x = numpy.linspace(0.1, 1.0, n)
    jacobian = np.jacobian(lambda x: np.outer(x, x * x))(x)
    assert jacobian.shape == (n, n, n)
    eye = numpy.eye(n)
    expected = numpy.einsum("ik,j->ijk", eye, x**2) + numpy.einsum("i,jk->ijk", x, eye * 2 * x)
    numpy.testing.assert_allclose(jacobian, expected, rtol=1e-12)


def test_the_jacobian_of_nested_arguments_has_their_form() -> None:
    blocks = np.jacobian(lambda p: p["a"] * p["b"][0])({"a": VECTOR, "b": [2.0]})
    numpy.testing.assert_allclose(blocks["a"], 2 * numpy.eye(3))
    numpy.testing.assert_allclose(blocks["b"][0], VECTOR)


def test_the_hessian_is_the_jacobian_of_the_gradient() -> None:
    def f(x: Any) -> Any:
        return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    hessian = np.hessian(f)(VECTOR)
    numpy.testing.assert_allclose(hessian, np.jacobian(np.grad(f))(VECTOR), rtol=1e-12)
    numpy.testing.assert_allclose(hessian, hessian.T)
    assert hessian[2, 2] == pytest.approx(200)


# ---- arguments


@pytest.mark.parametrize("argnum", [(0, 2), [0, 2]])
def test_several_argnums_give_a_tuple(argnum: Any) -> None:
    slopes = np.grad(lambda x, y, z: np.sum(x * y * z), argnum)(VECTOR, 2.0, 3.0)
    assert type(slopes) is tuple
    numpy.testing.assert_allclose(slopes[0], 6 * numpy.ones(3))
    assert slopes[1] == pytest.approx(2 * numpy.sum(VECTOR))


def test_keyword_arguments_reach_the_function() -> None:
    assert np.grad(lambda x, scale=1.0: x * scale)(2.0, scale=3.0) == 3.0


class Pair(NamedTuple):
    w: Any
    b: Any


def test_nested_containers_give_gradients_of_their_form() -> None:
    parameters = {"layers": [Pair(MATRIX, 0.5), (VECTOR,)], "scale": numpy.float64(2.0)}

    def f(p: Any) -> Any:
        return p["scale"] * (np.sum(p["layers"][0].w ** 2) + p["layers"][0].b * np.sum(p["layers"][1][0]))

    slopes = np.grad(f)(parameters)
    assert type(slopes["layers"][0]) is Pair
    numpy.testing.assert_allclose(slopes["layers"][0].w, 4 * MATRIX)
    assert slopes["layers"][0].b == pytest.approx(2 * VECTOR.sum())
    numpy.testing.assert_allclose(slopes["layers"][1][0], numpy.ones(3))
    assert slopes["scale"] == pytest.approx(numpy.sum(MATRIX**2) + 0.5 * VECTOR.sum())


def test_grad_named_takes_the_argument_of_that_name() -> None:
    assert np.grad_named(lambda x, y: x * y, "y")(2.0, 3.0) == 2.0


def test_multigrad_dict_gives_all_gradients_by_name() -> None:
    slopes = np.multigrad_dict(lambda x, y, n=2: x * y**n)(2.0, y=3.0)
    assert slopes == {"x": 9.0, "y": 12.0}


def test_the_function_of_a_gradient_is_named_after_it() -> None:
    assert np.grad(tanh).__name__ == "grad_of_tanh_wrt_argnum_0"


# ---- nesting and the two modes


def test_an_inner_gradient_does_not_see_the_outer_variable_as_its_own() -> None:
    # d/dx (x * d/dy (x + y)) = 1: the inner derivative is 1, whatever x is
    assert np.grad(lambda x: x * np.grad(lambda y: x + y)(2.0))(3.0) == 1.0


def test_an_inner_gradient_at_the_outer_variable_is_differentiated() -> None:
    slope = np.grad(lambda x: np.sum(np.grad(lambda y: np.sum(y**3) * x[0])(x)))(VECTOR)
    expected = 6 * VECTOR[0] * VECTOR
    expected[0] += 3 * numpy.sum(VECTOR**2)
    numpy.testing.assert_allclose(slope, expected, rtol=1e-12)


def test_forward_and_reverse_mode_nest_in_any_order() -> None:
    ones = numpy.ones(3)

    def f(x: Any) -> Any:
        return np.sum(np.sin(x) * x**2)

    product = np.hessian(f)(VECTOR) @ ones
    numpy.testing.assert_allclose(np.make_jvp(np.grad(f))(VECTOR)(ones)[1], product, rtol=1e-12)
    numpy.testing.assert_allclose(np.grad(lambda x: np.make_jvp(f)(x)(ones)[1])(VECTOR), product, rtol=1e-12)
    numpy.testing.assert_allclose(np.make_hvp(f)(VECTOR)[0](ones), product, rtol=1e-12)
    numpy.testing.assert_allclose(np.hessian_tensor_product(f)(VECTOR, ones), product, rtol=1e-12)
    numpy.testing.assert_allclose(
        np.make_jvp(lambda y: np.make_jvp(f)(y)(ones)[1])(VECTOR)(ones)[1], ones @ product, rtol=1e-12
    )


def test_make_vjp_gives_a_product_that_can_be_called_again() -> None:
    vjp, value = np.make_vjp(lambda x: np.sin(x))(VECTOR)
    numpy.testing.assert_allclose(value, numpy.sin(VECTOR))
    for g in (numpy.ones(3), VECTOR):
        numpy.testing.assert_allclose(vjp(g), g * numpy.cos(VECTOR))


def test_a_vjp_is_differentiable_by_its_vector() -> None:
    vjp, _ = np.make_vjp(lambda x: np.sin(x))(VECTOR)
    numpy.testing.assert_allclose(np.grad(lambda g: np.sum(vjp(g) * g))(VECTOR), 2 * VECTOR * numpy.cos(VECTOR))


def test_a_vjp_of_a_function_with_nested_results_takes_vectors_of_their_form() -> None:
    vjp, value = np.make_vjp(lambda x: {"s": np.sum(x), "p": (x * x, x[0])})(VECTOR)
    assert value["s"] == pytest.approx(VECTOR.sum())
    slope = vjp({"s": 2.0, "p": (VECTOR, 1.0)})
    numpy.testing.assert_allclose(slope, 2 + 2 * VECTOR**2 + [1, 0, 0])


def test_make_jvp_gives_the_value_and_the_tangent_of_nested_results() -> None:
    value, tangent = np.make_jvp(lambda p: (p[0] ** 2, p[1]))((VECTOR, 2.0))((VECTOR, 1.0))
    numpy.testing.assert_allclose(value[0], VECTOR**2)
    numpy.testing.assert_allclose(tangent[0], 2 * VECTOR**2)
    assert (value[1], tangent[1]) == (2.0, 1.0)


def test_forward_products_by_reverse_mode_agree_with_forward_mode() -> None:
    def f(x: Any) -> Any:
        return np.outer(np.sin(x), x)

    expected = np.make_jvp(f)(VECTOR)(VECTOR)[1]
    numpy.testing.assert_allclose(np.make_jvp_reversemode(f)(VECTOR)(VECTOR), expected, rtol=1e-12)


def test_gauss_newton_products_are_those_of_the_matrices() -> None:
    def f(x: Any) -> Any:
        return np.dot(MATRIX, np.sin(x))

    def g(y: Any) -> Any:
        return np.sum(y**3)

    x, v = numpy.array([0.4, 1.2]), numpy.array([1.0, -2.0])
    jacobian, hessian = np.jacobian(f)(x), np.hessian(g)(f(x))
    numpy.testing.assert_allclose(np.make_ggnvp(f, g)(x)(v), jacobian.T @ hessian @ jacobian @ v, rtol=1e-12)
    numpy.testing.assert_allclose(np.make_ggnvp(f)(x)(v), jacobian.T @ jacobian @ v, rtol=1e-12)


def test_deriv_and_tensor_jacobian_product() -> None:
    numpy.testing.assert_allclose(np.deriv(lambda x: x**3)(VECTOR), 3 * VECTOR**2)
    numpy.testing.assert_allclose(np.tensor_jacobian_product(lambda x: x**3)(VECTOR, VECTOR), 3 * VECTOR**3, rtol=1e-12)


def test_checkpoint_changes_no_derivative() -> None:
    @np.checkpoint
    def f(x: Any, y: Any) -> Any:
        return np.sum(np.sin(x) * y**2)

    for argnum in (0, 1):
        numpy.testing.assert_allclose(
            np.grad(f, argnum)(VECTOR, 2 * VECTOR),
            np.grad(lambda x, y: np.sum(np.sin(x) * y**2), argnum)(VECTOR, 2 * VECTOR),
        )


# ---- complex numbers, as HIPS autograd has them


def test_the_gradient_by_a_complex_number_is_du_dx_minus_i_du_dy() -> None:
    assert np.grad(lambda z: np.real(z**2))(1 + 2j) == pytest.approx(2 * (1 + 2j))
    assert np.grad(lambda z: np.abs(z) ** 2)(1 + 2j) == pytest.approx(2 * (1 - 2j))


def test_holomorphic_grad_is_the_complex_derivative() -> None:
    assert np.holomorphic_grad(lambda z: z**3)(1 + 2j) == pytest.approx(3 * (1 + 2j) ** 2)


def test_the_jacobian_of_a_holomorphic_function_is_complex() -> None:
    z = VECTOR + 1j
    numpy.testing.assert_allclose(np.jacobian(lambda z: np.exp(z) * (1 + 2j))(z), numpy.diag(numpy.exp(z) * (1 + 2j)))


# ---- tensors


def test_tensors_in_give_tensors_with_their_history_out() -> None:
    x = wg.tensor([1.0, 2.0], requires_grad=True)
    slope = np.grad(lambda x: np.sum(x**3))(x)
    assert type(slope) is wg.Tensor
    wg.autograd.backward(wg.sum(slope))
    assert x.grad is not None
    numpy.testing.assert_allclose(x.grad.numpy(), [6.0, 12.0])


def test_a_tensor_among_other_arguments_keeps_its_history() -> None:
    scale = wg.tensor(3.0, dtype=wg.float64, requires_grad=True)
    slope = np.grad(lambda x, s: np.sum(x * x) * s)(VECTOR, scale)
    (of_scale,) = wg.autograd.grad(wg.sum(slope), scale)
    assert of_scale.item() == pytest.approx(2 * VECTOR.sum())


def test_operators_run_inside_of_wengerts_transforms() -> None:
    def slope_sum(t: Any) -> Any:
        return np.grad(lambda y: np.sum(y**3))(t).sum()

    x = wg.from_numpy(VECTOR)
    numpy.testing.assert_allclose(wg.func.grad(slope_sum)(x).numpy(), 6 * VECTOR)
    value, tangent = wg.func.jvp(slope_sum, (x,), (x,))
    assert tangent.detach().item() == pytest.approx(2 * value.detach().item())


def test_derivatives_are_taken_under_no_grad_as_well() -> None:
    with wg.no_grad():
        assert np.grad(lambda x: x * x)(3.0) == 6.0


# ---- errors


@pytest.mark.parametrize("output", [lambda x: x, lambda x: x[0] * 1j, lambda x: [x[0]], lambda x: None])
def test_grad_of_no_real_scalar_says_so(output: Any) -> None:
    with pytest.raises(TypeError, match=r"Grad only applies to real scalar-output functions\. Try jacobian, element"):
        np.grad(output)(VECTOR)


@pytest.mark.parametrize("x", [1, numpy.arange(3), "word", [1.0, 2], None])
def test_what_has_no_derivative_is_a_type_error(x: Any) -> None:
    with pytest.raises(TypeError, match=r"Can't differentiate w\.r\.t\. type"):
        np.grad(lambda x: 1.0)(x)


def test_elementwise_grad_of_a_complex_output_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="Elementwise_grad only applies to real-output functions"):
        np.elementwise_grad(lambda x: x * 1j)(VECTOR)


@pytest.mark.parametrize("f", [lambda x: 3.0, lambda x: numpy.float64(3.0), lambda x: numpy.sum(VECTOR)])
def test_an_output_that_does_not_depend_on_the_input_warns_and_has_zero_gradient(f: Any) -> None:
    with pytest.warns(UserWarning, match="Output seems independent of input"):
        slope = np.grad(f)(VECTOR)
    numpy.testing.assert_array_equal(slope, numpy.zeros(3))


def test_a_vector_of_another_shape_is_a_value_error() -> None:
    vjp, _ = np.make_vjp(lambda x: np.sin(x))(VECTOR)
    with pytest.raises(ValueError, match=r"expected a vector of shape \(3,\)"):
        vjp(numpy.ones(2))


def test_writing_to_the_argument_is_an_error() -> None:
    def f(x: Any) -> Any:
        x[0] = 1.0
        return np.sum(x)

    with pytest.raises(RuntimeError, match="in-place"):
        np.grad(f)(VECTOR)


def test_the_argument_is_not_changed_by_augmented_assignment() -> None:
    x = VECTOR.copy()

    def f(x: Any) -> Any:
        x += 1.0
        return np.sum(x * x)

    numpy.testing.assert_allclose(np.grad(f)(x), 2 * (VECTOR + 1))
    numpy.testing.assert_array_equal(x, VECTOR)
