"""Least squares, roots and fits with derivatives by wengert."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from importlib import import_module
from typing import Any

import numpy
import wengert as wg

from wengert_numpy.autograd_numpy import differential_operators as operators
from wengert_numpy.autograd_scipy.derivatives import (
    Recording,
    adapt,
    as_point,
    grad,
    outputs,
    require_inputs,
    to_scipy,
)  # fmt: skip
from wengert_numpy.autograd_scipy.derivatives import (
    jac as jac_of,
)

_optimize = import_module("scipy.optimize")

F = Callable[..., Any]
WITH_JACOBIAN = ("hybr", "lm")
"""Methods of ``root`` that use the Jacobian."""


def pair_of(fun: F, jac: Any, inputs: str) -> tuple[Any, Any]:
    """Return a function and its Jacobian for SciPy; one that is given in place of wengert's."""
    require_inputs(inputs)
    if jac is None:
        recorded = Recording(fun, inputs)
        return recorded.value, recorded.jac
    return outputs(fun, inputs), outputs(jac, inputs) if callable(jac) else jac


def least_squares(fun: F, x0: Any, jac: Any = None, *args: Any, inputs: str = "arrays", **kwargs: Any) -> Any:
    """Return SciPy's result of a least-squares problem, with the Jacobian of the residuals by wengert.

    args, kwargs: as SciPy has them, after ``jac``.
    inputs: what fun and jac are written for: "arrays" or "tensors".

    >>> import numpy as np
    >>> least_squares(lambda x: np.array([1.0, 2.0]) * x - 2, np.zeros(1)).x.round(6)
    array([1.2])
    """
    residuals, jacobian = pair_of(fun, jac, inputs)
    return _optimize.least_squares(residuals, as_point(x0), jacobian, *args, **kwargs)


def root(
    fun: F, x0: Any, args: Any = (), method: str = "hybr", jac: Any = None, tol: Any = None, callback: Any = None,
    options: Any = None, *, inputs: str = "arrays",
) -> Any:  # fmt: skip
    """Return SciPy's result of the search for a root of a function of an array, with the Jacobian by wengert.

    inputs: what fun and jac are written for: "arrays" or "tensors".
    """
    args = args if isinstance(args, tuple) else (args,)
    if jac is None and method.lower() not in WITH_JACOBIAN:
        function, jacobian = outputs(fun, inputs), None
    elif jac is True:
        function = outputs(lambda x, *rest: fun(x, *rest)[0], inputs)
        jacobian = outputs(lambda x, *rest: fun(x, *rest)[1], inputs)
    else:
        function, jacobian = pair_of(fun, jac, inputs)
    return _optimize.root(function, as_point(x0), args, method, jacobian, tol, callback, options)


def fsolve(func: F, x0: Any, args: Any = (), fprime: Any = None, *rest: Any, inputs: str = "arrays",
           **kwargs: Any) -> Any:  # fmt: skip
    """Return SciPy's root of a function of an array, with the Jacobian by wengert."""
    function, jacobian = pair_of(func, fprime, inputs)
    return _optimize.fsolve(function, as_point(x0), args, jacobian, *rest, **kwargs)


def root_scalar(f: F, args: Any = (), method: Any = None, bracket: Any = None, fprime: Any = None, fprime2: Any = None,
                x0: Any = None, *rest: Any, inputs: str = "arrays", **kwargs: Any) -> Any:  # fmt: skip
    """Return SciPy's result of the search for a root of a function of a number; methods "newton" and "halley" get
    derivatives by wengert.
    """
    require_inputs(inputs)
    if fprime is None and method in ("newton", "halley"):
        fprime = slope(f, inputs)
    if fprime2 is None and method == "halley":
        fprime2 = slope(slope_in_arrays(f, inputs), "arrays")
    x0 = None if x0 is None else float(to_scipy(x0))
    return _optimize.root_scalar(outputs(f, inputs), args, method, bracket, fprime, fprime2, x0, *rest, **kwargs)


def slope(f: F, inputs: str) -> F:
    """Return the derivative of a function of a number, as a number."""
    derivative = grad(f, inputs)
    return lambda x, *args: float(derivative(x, *args))


def slope_in_arrays(f: F, inputs: str) -> F:
    """Return the derivative of a function of a number, which has derivatives."""
    return lambda x, *args: operators.grad(adapt(f, inputs, args))(x)


def curve_fit(
    f: F, xdata: Any, ydata: Any, p0: Any = None, sigma: Any = None, *args: Any, jac: Any = None,
    inputs: str = "arrays", **kwargs: Any,
) -> Any:  # fmt: skip
    """Return SciPy's fit of f(xdata, *parameters) to data, with the derivatives by the parameters by wengert.

    inputs: "tensors" where f is written for tensors: xdata and parameters are tensors then.
    """
    require_inputs(inputs)

    def of_parameters(p: Any, x: Any) -> Any:
        return f(wg.from_numpy(numpy.array(x)) if inputs == "tensors" else x, *(p[i] for i in range(len(p))))

    def values(x: Any, *parameters: Any) -> Any:
        return outputs(of_parameters, inputs)(numpy.array(parameters), x)

    def derivatives(x: Any, *parameters: Any) -> Any:
        return jac_of(of_parameters, inputs)(numpy.array(parameters), x)

    update_wrapper(values, f)
    xdata, ydata, p0, sigma = map(to_scipy, (xdata, ydata, p0, sigma))
    return _optimize.curve_fit(
        values, xdata, ydata, p0, sigma, *args, jac=derivatives if jac is None else jac, **kwargs
    )
