"""Calls of scipy.integrate, scipy.differentiate and scipy.optimize's functions of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import differentiate, integrate, optimize
from scipy.optimize import elementwise

from .client_calls import ClientCall, constant
from .numpy_calls import of, varying


def namespace(x: Any) -> Any:
    """Return the namespace of an array or a tensor."""
    return np if isinstance(x, (np.ndarray, np.generic)) else x.__array_namespace__()


def call(function: Any, *args: Any, **kwargs: Any) -> ClientCall:
    """Return a call of a function."""
    return ClientCall(function.__name__, function, *args, **kwargs)


def wave(x: Any, a: Any) -> Any:
    """Return sin(a x)."""
    return namespace(x).sin(a * x)


def wave_plus_cube(x: Any, a: Any) -> Any:
    """Return a function with one root, and its minimum at another place."""
    return namespace(x).exp(a * x) + x**2 - 3.0


def bowl(x: Any, a: Any) -> Any:
    """Return a function with one minimum."""
    return namespace(x).exp(a * x) - 2 * x


def squares(x: Any) -> Any:
    """Return two functions of three variables."""
    xp = namespace(x)
    return xp.stack([x[0] * xp.sin(x[1]), x[2] ** 2 * x[0]])


def product(x: Any) -> Any:
    """Return a function of three variables."""
    return x[0] ** 2 * namespace(x).sin(x[1]) + x[2] ** 3 * x[0]


def fields(*names: str) -> Any:
    """Return a function that takes those results of a call that have a derivative, or none, by their names."""
    return lambda result: [getattr(result, name) for name in names]


X, Y = varying(9, seed=1), varying(3, 9, seed=2)
A = of([0.8, 1.3])
GRID = np.cumsum(np.linspace(0.1, 0.4, 9))

CALLS = [
    call(integrate.trapezoid, Y), call(integrate.trapezoid, Y, X), call(integrate.trapezoid, Y, dx=0.3, axis=0),
    call(integrate.cumulative_trapezoid, Y), call(integrate.cumulative_trapezoid, Y, X, initial=0),
    call(integrate.cumulative_simpson, Y, dx=0.2), call(integrate.cumulative_simpson, Y, x=of(GRID), initial=of(1.0)),
    call(integrate.romb, X, mutates=True), call(integrate.romb, Y, dx=0.5, mutates=True),
    call(integrate.tanhsinh, wave, of(0.0), of([1.0, 2.0]), args=(A,), result=fields("integral")),
    call(integrate.tanhsinh, wave, of(0.0), of([1.0, 2.0]), args=(A,), log=False, result=fields("success", "status")),
    call(integrate.nsum, lambda x, a: a / (x + a) ** 2, constant(1.0), constant(np.inf), args=(A,),
         result=fields("sum"), infinite=True),
    call(integrate.nsum, lambda x, a: a / x**2, constant(1.0), constant(20.0), args=(A,), result=fields("sum")),
    call(integrate.cubature, lambda x, a: namespace(x).exp(-a * x[:, 0] * x[:, 1]), of([0.0, 0.0]), of([1.0, 2.0]),
         args=(of(0.7),), result=fields("estimate")),
    call(integrate.qmc_quad, lambda x: namespace(x).sum(x**2, axis=0), of([0.0, 0.0]), of([1.0, 2.0]), n_points=64,
         qrng=None, result=lambda r: np.shape(r.integral)),
    # ---- differentiate
    call(differentiate.derivative, wave, X, args=(of(0.8),), result=fields("df"), rtol=1e-6, derivative_rtol=1e-4),
    call(differentiate.jacobian, squares, varying(3), result=fields("df"), rtol=1e-6, derivative_rtol=1e-4),
    call(differentiate.hessian, product, varying(3), result=fields("ddf"), rtol=1e-5, derivative_rtol=1e-2),
    # ---- optimize
    call(elementwise.find_root, wave_plus_cube, (of([0.0, 0.0]), of([2.0, 2.0])), args=(A,), result=fields("x")),
    call(elementwise.find_minimum, bowl, (of([-2.0, -2.0]), of([0.0, 0.0]), of([2.0, 2.0])), args=(A,),
         result=fields("x"), mutates=True,
         derivative_rtol=1e-2),
    call(elementwise.find_minimum, bowl, (of([-2.0, -2.0]), of([0.0, 0.0]), of([2.0, 2.0])), args=(A,),
         result=fields("f_x"), mutates=True),
    call(elementwise.bracket_root, wave_plus_cube, of([0.0, 0.0]), of([0.1, 0.1]), args=(A,), result=fields("bracket")),
    call(elementwise.bracket_minimum, bowl, of([0.0, 0.0]), args=(A,), result=fields("bracket")),
    call(optimize.rosen, X), call(optimize.rosen_der, X), call(optimize.rosen_hess, X),
    call(optimize.rosen_hess_prod, X, varying(9, seed=3)),
]
