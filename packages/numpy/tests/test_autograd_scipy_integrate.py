"""wengert.scipy.signal and wengert.scipy.integrate: values beside SciPy's, derivatives beside differences."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
import wengert as wg
import wengert_numpy.autograd_numpy as np
from wengert_numpy.autograd_numpy.differential_operators import grad, make_jvp, make_vjp
from wengert_numpy.autograd_numpy.test_util import check_grads

ss = pytest.importorskip("scipy.signal")
si = pytest.importorskip("scipy.integrate")
from wengert_numpy.autograd_scipy import integrate, signal  # noqa: E402

RNG = numpy.random.default_rng(0)
A, B = RNG.standard_normal((4, 5)), RNG.standard_normal((2, 3))
MODES = ["full", "valid", "same"]

# ---- convolutions


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["convolve", "correlate", "fftconvolve"])
def test_convolutions_have_scipys_values_and_derivatives(name: str, mode: str) -> None:
    function = getattr(signal, name)
    for a, b in ((A, B), (B, A), (A[0], B[1]), (A[None] * 1j, B[None])):
        expected = getattr(ss, name)(a, b, mode)
        numpy.testing.assert_allclose(function(wg.tensor(a), b, mode=mode).numpy(), expected, atol=1e-12)
        numpy.testing.assert_allclose(function(a, b, mode=mode), expected, atol=1e-12)
    check_grads(lambda a, b: function(a, b, mode=mode), (0, 1))(A, B)


@pytest.mark.parametrize("mode", MODES)
def test_convolve_multiplies_and_sums_over_dot_axes(mode: str) -> None:
    images, filters = RNG.standard_normal((3, 2, 6, 5)), RNG.standard_normal((2, 4, 3, 2))

    def layer(images: Any, filters: Any) -> Any:
        return signal.convolve(images, filters, axes=([2, 3], [2, 3]), dot_axes=([1], [0]), mode=mode)

    expected = [[sum(ss.convolve(images[i, c], filters[c, k], mode) for c in range(2)) for k in range(4)]
                for i in range(3)]  # fmt: skip
    numpy.testing.assert_allclose(layer(images, filters), expected, atol=1e-12)
    check_grads(layer, (0, 1), order=1)(images, filters)


def test_convolve_of_four_axes_and_of_integers_is_scipys() -> None:
    a = RNG.integers(-3, 4, (3, 2, 3, 2))
    numpy.testing.assert_array_equal(signal.convolve(a, a), ss.convolve(a, a))
    assert signal.convolve([1, 2, 3], [0, 1, 2]).dtype == numpy.int64
    check_grads(lambda x: signal.convolve(x, a), order=1)(a * 0.5)


def test_detrend_has_scipys_values_and_derivatives() -> None:
    for kind in ("linear", "constant"):
        numpy.testing.assert_allclose(signal.detrend(wg.tensor(A), 0, kind).numpy(), ss.detrend(A, 0, kind), atol=1e-12)
        check_grads(lambda a, kind=kind: signal.detrend(a, type=kind))(A)
    with pytest.raises(TypeError, match=r"detrend\(\): argument 'bp'"):
        signal.detrend(wg.tensor(A), bp=[2])


@pytest.mark.parametrize("name", ["convolve", "fftconvolve"])
def test_bad_convolutions_raise_scipys_errors(name: str) -> None:
    function = getattr(signal, name)
    with pytest.raises(ValueError, match="acceptable mode flags"):
        function(wg.tensor(A), B, mode="odd")
    with pytest.raises(ValueError, match="at least as large as the other in every dimension"):
        function(wg.tensor(A), B.repeat(2, axis=1), mode="valid")
    with pytest.raises(ValueError, match="same dimensionality"):
        function(wg.tensor(A), B[0])


# ---- odeint

Y0, TIMES, RATES = numpy.array([0.3, 0.2]), numpy.array([0.0, 0.4, 1.0]), numpy.array([1.3, 0.7])


def pendulum(y: Any, t: Any, a: Any, b: Any) -> Any:
    return [y[1] * a, -b * np.sin(y[0]) + t]


def solution(x: Any) -> Any:
    return integrate.odeint(pendulum, x[:2], x[2:5], (x[5], x[6]), rtol=1e-11, atol=1e-11)


START = numpy.concatenate([Y0, TIMES, RATES])


def assert_close_to_differences(function: Any, x: Any, step: float = 1e-3) -> None:
    """Assert that both modes agree with differences of fourth order: of an adaptive method, small steps see noise."""
    v = RNG.standard_normal(x.shape)
    near, far = (function(x + k * step * v) - function(x - k * step * v) for k in (1, 2))
    expected = (8 * near - far) / (12 * step)
    y, tangent = make_jvp(function)(x)(v)
    numpy.testing.assert_allclose(tangent, expected, rtol=1e-6, atol=1e-6)
    cotangent = RNG.standard_normal(y.shape)
    found = make_vjp(function)(x)[0](cotangent)
    numpy.testing.assert_allclose(numpy.sum(found * v), numpy.sum(expected * cotangent), rtol=1e-6, atol=1e-6)


def test_odeint_has_scipys_values() -> None:
    expected = si.odeint(pendulum, Y0, TIMES, tuple(RATES))
    numpy.testing.assert_array_equal(integrate.odeint(pendulum, Y0, TIMES, tuple(RATES)), expected)
    got = integrate.odeint(pendulum, wg.tensor(Y0), TIMES, tuple(RATES))
    assert type(got) is wg.Tensor
    numpy.testing.assert_allclose(got.numpy(), expected)


def test_odeint_has_derivatives_by_start_times_and_arguments() -> None:
    assert_close_to_differences(solution, START)


def test_odeint_has_second_derivatives() -> None:
    assert_close_to_differences(grad(lambda x: np.sum(solution(x) ** 2)), START)
    assert_close_to_differences(lambda x: make_jvp(solution)(x)(np.ones(7))[1], START)


def test_odeint_takes_nested_arguments_and_time_first() -> None:
    def decay(t: Any, y: Any, rates: Any, power: int) -> Any:
        return -rates["a"] * y**power

    def last(rate: Any) -> Any:
        return integrate.odeint(decay, numpy.array([1.0, 2.0]), [0.0, 1.0], ({"a": rate}, 1), tfirst=True)[-1]

    numpy.testing.assert_allclose(grad(lambda rate: np.sum(last(rate)))(0.5), -3 * numpy.exp(-0.5), rtol=1e-6)


def test_odeint_of_one_number_and_a_constant_slope() -> None:
    y0 = wg.tensor(0.5, dtype=wg.float64, requires_grad=True)
    ys = integrate.odeint(lambda y, t: [2.0], y0, [0.0, 1.0, 3.0])
    assert ys.shape == (3, 1)
    ys[-1].backward()
    numpy.testing.assert_allclose(y0.grad, 1.0)


def test_odeint_refuses_a_tensor_that_is_no_argument() -> None:
    rate = wg.tensor(0.5, dtype=wg.float64, requires_grad=True)
    with pytest.raises(TypeError, match="give it in args"):
        integrate.odeint(lambda y, t: y * rate, wg.tensor(Y0), TIMES)
    with pytest.raises(TypeError, match="give it in args"):
        integrate.odeint(lambda y, t: y * rate, Y0, TIMES)
    with pytest.raises(TypeError, match="'full_output'"):
        integrate.odeint(pendulum, wg.tensor(Y0), TIMES, tuple(RATES), full_output=True)


# ---- solve_ivp and integrals of samples


def robertson(t: Any, y: Any, rate: float = 0.04) -> Any:
    first, second = -rate * y[0] + 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
    return [first, -first - second, second]


@pytest.mark.parametrize("method", ["Radau", "BDF", "LSODA", si.BDF])
@pytest.mark.parametrize("inputs", ["arrays", "tensors"])
def test_solve_ivp_gets_the_jacobian(method: Any, inputs: str) -> None:
    calls: list[Any] = []

    def fun(t: Any, y: Any, rate: float) -> Any:
        calls.append(type(y))
        return robertson(t, y, rate)

    start: Any = wg.tensor([1.0, 0.0, 0.0]) if inputs == "tensors" else [1, 0, 0]
    got = integrate.solve_ivp(fun, (0.0, 10.0), start, method, args=(0.04,), inputs=inputs, rtol=1e-8, atol=1e-10)
    expected = si.solve_ivp(robertson, (0.0, 10.0), [1.0, 0.0, 0.0], "BDF", rtol=1e-8, atol=1e-10)
    assert type(got.y) is numpy.ndarray
    assert got.njev > 0
    assert len(calls) == got.nfev + got.njev
    assert inputs == "arrays" or set(calls) == {wg.Tensor}
    numpy.testing.assert_allclose(got.y[:, -1], expected.y[:, -1], rtol=1e-5)


def test_solve_ivp_takes_events_and_a_jacobian_of_tensors() -> None:
    def half(t: Any, y: Any) -> Any:
        return (y - 0.5)[0]

    half.terminal = True  # type: ignore[attr-defined]
    got = integrate.solve_ivp(lambda t, y: -y, (0, 5), wg.ones(2), "Radau", events=[half], inputs="tensors",
                              jac=lambda t, y: -wg.eye(2), rtol=1e-8)  # fmt: skip
    numpy.testing.assert_allclose(got.t_events[0], numpy.log(2), rtol=1e-6)
    assert integrate.solve_ivp(lambda t, y: [np.cos(t)], (0, 1), [0.0], "BDF").success
    assert integrate.solve_ivp(lambda t, y: -1j * y, (0, 1), [1 + 0j], "BDF").y.dtype.kind == "c"


@pytest.mark.parametrize("x", [None, numpy.array([0.0, 0.5, 0.7, 2.0, 2.5])])
def test_integrals_of_samples_have_scipys_values_and_derivatives(x: Any) -> None:
    numpy.testing.assert_allclose(integrate.trapezoid(wg.tensor(A), x).numpy(), si.trapezoid(A, x))
    got = integrate.cumulative_trapezoid(wg.tensor(A), x, initial=0).numpy()
    numpy.testing.assert_allclose(got, si.cumulative_trapezoid(A, x, initial=0))
    check_grads(lambda a: integrate.cumulative_trapezoid(a, x))(A)
    with pytest.raises(ValueError, match="`initial` must be"):
        integrate.cumulative_trapezoid(wg.tensor(A), initial=1.0)
