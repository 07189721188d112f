"""``wengert.scipy.integrate``: initial value problems: odeint with derivatives of the solution, solve_ivp with the
Jacobian by wengert, and integrals of samples.

>>> import numpy as np
>>> solve_ivp(lambda t, y: -50 * y, (0.0, 1.0), np.ones(1), method="BDF").success
True
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import wengert as wg

from wengert_numpy.autograd_scipy.derivatives import as_point, jac, outputs, require_inputs
from wengert_numpy.autograd_scipy.dispatch import floating, for_tensors, names_of
from wengert_numpy.autograd_scipy.odeint import odeint
from wengert_numpy.operands import to_tensor

_integrate = import_module("scipy.integrate")

IMPLICIT = ("Radau", "BDF", "LSODA")
"""Methods that use the Jacobian."""


def solve_ivp(
    fun: Callable[..., Any], t_span: Any, y0: Any, method: Any = "RK45", t_eval: Any = None,
    dense_output: bool = False, events: Any = None, vectorized: bool = False, args: Any = None, *,
    inputs: str = "arrays", **options: Any,
) -> Any:  # fmt: skip
    """Return SciPy's result for dy/dt = fun(t, y, *args); methods that use the Jacobian get it by wengert.

    The solution has no derivative: use odeint where it is needed.
    inputs: what fun, events and jac are written for: "arrays" or "tensors".
    """
    require_inputs(inputs)
    y0 = as_point(y0)
    name = method if isinstance(method, str) else getattr(method, "__name__", "")
    if callable(options.get("jac")):
        options["jac"] = by_second(options["jac"], inputs, outputs)
    elif name in IMPLICIT and options.get("jac") is None and y0.dtype.kind != "c":
        options["jac"] = by_second(fun, inputs, jac)
    return _integrate.solve_ivp(
        by_second(fun, inputs, outputs), t_span, y0, method, t_eval, dense_output, on_arrays(events, inputs),
        vectorized, args, **options,
    )  # fmt: skip


def by_second(fun: Callable[..., Any], inputs: str, operator: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operator's result for a function of (t, y, *args) by its second argument."""
    result = operator(lambda y, t, *args: fun(t, y, *args), inputs)
    return lambda t, y, *args: result(y, t, *args)


def on_arrays(events: Any, inputs: str) -> Any:
    """Return events, or one, that are called with arrays; they keep their attributes."""
    if events is None:
        return None
    if not callable(events):
        return [on_arrays(one, inputs) for one in events]
    event = by_second(events, inputs, outputs)
    for name in ("terminal", "direction"):
        if hasattr(events, name):
            setattr(event, name, getattr(events, name))
    return event


@for_tensors(_integrate.trapezoid)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """Return the integral along an axis by the trapezoidal rule."""
    return np.trapezoid(*floating(y, name="trapezoid"), x, dx, axis)  # type: ignore[call-overload]


@for_tensors(_integrate.cumulative_trapezoid)
def cumulative_trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1, initial: Any = None) -> Any:
    """Return the integrals up to each sample by the trapezoidal rule."""
    (y,) = floating(y, name="cumulative_trapezoid")
    if initial is not None and initial != 0:
        raise ValueError("`initial` must be `None` or `0`.")
    y = y.movedim(axis, -1)
    if x is None:
        widths = dx
    else:
        x = to_tensor(x, "cumulative_trapezoid", "x")
        widths = wg.diff(x if x.ndim == 1 else x.movedim(axis, -1), dim=-1)
    sums = wg.cumsum(widths * (y[..., 1:] + y[..., :-1]) / 2, dim=-1)
    if initial is not None:
        sums = wg.cat([wg.zeros_like(sums[..., :1]), sums], dim=-1)
    return sums.movedim(-1, axis)


OWN = {one.__name__: one for one in (cumulative_trapezoid, odeint, solve_ivp, trapezoid)}
"""The names of this module that are not SciPy's own."""
__all__ = sorted(names := names_of(_integrate) | OWN)
globals().update(names)
del names


def __getattr__(name: str) -> Any:
    return getattr(_integrate, name)
