"""SciPy's solvers with callbacks that return tensors: the C and Fortran code behind them takes arrays only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import wengert as wg

optimize = pytest.importorskip("scipy.optimize", reason="SciPy is not installed")
integrate = pytest.importorskip("scipy.integrate", reason="SciPy is not installed")

START = np.array([-1.2, 1.0, 0.8])
NO_HESSIAN = ("BFGS", "CG", "L-BFGS-B", "SLSQP")
WITH_HESSIAN = ("Newton-CG", "dogleg", "trust-ncg", "trust-krylov", "trust-exact", "trust-constr")
RETURNS: dict[str, Callable[[Any], Any]] = {"tensors": lambda x: x, "arrays": lambda x: x.numpy()}


def banana(x: Any) -> Any:
    """Return Rosenbrock's function of a tensor."""
    return ((1 - x[:-1]) ** 2).sum() + 100 * ((x[1:] - x[:-1] ** 2) ** 2).sum()


def residuals(x: Any) -> Any:
    """Return the terms of Rosenbrock's function."""
    return wg.cat([10 * (x[1:] - x[:-1] ** 2), 1 - x[:-1]])


def of_arrays(function: Callable[[Any], Any], convert: Callable[[Any], Any] = lambda x: x) -> Callable[[Any], Any]:
    """Return a function of arrays that gives what a function of tensors does."""
    return lambda x: convert(function(wg.as_tensor(x, dtype=wg.float64)))


@pytest.mark.parametrize("returns", RETURNS)
@pytest.mark.parametrize("start", [START, wg.tensor(START)], ids=["array", "tensor"])
@pytest.mark.parametrize("method", NO_HESSIAN + WITH_HESSIAN)
def test_minimize_takes_values_gradients_and_hessians(method: str, start: Any, returns: str) -> None:
    convert = RETURNS[returns]
    found = optimize.minimize(
        of_arrays(banana, convert),
        start,
        jac=of_arrays(wg.func.grad(banana), convert),
        hess=of_arrays(wg.func.hessian(banana), convert) if method in WITH_HESSIAN else None,
        method=method,
    )
    assert type(found.x) is np.ndarray
    np.testing.assert_allclose(found.x, 1, atol=1e-3)


@pytest.mark.parametrize("returns", RETURNS)
def test_minimize_takes_value_and_gradient_together(returns: str) -> None:
    def function(x: Any) -> Any:
        grad, value = wg.func.grad_and_value(banana)(wg.tensor(x))
        return RETURNS[returns](value), RETURNS[returns](grad)

    np.testing.assert_allclose(optimize.minimize(function, START, jac=True).x, 1, atol=1e-4)


def test_minimize_takes_products_with_the_hessian() -> None:
    def product(x: Any, p: Any) -> Any:
        return wg.func.jvp(wg.func.grad(banana), (wg.as_tensor(x),), (wg.as_tensor(p),))[1]

    jac = of_arrays(wg.func.grad(banana))
    for method in ("Newton-CG", "trust-ncg", "trust-krylov"):
        found = optimize.minimize(of_arrays(banana), START, jac=jac, hessp=product, method=method)
        np.testing.assert_allclose(found.x, 1, atol=1e-3)


@pytest.mark.parametrize("method", ["Nelder-Mead", "Powell", "BFGS"])
def test_minimize_takes_values_alone(method: str) -> None:
    found = optimize.minimize(of_arrays(banana), START, method=method, tol=1e-8)
    np.testing.assert_allclose(found.x, 1, atol=1e-3)


def test_a_value_with_a_history_is_refused_and_not_detached() -> None:
    def function(x: Any) -> Any:
        return banana(wg.tensor(x, requires_grad=True))

    with pytest.raises(RuntimeError, match=r"Use tensor\.detach\(\)\.numpy\(\)"):
        optimize.minimize(function, START)


@pytest.mark.parametrize("returns", RETURNS)
@pytest.mark.parametrize("method", ["trf", "dogbox", "lm"])
def test_least_squares_takes_residuals_and_jacobians(method: str, returns: str) -> None:
    convert = RETURNS[returns]
    jac = of_arrays(wg.func.jacrev(residuals), convert)
    for start in (START, wg.tensor(START)):
        found = optimize.least_squares(of_arrays(residuals, convert), start, jac=jac, method=method)
        np.testing.assert_allclose(found.x, 1, atol=1e-6)
    np.testing.assert_allclose(optimize.least_squares(of_arrays(residuals, convert), START).x, 1, atol=1e-6)


def test_functions_that_look_for_roots_take_tensors() -> None:
    cube, slope = of_arrays(lambda x: x**3 - 1), of_arrays(lambda x: wg.diag(3 * x**2))
    for method in ("hybr", "lm"):
        np.testing.assert_allclose(optimize.root(cube, START + 2, jac=slope, method=method).x, 1)
    for method in ("broyden1", "krylov", "df-sane", "anderson"):
        found = optimize.root(of_arrays(lambda x: 2 * x - 2), START + 1, method=method)
        np.testing.assert_allclose(found.x, 1, atol=1e-5)
    np.testing.assert_allclose(optimize.fsolve(cube, START + 2), 1)
    np.testing.assert_allclose(optimize.brentq(cube, 0.0, 3.0), 1)


def test_constraints_and_fits_take_tensors() -> None:
    bound, slope = of_arrays(lambda x: 10 - x.sum()), of_arrays(lambda x: -wg.ones_like(x))
    constraint = {"type": "ineq", "fun": bound, "jac": slope}
    jac = of_arrays(wg.func.grad(banana))
    found = optimize.minimize(of_arrays(banana), START, jac=jac, method="SLSQP", constraints=[constraint])
    np.testing.assert_allclose(found.x, 1, atol=1e-3)
    t = np.linspace(0, 1, 9)
    fit, _ = optimize.curve_fit(lambda x, a, b: a * wg.exp(-b * wg.tensor(x)), t, 2 * np.exp(-3 * t))
    np.testing.assert_allclose(fit, [2, 3])


@pytest.mark.parametrize("returns", RETURNS)
@pytest.mark.parametrize("method", ["RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA"])
def test_solve_ivp_takes_slopes_jacobians_and_events(method: str, returns: str) -> None:
    convert = RETURNS[returns]
    implicit = method in ("Radau", "BDF", "LSODA")
    options: dict[str, Any] = {"jac": lambda t, y: convert(-wg.eye(2, dtype=wg.float64))} if implicit else {}
    for start in (np.array([1.0, 2.0]), wg.tensor([1.0, 2.0], dtype=wg.float64)):
        found = integrate.solve_ivp(
            lambda t, y: convert(-wg.as_tensor(y)), (0, 1), start, method=method, rtol=1e-8,
            events=lambda t, y: convert(wg.as_tensor(y)[0] - 0.5), **options,
        )  # fmt: skip
        np.testing.assert_allclose(found.y[:, -1], np.exp(-1) * np.array([1, 2]), rtol=1e-4)
        np.testing.assert_allclose(found.t_events[0], [np.log(2)], rtol=1e-4)
