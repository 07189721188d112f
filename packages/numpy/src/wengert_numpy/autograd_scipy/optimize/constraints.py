"""Constraints whose derivatives are wengert's."""

from __future__ import annotations

import copy
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy

from wengert_numpy.autograd_scipy.derivatives import Recording, adapt, hess, outputs, require_inputs

_optimize = import_module("scipy.optimize")

SCIPYS: Any = _optimize.NonlinearConstraint


class NonlinearConstraint(SCIPYS):  # type: ignore[misc]
    """SciPy's constraint ``lb <= fun(x) <= ub``. Where ``jac`` and ``hess`` are not given they are wengert's.

    inputs: Note [Inputs of a function] in derivatives.py.
    """

    def __init__(
        self, fun: Callable[..., Any], lb: Any, ub: Any, jac: Any = None, hess: Any = None, *args: Any,
        inputs: str = "arrays", **kwargs: Any,
    ) -> None:  # fmt: skip
        require_inputs(inputs)
        recorded = Recording(fun, inputs)
        super().__init__(
            recorded.value if jac is None else outputs(fun, inputs), lb, ub,
            recorded.jac if jac is None else outputs(jac, inputs) if callable(jac) else jac,
            weighted_hessian(fun, inputs) if hess is None and not isinstance(jac, str) else hess, *args, **kwargs,
        )  # fmt: skip


def weighted_hessian(fun: Callable[..., Any], inputs: str) -> Callable[..., Any]:
    """Return a function of (x, v) that gives the Hessian of the product of v with a function's values."""

    def matrix(x: Any, v: Any) -> Any:
        adapted = adapt(fun, inputs)
        return hess(lambda point: numpy.sum(v * adapted(point)))(x)

    return matrix


def with_derivatives(constraints: Any, inputs: str, hessians: bool = False) -> Any:
    """Return constraints, or one, with a Jacobian for each dict that has none.

    hessians: whether the method uses second derivatives of constraints, for which SciPy's dicts have no place.
    """
    if isinstance(constraints, (list, tuple)):
        return [with_derivatives(one, inputs, hessians) for one in constraints]
    if isinstance(constraints, dict):
        return of_dict(constraints, inputs, hessians)
    if isinstance(constraints, NonlinearConstraint) and not hessians:  # SciPy warns of a Hessian that is not used
        constraints = copy.copy(constraints)
        constraints.hess = _optimize.BFGS()
    return constraints


def of_dict(constraint: dict[str, Any], inputs: str, hessians: bool) -> Any:
    """Return a constraint, a dict with "type" and "fun", with its derivatives."""
    fun, kind = constraint.get("fun"), str(constraint.get("type")).lower()
    if not callable(fun) or kind not in ("eq", "ineq"):
        return constraint  # SciPy has the error for it
    jacobian = constraint.get("jac")
    if jacobian is not None:
        new = outputs(jacobian, inputs) if callable(jacobian) else jacobian
        return {**constraint, "fun": outputs(fun, inputs), "jac": new}
    if hessians:
        args = constraint.get("args", ())
        return NonlinearConstraint(lambda x: fun(x, *args), 0.0, 0.0 if kind == "eq" else numpy.inf, inputs=inputs)
    recorded = Recording(fun, inputs)
    return {**constraint, "fun": recorded.value, "jac": recorded.jac}
