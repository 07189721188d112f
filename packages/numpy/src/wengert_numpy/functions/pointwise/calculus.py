"""Differences, derivatives and integrals of samples, interpolation, and phases without jumps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.table import implements
from wengert_numpy.operands import axis_index, axis_list, inexact, numpy_dtype, promote, result_dtype, to_tensor

NO_VALUE = np._NoValue


def subtract(later: Tensor, earlier: Tensor) -> Tensor:
    """Return the difference; of booleans, where they differ."""
    return later != earlier if later.dtype is wg.bool else later - earlier


def from_axis(x: Tensor, axis: int, start: int, stop: int | None) -> Tensor:
    """Return a slice along an axis."""
    first, last, _ = slice(start, stop).indices(x.shape[axis])
    return x.narrow(axis, first, max(last - first, 0))


@implements("diff")
def diff(a: Any, n: int = 1, axis: Any = -1, prepend: Any = NO_VALUE, append: Any = NO_VALUE) -> Any:
    """Return the n-th differences of neighbors along an axis."""
    x = to_tensor(a, "diff")
    if n == 0:
        return x
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    if not x.ndim:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = axis_index(axis, x.ndim)
    parts = [edge(prepend, x, axis, "prepend"), x, edge(append, x, axis, "append")]
    rest = [part for part in parts if part is not None]
    x = wg.cat(promote(*rest), dim=axis) if len(rest) > 1 else x
    for _ in range(n):
        x = subtract(from_axis(x, axis, 1, None), from_axis(x, axis, 0, -1))
    return x


def edge(value: Any, x: Tensor, axis: int, argument: str) -> Tensor | None:
    """Return values that are put before or behind a tensor along an axis; None for none."""
    if value is NO_VALUE:
        return None
    t = to_tensor(value, "diff", argument)
    if t.ndim:
        return t
    return wg.broadcast_to(t, [1 if i == axis else size for i, size in enumerate(x.shape)])


@implements("ediff1d")
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """Return the differences of neighbors of the flat tensor, between values to begin and to end with."""
    x = to_tensor(ary, "ediff1d", "ary").reshape(-1)
    parts = [x[1:] - x[:-1]]
    for name, value in (("to_begin", to_begin), ("to_end", to_end)):
        if value is None:
            continue
        t = to_tensor(value, "ediff1d", name)
        weak = value if isinstance(value, (int, float, complex)) else numpy_dtype(t)
        if not np.can_cast(np.result_type(weak, numpy_dtype(x)), numpy_dtype(x), casting="same_kind"):
            raise TypeError(
                f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule."
            )
        parts.insert(0 if name == "to_begin" else len(parts), t.reshape(-1).to(x.dtype))
    return wg.cat(parts) if len(parts) > 1 else parts[0]


# ---- derivatives and integrals of samples


@implements("gradient")
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Return the derivatives of samples along axes: by central differences inside, one-sided at the edges.

    varargs: distances of neighbors, or coordinates along each axis, by which derivatives can be taken as well.
    A tensor for one axis, a tuple for several.
    """
    x = inexact(to_tensor(f, "gradient", "f"))
    axes = axis_list(axis, x.ndim)
    spacings = axis_spacings(x, axes, varargs)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    if any(x.shape[one] < edge_order + 1 for one in axes):
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are "
            "required."
        )
    results = [axis_gradient(x, one, step, edge_order) for one, step in zip(axes, spacings, strict=True)]
    return results[0] if len(results) == 1 else tuple(results)


def axis_spacings(x: Tensor, axes: list[int], varargs: tuple[Any, ...]) -> list[Tensor]:
    """Return, for each axis, the distances of neighbors: one without dims or as many as there are neighbors."""
    if not varargs:
        varargs = (1.0,)
    if len(varargs) == 1 and not to_tensor(varargs[0], "gradient", "varargs").ndim:
        varargs = varargs * len(axes)
    if len(varargs) != len(axes):
        raise TypeError("invalid number of arguments")
    spacings = []
    for axis, value in zip(axes, varargs, strict=True):
        t = inexact(to_tensor(value, "gradient", "varargs"))
        if t.ndim > 1:
            raise ValueError("distances must be either scalars or 1d")
        if t.ndim and t.shape[0] != x.shape[axis]:
            raise ValueError("when 1d, distances must match the length of the corresponding dimension")
        weak = isinstance(value, (int, float)) or not t.ndim
        t = t.to(x.dtype if weak and not t.dtype.is_complex else result_dtype(x, t))
        spacings.append(t[1:] - t[:-1] if t.ndim else t)
    return spacings


def axis_gradient(x: Tensor, axis: int, step: Tensor, edge_order: int) -> Tensor:
    """Return the derivative along an axis for the distances of neighbors along it."""
    f = x.movedim(axis, -1)
    h = step.expand(f.shape[-1] - 1) if not step.ndim else step
    left, right = h[:-1], h[1:]
    inner = inner_gradient(f, left, right) if step.ndim else (f[..., 2:] - f[..., :-2]) / (2.0 * step)
    if edge_order == 1:
        first = (f[..., 1] - f[..., 0]) / h[0]
        last = (f[..., -1] - f[..., -2]) / h[-1]
    else:
        first = edge_gradient(f[..., 0], f[..., 1], f[..., 2], h[0], h[1])
        last = -edge_gradient(f[..., -1], f[..., -2], f[..., -3], h[-1], h[-2])
    result = wg.cat([first.unsqueeze(-1), inner, last.unsqueeze(-1)], dim=-1)
    return result.to(x.dtype).movedim(-1, axis)


def inner_gradient(f: Tensor, left: Tensor, right: Tensor) -> Tensor:
    """Return derivatives at all but the first and the last sample, of second order for unequal distances."""
    a = -right / (left * (left + right))
    b = (right - left) / (left * right)
    c = left / (right * (left + right))
    return a * f[..., :-2] + b * f[..., 1:-1] + c * f[..., 2:]


def edge_gradient(f0: Tensor, f1: Tensor, f2: Tensor, near: Tensor, far: Tensor) -> Tensor:
    """Return the derivative at the first of three samples, of second order."""
    a = -(2.0 * near + far) / (near * (near + far))
    b = (near + far) / (near * far)
    c = -near / (far * (near + far))
    return a * f0 + b * f1 + c * f2


@implements("trapezoid")
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    """Return the integral of samples along an axis by the trapezoidal rule."""
    t = to_tensor(y, "trapezoid", "y")
    axis = axis_index(axis, t.ndim)
    pairs = from_axis(t, axis, 1, None) + from_axis(t, axis, 0, -1)
    if x is None:
        if isinstance(dx, (int, float, complex)):
            return (dx * inexact(pairs) / 2.0).sum(axis)
        width = to_tensor(dx, "trapezoid", "dx")
    else:
        points = to_tensor(x, "trapezoid", "x")
        if points.ndim == 1:
            width = diff(points).reshape([-1 if i == axis else 1 for i in range(t.ndim)])
        else:
            width = diff(points, axis=axis)
    width, pairs = promote(width, pairs)
    return (inexact(width * pairs) / 2.0).sum(axis)


# ---- interpolation and phases


@implements("interp")
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """Return the values at x of the polygon through the points (xp, fp), by all of which derivatives are taken.

    left, right: the values before the first and behind the last point, by default those of these points.
    period: of the first coordinate; left and right are ignored then.
    """
    values = to_tensor(fp, "interp", "fp")
    values = values.to(wg.complex128 if values.dtype.is_complex else wg.float64)
    points, at = (to_tensor(t, "interp", name).to(wg.float64) for t, name in ((xp, "xp"), (x, "x")))
    if points.ndim != 1 or values.ndim != 1:
        raise ValueError("Data points must be 1-D sequences" if period is not None else
                         "object too deep for desired array")
    if points.shape != values.shape:
        raise ValueError("fp and xp are not of the same length.")
    if not points.shape[0]:
        raise ValueError("array of sample points is empty")
    if period is not None:
        at, points, values = periodic_points(at, points, values, period)
        left = right = None
    return polygon(at, points, values, left, right)


def periodic_points(x: Tensor, points: Tensor, values: Tensor, period: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Return x and the points in one period, with the neighbors of the first and the last point."""
    if isinstance(period, (int, float)) and period == 0:
        raise ValueError("period must be a non-zero value")
    size = wg.abs(to_tensor(period, "interp", "period").to(wg.float64))
    x, points = wg.remainder(x, size), wg.remainder(points, size)
    order = wg.argsort(points, stable=True)
    points, values = points.index_select(0, order), values.index_select(0, order)
    points = wg.cat([points[-1:] - size, points, points[:1] + size])
    return x, points, wg.cat([values[-1:], values, values[:1]])


def polygon(x: Tensor, points: Tensor, values: Tensor, left: Any, right: Any) -> Tensor:
    """Return the values at x of the polygon through points with increasing first coordinates."""
    n = points.shape[0]
    flat = x.reshape(-1)
    inside = values[0].expand(flat.shape)
    if n > 1:
        anchor = wg.clamp(wg.searchsorted(points, flat, right=True) - 1, min=0, max=n - 1)
        start = wg.clamp(anchor, max=n - 2)
        width = points.index_select(0, start + 1) - points.index_select(0, start)
        rise = values.index_select(0, start + 1) - values.index_select(0, start)
        slope = rise / wg.where(width == 0, 1, width)
        distance = wg.clamp(flat, points[0], points[-1]) - points.index_select(0, anchor)
        inside = values.index_select(0, anchor) + slope * distance
    inside = wg.where(flat < points[0], outer_value(left, values, 0), inside)
    inside = wg.where(flat > points[-1], outer_value(right, values, -1), inside)
    return wg.where(wg.isnan(flat), wg.nan, inside).reshape(x.shape)


def outer_value(value: Any, values: Tensor, index: int) -> Tensor:
    """Return the value before the first or behind the last point."""
    return values[index] if value is None else to_tensor(value, "interp", "left").to(values.dtype)


@implements("unwrap")
def unwrap(p: Any, discont: Any = None, axis: Any = -1, *, period: Any = 2 * math.pi) -> Any:
    """Return phases to which multiples of the period are added, so that neighbors differ by at most half of it."""
    x = to_tensor(p, "unwrap", "p")
    axis = axis_index(axis, x.ndim)
    dtype = result_dtype(diff(x, axis=axis), period)
    step = diff(x, axis=axis).to(dtype)
    kind = numpy_dtype(dtype).kind
    if kind in "iu":
        high, rest = divmod(period, 2)
        ambiguous = rest == 0
    else:
        high, ambiguous = period / 2, True
    wrapped = wg.remainder(step + high, period) - high
    if ambiguous:
        wrapped = wg.where((wrapped == -high) & (step > 0), high, wrapped)
    limit = period / 2 if discont is None else discont
    change = wg.where(wg.abs(step) < limit, 0, wrapped - step).cumsum(axis).to(dtype)
    x = x.to(dtype)
    return wg.cat([from_axis(x, axis, 0, 1), from_axis(x, axis, 1, None) + change], dim=axis)
