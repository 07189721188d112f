"""``minimize`` with derivatives by wengert."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import wengert as wg

from wengert_numpy.autograd_scipy.derivatives import (
    HessianProducts,
    as_point,
    outputs,
    require_inputs,
    to_scipy,
    value_and_grad,
)  # fmt: skip
from wengert_numpy.autograd_scipy.derivatives import (
    hess as hess_of,
)
from wengert_numpy.autograd_scipy.optimize.constraints import with_derivatives

_optimize = import_module("scipy.optimize")

WITHOUT_GRADIENT = ("nelder-mead", "powell", "cobyla", "cobyqa")
"""Methods that use values only."""
WITH_PRODUCTS = ("newton-cg", "trust-ncg", "trust-krylov", "trust-constr")
"""Methods that use products of the Hessian with vectors."""
WITH_HESSIAN = ("dogleg", "trust-exact")
"""Methods that use the Hessian."""


def minimize(
    fun: Callable[..., Any], x0: Any, args: Any = (), method: Any = None, jac: Any = None, hess: Any = None,
    hessp: Any = None, bounds: Any = None, constraints: Any = (), tol: Any = None, callback: Any = None,
    options: Any = None, *, inputs: str = "arrays",
) -> Any:  # fmt: skip
    """Return SciPy's result of the minimization of a function of an array, with derivatives by wengert.

    The value and the gradient come of one pass; methods that use second derivatives get products with the Hessian, or
    the Hessian where they need it. Derivatives that are given are used instead: ``jac="2-point"``, say.
    x0: an array or a tensor; the result has NumPy's arrays in double precision.
    inputs: what fun, jac, hess, hessp and constraints are written for: "arrays" or "tensors".

    >>> import numpy as np
    >>> minimize(lambda x: ((x - 1) ** 2).sum() + 3, np.zeros(2)).x.round(6)
    array([1., 1.])
    """
    require_inputs(inputs)
    args = args if isinstance(args, tuple) else (args,)
    name = method.lower() if isinstance(method, str) else None
    derivatives: dict[str, Any] = {"hess": in_arrays(hess, inputs), "hessp": products_in_arrays(hessp, inputs)}
    if hess is None and hessp is None:
        if name in WITH_HESSIAN:
            derivatives["hess"] = hess_of(fun, inputs)
        elif name in WITH_PRODUCTS or callable(method):
            derivatives["hessp"] = HessianProducts(fun, inputs)
    function, derivatives["jac"] = objective(fun, jac, name, inputs)
    constraints = with_derivatives(constraints, inputs, hessians=name == "trust-constr")
    return _optimize.minimize(
        function, as_point(x0), args, method, bounds=bounds, constraints=constraints, tol=tol, callback=callback,
        options=options, **derivatives,
    )  # fmt: skip


def objective(fun: Callable[..., Any], jac: Any, method: str | None, inputs: str) -> tuple[Any, Any]:
    """Return the function and ``jac`` for SciPy."""
    if jac is None and method not in WITHOUT_GRADIENT:
        return value_and_grad(fun, inputs), True
    if jac is True:
        return outputs_of_pair(fun, inputs), True
    return outputs(fun, inputs), in_arrays(jac, inputs)


def outputs_of_pair(fun: Callable[..., Any], inputs: str) -> Callable[..., Any]:
    """Return a function that gives a value and a gradient as arrays."""
    return lambda x, *args: tuple(map(to_scipy, fun(point_of(x, inputs), *args)))


def in_arrays(derivative: Any, inputs: str) -> Any:
    """Return a derivative that a program has of its own as SciPy takes it; what is no function as it is."""
    return outputs(derivative, inputs) if callable(derivative) and not isinstance(derivative, type) else derivative


def products_in_arrays(product: Any, inputs: str) -> Any:
    """Return a program's own products with the Hessian as SciPy takes them."""
    if product is None:
        return None
    return lambda x, p, *args: to_scipy(product(point_of(x, inputs), point_of(p, inputs), *args))


def point_of(x: Any, inputs: str) -> Any:
    """Return what a function is called with at a point."""
    return wg.from_numpy(as_point(x)) if inputs == "tensors" else x
