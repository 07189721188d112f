"""flatten, optimizers, fixed points, checks of derivatives, and small programs in HIPS autograd's terms."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
import wengert_numpy.autograd_numpy as np
from wengert_numpy.autograd_numpy.misc.fixed_points import fixed_point
from wengert_numpy.autograd_numpy.misc.flatten import flatten
from wengert_numpy.autograd_numpy.misc.optimizers import adam, rmsprop, sgd
from wengert_numpy.autograd_numpy.test_util import check_grads, combo_check

VECTOR = numpy.array([0.3, 1.1, 2.0])


# ---- flatten


def test_flatten_joins_leaves_and_its_inverse_splits_them() -> None:
    value = [numpy.ones((2, 2)), (2.0, {"b": numpy.zeros(1), "a": 7.0})]
    vector, unflatten = flatten(value)
    numpy.testing.assert_array_equal(vector, [1, 1, 1, 1, 2, 7, 0])
    again = unflatten(2 * vector)
    numpy.testing.assert_array_equal(again[0], 2 * numpy.ones((2, 2)))
    assert again[1][0] == 4.0
    assert again[1][1]["a"] == 14.0
    assert again[1][1]["b"].shape == (1,)


def test_flatten_and_its_inverse_are_differentiable() -> None:
    def f(value: Any) -> Any:
        vector, unflatten = flatten(value)
        return np.sum(unflatten(vector**2)["w"]) + vector[0]

    check_grads(f)({"w": numpy.ones((2, 2)), "b": 3.0})


@pytest.mark.parametrize("value", [[], 3.0, numpy.arange(3), numpy.ones(2) * 1j])
def test_flatten_keeps_the_dtype(value: Any) -> None:
    vector, unflatten = flatten(value)
    assert vector.ndim == 1
    assert vector.dtype == numpy.asarray(value).dtype
    numpy.testing.assert_array_equal(unflatten(vector), value)


def test_unflatten_wants_as_many_numbers_as_there_are() -> None:
    with pytest.raises(ValueError, match="expected a vector of 2 numbers, got 3"):
        flatten([1.0, 2.0])[1](numpy.ones(3))


# ---- optimizers


@pytest.mark.parametrize("optimizer", [sgd, rmsprop, adam])
def test_optimizers_go_downhill_in_containers(optimizer: Any) -> None:
    def loss(p: Any, i: int) -> Any:
        return np.sum((p["w"] - VECTOR) ** 2) + p["b"] ** 2

    steps: list[Any] = []
    start = {"w": numpy.zeros(3), "b": 1.0}
    end = optimizer(np.grad(loss), start, lambda p, i, g: steps.append((p, i, g)), num_iters=400, step_size=0.05)
    assert loss(end, 0) < 0.01 * loss(start, 0)
    assert [i for _, i, _ in steps] == list(range(400))
    assert steps[0][2]["w"].shape == (3,)


def test_the_first_step_of_adam_has_the_length_of_the_step_size() -> None:
    end = adam(lambda x, i: 3 * x, VECTOR, num_iters=1, step_size=0.01)
    numpy.testing.assert_allclose(end, VECTOR - 0.01, rtol=1e-6)


def test_an_optimization_is_differentiable_by_its_step_size() -> None:
    def f(step: Any) -> Any:
        return np.sum(sgd(np.grad(lambda x, i: np.sum(x**2)), VECTOR, num_iters=3, step_size=step))

    check_grads(f, modes=["rev"])(0.1)


# ---- fixed points


def test_a_fixed_point_has_the_derivatives_of_the_implicit_function() -> None:
    def sqrt(a: Any) -> Any:
        return fixed_point(lambda a: lambda x: 0.5 * (x + a / x), a, 10.0, lambda x, y: abs(x - y), 1e-12)

    assert sqrt(2.0) == pytest.approx(2**0.5)
    assert np.grad(sqrt)(2.0) == pytest.approx(0.5 / 2**0.5)
    assert np.grad(np.grad(sqrt))(2.0) == pytest.approx(-0.25 * 2**-1.5)


# ---- checks


@pytest.mark.parametrize("modes", [["fwd"], ["rev"], ["fwd", "rev"]])
def test_right_derivatives_pass_and_wrong_ones_are_refused(modes: list[str]) -> None:
    check_grads(lambda x, y: np.sin(x) * np.exp(y), (0, 1), modes=modes)(VECTOR, 2 * VECTOR)
    wrong = np.primitive(lambda x: x**2)
    np.extend.defvjp(wrong, lambda ans, x: lambda g: 3 * x * g)
    np.extend.defjvp(wrong, lambda g, ans, x: 3 * x * g)
    with pytest.raises(AssertionError):
        check_grads(wrong, modes=modes, order=1)(VECTOR)


def test_complex_functions_and_nested_results_are_checked() -> None:
    check_grads(lambda z: {"a": np.exp(z), "b": [np.abs(z) ** 2]})(VECTOR + 1j)


def test_combinations_of_arguments_are_checked() -> None:
    combo_check(lambda x, y, scale=1.0: x * y * scale, (0, 1))([VECTOR, 2.0], [VECTOR, 3.0], scale=[1.0, 2.0])


def test_an_unknown_mode_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="modes must be of"):
        check_grads(np.sin, modes=["backward"])(1.0)


# ---- programs


def test_logistic_regression_is_trained() -> None:
    inputs = numpy.array([[0.52, 1.12, 0.77], [0.88, -1.08, 0.15], [0.52, 0.06, -1.3], [0.74, -2.49, 1.39]])
    targets = numpy.array([True, True, False, True])

    def loss(weights: Any) -> Any:
        p = 0.5 * (np.tanh(np.dot(inputs, weights) / 2) + 1)
        return -np.sum(np.log(p * targets + (1 - p) * (1 - targets)))

    check_grads(loss)(numpy.array([0.1, 0.2, -0.3]))
    weights = numpy.zeros(3)
    for _ in range(100):
        weights -= np.grad(loss)(weights) * 0.1
    assert loss(weights) < 0.5 * loss(numpy.zeros(3))


def test_a_recurrent_network_has_the_right_gradient() -> None:
    random = numpy.random.default_rng(0)
    inputs = random.standard_normal((5, 2, 3))
    parameters = {
        "input": random.standard_normal((3, 4)),
        "hidden": random.standard_normal((4, 4)),
        "bias": numpy.zeros(4),
    }
    parameters["out"] = numpy.ones(4)

    def loss(p: Any) -> Any:
        hidden, outputs = np.zeros((2, 4)), []
        for x in inputs:
            hidden = np.tanh(np.dot(x, p["input"]) + np.dot(hidden, p["hidden"]) + p["bias"])
            outputs.append(np.dot(hidden, p["out"]))
        scores = np.array(outputs)
        return np.mean(np.logaddexp(scores, 0.0)) + np.max(scores)

    check_grads(loss, modes=["rev"], order=1)(parameters)


def test_a_gaussian_process_has_the_right_gradient() -> None:
    inputs = numpy.linspace(0.0, 1.0, 4)
    targets = numpy.sin(inputs * 3)

    def loss(p: Any) -> Any:
        distances = np.expand_dims(inputs / np.exp(p[0]), 1) - np.expand_dims(inputs / np.exp(p[0]), 0)
        covariance = np.exp(p[1]) * np.exp(-0.5 * distances**2) + np.exp(p[2]) * np.eye(4)
        _, logdet = np.linalg.slogdet(covariance)
        return 0.5 * np.dot(targets, np.linalg.solve(covariance, targets)) + 0.5 * logdet

    check_grads(loss)(numpy.array([0.1, 0.2, -1.0]))


def test_a_fluid_is_differentiated_by_its_start() -> None:
    def loss(start: Any) -> Any:
        velocity = start.reshape(3, 3)
        for _ in range(2):
            divergence = -0.5 * (np.roll(velocity, -1, axis=1) - np.roll(velocity, 1, axis=0))
            velocity = velocity + 0.3 * divergence * velocity
        return np.mean(velocity**2)

    check_grads(loss)(numpy.linspace(0.1, 1.0, 9))


def test_a_mixture_density_is_differentiated_through_unpacked_parameters() -> None:
    data = numpy.random.default_rng(0).standard_normal((6, 2))

    def loss(vector: Any) -> Any:
        weights, means, scales = vector[:2], np.reshape(vector[2:6], (2, 2)), vector[6:].reshape((2, 1))
        log_weights = weights - np.log(np.sum(np.exp(weights)))
        squares = np.sum((data[:, None, :] - means[None]) ** 2 * np.exp(-scales)[None], axis=2)
        terms = log_weights[None] - 0.5 * squares - scales.T
        top = np.max(terms, axis=1, keepdims=True)
        return -np.sum(np.log(np.sum(np.exp(terms - top), axis=1)) + top[:, 0])

    check_grads(loss, modes=["rev"])(numpy.linspace(-0.5, 0.5, 8))
