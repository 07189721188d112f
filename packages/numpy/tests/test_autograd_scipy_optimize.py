"""wengert.scipy.optimize: results beside SciPy's with analytic derivatives, for functions of arrays and of tensors."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
import wengert as wg
import wengert_numpy.autograd_numpy as np

so = pytest.importorskip("scipy.optimize")
from wengert_numpy.autograd_scipy import optimize  # noqa: E402

X0 = numpy.array([1.3, 0.7, 0.8, 1.9, 1.2])
GRADIENT = ("CG", "BFGS", "L-BFGS-B", "TNC", "SLSQP")
HESSIAN = ("Newton-CG", "trust-ncg", "trust-krylov", "trust-constr", "trust-exact")
VALUES = ("Nelder-Mead", "Powell", "COBYQA")


def of_arrays(x: Any, scale: Any = 1.0) -> Any:
    return scale * np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def of_tensors(x: Any, scale: Any = 1.0) -> Any:
    return scale * (100.0 * (x[1:] - x[:-1].pow(2)).square() + (1 - x[:-1]).square()).sum(dim=0, keepdim=True)


BOTH = [("arrays", of_arrays), ("tensors", of_tensors)]


@pytest.mark.parametrize(("inputs", "fun"), BOTH)
def test_derivatives_have_scipys_form(inputs: str, fun: Any) -> None:
    for x in (X0, wg.tensor(X0), X0.tolist()):
        value, gradient = optimize.value_and_grad(fun, inputs)(x)
        assert type(value) is float
        for got, expected in (
            (gradient, so.rosen_der(X0)), (optimize.grad(fun, inputs)(x), so.rosen_der(X0)),
            (optimize.hess(fun, inputs)(x), so.rosen_hess(X0)),
            (optimize.hessp(fun, inputs)(x, X0 + 1), so.rosen_hess_prod(X0, X0 + 1)),
        ):  # fmt: skip
            assert type(got) is numpy.ndarray
            assert got.dtype == numpy.float64
            numpy.testing.assert_allclose(got, expected, atol=1e-10)
        numpy.testing.assert_allclose(value, so.rosen(X0))
    numpy.testing.assert_allclose(optimize.grad(fun, inputs)(X0, 2.0), 2 * so.rosen_der(X0))


@pytest.mark.parametrize(("inputs", "sine"), [("arrays", np.sin), ("tensors", wg.sin)])
@pytest.mark.parametrize("rows", [2, 9])
def test_jacobians_are_those_of_wide_and_tall_functions(inputs: str, sine: Any, rows: int) -> None:
    matrix = numpy.arange(3.0 * rows).reshape(rows, 3) / 10

    def fun(x: Any) -> Any:
        return sine((wg.tensor(matrix) if inputs == "tensors" else matrix) @ x)

    x = numpy.array([0.3, -0.2, 0.5])
    expected = numpy.cos(matrix @ x)[:, None] * matrix
    numpy.testing.assert_allclose(optimize.jac(fun, inputs)(x), expected)
    listed = optimize.jac(lambda x: [*fun(x)], inputs)(x)
    numpy.testing.assert_allclose(listed, expected)
    numpy.testing.assert_allclose(optimize.jac(lambda x: fun(x)[0], inputs)(x), expected[0])


def test_a_jacobian_without_forward_mode_is_taken_in_reverse_mode() -> None:
    from wengert_numpy.autograd_numpy.extend import defvjp, primitive

    @primitive
    def twice(x: Any) -> Any:
        return 2 * x

    defvjp(twice, lambda ans, x: lambda g: 2 * g)
    found = optimize.jac(lambda x: np.concatenate([twice(x), x]))(numpy.ones(2))
    numpy.testing.assert_array_equal(found, [[2, 0], [0, 2], [1, 0], [0, 1]])


@pytest.mark.parametrize(("inputs", "fun"), BOTH)
@pytest.mark.parametrize("method", [*GRADIENT, *HESSIAN, *VALUES])
def test_minimize_takes_the_steps_that_analytic_derivatives_take(method: str, inputs: str, fun: Any) -> None:
    analytic: dict[str, Any] = {}
    if method not in VALUES:
        analytic["jac"] = so.rosen_der
    if method in HESSIAN:
        analytic["hess" if method == "trust-exact" else "hessp"] = (
            so.rosen_hess if method == "trust-exact" else so.rosen_hess_prod
        )
    expected = so.minimize(so.rosen, X0, method=method, **analytic)
    got = optimize.minimize(fun, wg.tensor(X0) if inputs == "tensors" else X0, method=method, inputs=inputs)
    assert got.success
    assert type(got.x) is numpy.ndarray
    numpy.testing.assert_allclose(got.x, expected.x, rtol=1e-5, atol=1e-5)
    assert abs(got.nfev - expected.nfev) <= 0.2 * expected.nfev


def test_dogleg_gets_the_hessian() -> None:
    got = optimize.minimize(lambda x: np.sum(x**4 + x**2), [1.0, 2.0], method="dogleg")
    numpy.testing.assert_allclose(got.x, 0, atol=1e-4)


def test_derivatives_that_are_there_are_used() -> None:
    calls: list[str] = []

    def jac(x: Any) -> Any:
        calls.append("jac")
        return 2 * x

    def hessp(x: Any, p: Any) -> Any:
        calls.append("hessp")
        return 2 * p

    for inputs, x0 in (("arrays", [1.0, 2.0]), ("tensors", wg.tensor([1.0, 2.0]))):
        got = optimize.minimize(lambda x: (x**2).sum(), x0, method="Newton-CG", jac=jac, hessp=hessp, inputs=inputs)
        numpy.testing.assert_allclose(got.x, 0, atol=1e-8)
        assert set(calls) == {"jac", "hessp"}
        pair = optimize.minimize(lambda x: ((x**2).sum(), 2 * x), x0, jac=True, inputs=inputs)
        numpy.testing.assert_allclose(pair.x, 0, atol=1e-8)
    differences = optimize.minimize(lambda x: (x**2).sum(), [1.0, 2.0], jac="2-point")
    assert differences.nfev == 3 * differences.njev


def test_minimize_hands_over_arguments_and_callbacks() -> None:
    seen: list[Any] = []
    got = optimize.minimize(of_arrays, X0, 3.0, "BFGS", callback=lambda xk: seen.append(type(xk)))
    numpy.testing.assert_allclose(got.fun, 0, atol=1e-8)
    assert set(seen) == {numpy.ndarray}


@pytest.mark.parametrize("method", ["SLSQP", "trust-constr", "COBYLA"])
@pytest.mark.parametrize("inputs", ["arrays", "tensors"])
def test_constraints_get_derivatives(method: str, inputs: str) -> None:
    constraints = [{"type": "ineq", "fun": lambda x, low: x[0] * x[1] - low, "args": (1.0,)},
                   {"type": "ineq", "fun": lambda x: 4 - x[0]}]  # fmt: skip
    got = optimize.minimize(lambda x: (x**2).sum(), [2.0, 0.7], method=method, constraints=constraints, inputs=inputs)
    numpy.testing.assert_allclose(got.x, 1.0, atol=2e-3)


@pytest.mark.parametrize("method", ["SLSQP", "trust-constr"])
def test_a_nonlinear_constraint_gets_derivatives(method: str) -> None:
    constraint = optimize.NonlinearConstraint(lambda x: [x[0] * x[1], x[0]], [1.0, -numpy.inf], [numpy.inf, 4.0])
    assert isinstance(constraint, so.NonlinearConstraint)
    numpy.testing.assert_allclose(constraint.hess(numpy.ones(2), numpy.array([2.0, 1.0])), [[0, 2], [2, 0]])
    got = optimize.minimize(lambda x: (x**2).sum(), [2.0, 0.7], method=method, constraints=constraint)
    numpy.testing.assert_allclose(got.x, 1.0, atol=2e-3)


# ---- least squares, roots, fits

TIMES = numpy.linspace(0, 4, 40)
DATA = 2.5 * numpy.exp(-1.3 * TIMES) + 0.5


def model(t: Any, a: Any, b: Any, c: Any) -> Any:
    return a * np.exp(-b * t) + c


def analytic_jac(p: Any) -> Any:
    e = numpy.exp(-p[1] * TIMES)
    return numpy.stack([e, -p[0] * TIMES * e, numpy.ones_like(e)], axis=1)


@pytest.mark.parametrize("method", ["trf", "dogbox", "lm"])
@pytest.mark.parametrize("inputs", ["arrays", "tensors"])
def test_least_squares_takes_the_steps_of_the_analytic_jacobian(method: str, inputs: str) -> None:
    def residuals(p: Any) -> Any:
        if inputs == "tensors":
            return p[0] * wg.exp(-p[1] * wg.tensor(TIMES)) + p[2] - wg.tensor(DATA)
        return model(TIMES, *p) - DATA

    expected = so.least_squares(lambda p: model(TIMES, *p) - DATA, numpy.ones(3), analytic_jac, method=method)
    got = optimize.least_squares(residuals, wg.ones(3), method=method, inputs=inputs)
    numpy.testing.assert_allclose(got.x, [2.5, 1.3, 0.5], rtol=1e-6)
    assert got.nfev == expected.nfev
    assert got.njev == expected.njev


def test_least_squares_takes_arguments_and_a_given_jacobian() -> None:
    got = optimize.least_squares(lambda p, t: model(t, *p) - DATA, numpy.ones(3), args=(TIMES,))
    analytic = optimize.least_squares(lambda p: model(TIMES, *p) - DATA, numpy.ones(3), analytic_jac)
    square = optimize.least_squares(lambda x: x**2 - 2, numpy.ones(2), bounds=(0, 2))
    numpy.testing.assert_allclose(got.x, analytic.x)
    numpy.testing.assert_allclose(square.x, 2**0.5)


def equations(x: Any) -> Any:
    return [x[0] + 0.5 * (x[0] - x[1]) ** 3 - 1.0, 0.5 * (x[1] - x[0]) ** 3 + x[1]]


@pytest.mark.parametrize("method", ["hybr", "lm", "broyden1", "df-sane"])
@pytest.mark.parametrize("inputs", ["arrays", "tensors"])
def test_root_finds_what_scipy_finds(method: str, inputs: str) -> None:
    got = optimize.root(equations, [0.0, 0.0], method=method, inputs=inputs)
    numpy.testing.assert_allclose(got.x, so.root(equations, [0.0, 0.0]).x, rtol=1e-5)
    if method == "hybr":
        assert got.njev > 0


def test_root_evaluates_value_and_jacobian_of_a_point_once() -> None:
    calls: list[Any] = []

    def fun(x: Any) -> Any:
        calls.append(x)
        return x**3 - 2

    got = optimize.root(fun, [1.0])
    assert len(calls) <= got.nfev + 1
    pair = optimize.root(lambda x: (x**3 - 2, np.diag(3 * x**2)), [1.0], jac=True)
    numpy.testing.assert_allclose(pair.x, got.x)
    numpy.testing.assert_allclose(optimize.fsolve(lambda x: x**3 - 2, [1.0]), 2 ** (1 / 3))


@pytest.mark.parametrize("method", ["newton", "halley"])
@pytest.mark.parametrize(("inputs", "cosine"), [("arrays", np.cos), ("tensors", wg.cos)])
def test_root_scalar_gets_derivatives(method: str, inputs: str, cosine: Any) -> None:
    got = optimize.root_scalar(lambda x, a: cosine(x) - a * x, (1.0,), method, x0=0.5, inputs=inputs)
    numpy.testing.assert_allclose(got.root, 0.7390851332151607)
    assert optimize.root_scalar(lambda x: x - 1, bracket=(0.0, 3.0)).root == 1.0


@pytest.mark.parametrize("inputs", ["arrays", "tensors"])
def test_curve_fit_gets_derivatives_by_the_parameters(inputs: str) -> None:
    function = model if inputs == "arrays" else lambda t, a, b, c: a * wg.exp(-b * t) + c
    parameters, covariance = optimize.curve_fit(function, TIMES, DATA + 0.01 * numpy.sin(9 * TIMES), inputs=inputs)
    expected = so.curve_fit(model, TIMES, DATA + 0.01 * numpy.sin(9 * TIMES), jac=lambda t, *p: analytic_jac(p))
    numpy.testing.assert_allclose(parameters, expected[0], rtol=1e-6)
    numpy.testing.assert_allclose(covariance, expected[1], rtol=1e-5)


# ---- errors


def test_a_value_that_is_no_number_is_refused() -> None:
    with pytest.raises(TypeError, match="must return a real number, not an array of shape"):
        optimize.minimize(lambda x: x**2, [1.0, 2.0])


@pytest.mark.parametrize("function", [optimize.value_and_grad, optimize.jac, optimize.hess, optimize.hessp])
def test_inputs_are_arrays_or_tensors(function: Any) -> None:
    with pytest.raises(ValueError, match="argument 'inputs' = 'lists'"):
        function(of_arrays, "lists")


def test_rosen_takes_tensors() -> None:
    numpy.testing.assert_allclose(optimize.rosen(wg.tensor(X0)).numpy(), so.rosen(X0))
