"""Ordinary differential equations by SciPy's odeint, with derivatives by the start, the times and the arguments.

Note [Derivatives of a solution]
    Forward mode integrates the tangents beside the solution. Reverse mode integrates the adjoint backwards in time, a
    stretch between two times after the other, beside the solution and the integrals that are the gradients by the
    arguments (Chen et al., Neural Ordinary Differential Equations, 2018, appendix B). Both are solutions of equations
    again, so that they have derivatives themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from importlib import import_module
from typing import Any

import numpy as np
from wengert import Tensor

from wengert_numpy import errors
from wengert_numpy.autograd_numpy.constructors import array
from wengert_numpy.autograd_numpy.containers import call_plain, to_numpy
from wengert_numpy.autograd_numpy.differential_operators import make_vjp
from wengert_numpy.autograd_numpy.extend import defjvp_argnums, defvjp_argnums, primitive
from wengert_numpy.autograd_numpy.nested import holds_tensor, leaves_of, map_leaves, with_leaves
from wengert_numpy.autograd_numpy.tracing import push
from wengert_numpy.autograd_scipy.dispatch import floating, on_tensors
from wengert_numpy.operands import is_differentiable

_integrate = import_module("scipy.integrate")

Slope = Callable[..., Any]
FOR_ALL_EQUATIONS = ("rtol", "atol", "h0", "hmax", "hmin", "ixpr", "mxstep", "mxhnil", "mxordn", "mxords", "tcrit",
                     "printmessg")  # fmt: skip
"""Options that the equations of derivatives have as well."""


def without_history(slope: Slope) -> Slope:
    """Return a slope that gives arrays. TypeError where its value has a derivative by what is not among its arguments,
    which would be lost.
    """

    def values(*args: Any) -> Any:
        y = slope(*args)
        if holds_tensor(y):
            if any(isinstance(leaf, Tensor) and call_plain(is_differentiable, leaf) for leaf in leaves_of(y)):
                raise TypeError(
                    "odeint(): func uses a tensor with a derivative that is none of its arguments: give it "
                    "in args, a tuple"
                )
            return map_leaves(to_numpy, y)
        return y

    return values


@primitive
def trajectory(slope: Slope, y0: Any, t: Any, *args: Any, **options: Any) -> Any:
    """Return the solution of dy/dt = slope(y, t, *args) at times, a row for each."""
    return _integrate.odeint(without_history(slope), y0, t, args, **options)


def common_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options for the equations of derivatives; of tolerances for each component the smallest one."""
    new = {name: options[name] for name in FOR_ALL_EQUATIONS if name in options}
    for name in ("rtol", "atol"):
        if new.get(name) is not None:
            new[name] = float(np.min(new[name]))
    return new


def joint_slope(slope: Slope, t: Any) -> Callable[[Any], Any]:
    """Return a slope as a function of the tuple (y, *args); it depends on y, if only by 0."""
    return lambda values: array(slope(values[0], t, *values[1:])) + 0.0 * values[0]


# ---- forward mode


def tangent_slope(slope: Slope, n: int) -> Slope:
    """Return the slope of a solution of n components and its tangent, one vector; its arguments are those of the slope
    and their tangents.
    """

    def extended_slope(z: Any, t: Any, *args: Any) -> Any:
        half = len(args) // 2
        value, tangent = push(joint_slope(slope, t), (z[:n], *args[:half]), (z[n:], *args[half:]))
        return np.concatenate([value, tangent])

    return extended_slope


def trajectory_jvp(argnums: Any, tangents: Any, ys: Any, args: Any, options: dict[str, Any]) -> Any:
    """Return the tangent of a solution."""
    slope, y0, t, *parameters = args
    by_argument = dict(zip(argnums, tangents, strict=True))
    start = by_argument.get(1, np.zeros(y0.shape))
    if 2 in by_argument:
        start = start - array(slope(y0, t[0], *parameters)) * by_argument[2][0]
    directions = [by_argument.get(3 + i, np.zeros(np.shape(one))) for i, one in enumerate(parameters)]
    n = y0.shape[0]
    both = np.concatenate([y0, start])
    z = trajectory(tangent_slope(slope, n), both, t, *parameters, *directions, **common_options(options))
    if 2 not in by_argument:
        return z[:, n:]
    slopes = array([array(slope(ys[i], t[i], *parameters)) for i in range(len(t))])
    return z[:, n:] + slopes * by_argument[2][:, None]


# ---- reverse mode


def adjoint_slope(slope: Slope, n: int) -> Slope:
    """Return the slope of a solution, its adjoint and the gradients by the arguments, one vector."""

    def extended_slope(z: Any, t: Any, *args: Any) -> Any:
        vjp, value = make_vjp(joint_slope(slope, t))((z[:n], *args))
        by_y, *by_args = vjp(z[n : 2 * n])
        return np.concatenate([value, -by_y, *(np.reshape(-one, -1) for one in by_args)])

    return extended_slope


def trajectory_vjp(argnums: Any, ys: Any, args: Any, options: dict[str, Any]) -> Any:
    """Return the function from a cotangent of the solution to the gradients."""
    slope, _, t, *parameters = args
    n, count = ys.shape[1], len(t)
    backward = adjoint_slope(slope, n)

    def vjp(g: Any) -> Any:
        adjoint = np.zeros(n)
        integrals = np.zeros(sum(np.size(one) for one in parameters))
        for i in range(count - 1, 0, -1):
            start = np.concatenate([ys[i], adjoint + g[i], integrals])
            times = np.stack([t[i], t[i - 1]])
            end = trajectory(backward, start, times, *parameters, **common_options(options))[1]
            adjoint, integrals = end[n : 2 * n], end[2 * n :]
        results: dict[int, Any] = {1: adjoint + g[0]}
        if 2 in argnums:
            slopes = [array(slope(ys[i], t[i], *parameters)) for i in range(count)]
            first = -np.sum(adjoint * slopes[0])
            results[2] = array([first, *(np.sum(slopes[i] * g[i]) for i in range(1, count))])
        results.update(zip(range(3, 3 + len(parameters)), split_like(integrals, parameters), strict=True))
        return tuple(results[i] for i in argnums)

    return vjp


def split_like(vector: Any, values: list[Any]) -> Iterator[Any]:
    """Yield the parts of a vector in the shapes of values."""
    start = 0
    for one in values:
        end = start + np.size(one)
        yield np.reshape(vector[start:end], tuple(np.shape(one)))
        start = end


defjvp_argnums(trajectory, trajectory_jvp)
defvjp_argnums(trajectory, trajectory_vjp)


# ---- SciPy's signature


@wraps(_integrate.odeint)
def odeint(func: Slope, y0: Any, t: Any, args: Any = (), **options: Any) -> Any:
    """Return the solution of dy/dt = func(y, t, *args) at times, with derivatives by y0, t and args.

    func: is written with ``wengert.numpy``; it gets NumPy's arrays, or arrays of differentiated code.
    args: a tuple of arrays, numbers and nested containers of them; whatever the derivative is taken by has to be here.
    """
    if holds_tensor((y0, t, args)):
        return on_tensors(odeint_of_tensors, (func, y0, t, args), options)
    return _integrate.odeint(without_history(func), y0, t, args, **options)


def odeint_of_tensors(func: Slope, y0: Any, t: Any, args: Any, **options: Any) -> Any:
    """Return the solution, recorded."""
    if options.pop("full_output", False):
        raise errors.unsupported_argument("odeint", "full_output", True, "call it on arrays")
    t_first = options.pop("tfirst", False)
    for name in ("Dfun", "col_deriv", "ml", "mu"):  # hints for the solver; of the adjoint they are not true
        options.pop(name, None)
    y0, t = (one.reshape(-1) if one.ndim == 0 else one for one in floating(y0, t, name="odeint"))
    args = args if isinstance(args, tuple) else (args,)
    parameters = [leaf for leaf in leaves_of(args) if isinstance(leaf, Tensor)]

    def slope(y: Any, time: Any, *values: Any) -> Any:
        rest = iter(values)
        leaves = (next(rest) if isinstance(leaf, Tensor) else leaf for leaf in leaves_of(args))
        arguments = with_leaves(args, leaves)
        return func(time, y, *arguments) if t_first else func(y, time, *arguments)

    return trajectory(slope, y0, t, *parameters, **options)
