"""Sequences of numbers: linspace, logspace, geomspace, meshgrid, vander, differentiable in their arguments."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.table import implements
from wengert_numpy.operands import (
    FROM_NUMPY,
    inexact,
    numpy_dtype,
    operands,
    promote,
    to_dtype,
    to_tensor,
)


def move_first_axis(x: Tensor, axis: int) -> Tensor:
    """Return a view with the first axis moved to another position. AxisError where there is none."""
    if not -x.ndim <= axis < x.ndim:
        raise np.exceptions.AxisError(axis, x.ndim)
    return wg.movedim(x, 0, axis) if axis else x


def with_last(samples: Tensor, last: Tensor) -> Tensor:
    """Return samples of which the last is replaced: rounding would keep it off its exact value."""
    return wg.cat([samples[:-1], last.expand(samples.shape[1:]).unsqueeze(0)])


@implements("linspace")
def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """Return evenly spaced numbers from start to stop along a new axis; with ``retstep`` also their distance."""
    count = operator.index(num)
    if count < 0:
        raise ValueError(f"Number of samples, {count}, must be non-negative.")
    first, last = map(inexact, operands(start, stop, name="linspace"))
    delta = last - first
    steps = count - 1 if endpoint else count
    step = delta / steps if steps > 0 else delta * float("nan")
    numbers = wg.arange(count, device=delta.device).to(delta.dtype).reshape(-1, *(1,) * delta.ndim)
    samples = numbers * (step if steps > 0 else delta) + first
    if endpoint and count > 1:
        samples = with_last(samples, last)
    samples = move_first_axis(samples, axis)
    kind = to_dtype(dtype, "linspace")
    if kind is not None:
        integer = not (kind.is_floating_point or kind.is_complex or kind is wg.bool)
        samples = (wg.floor(samples) if integer else samples).to(kind)
    if device is not None:
        samples = samples.to(device)
    return (samples, step) if retstep else samples


@implements("logspace")
def logspace(
    start: Any, stop: Any, num: Any = 50, endpoint: bool = True, base: Any = 10.0, dtype: Any = None, axis: int = 0
) -> Tensor:
    """Return powers of a base with exponents that are evenly spaced from start to stop."""
    if getattr(base, "ndim", 0) or isinstance(base, (list, tuple)):
        tensors = [to_tensor(one, "logspace") for one in (start, stop, base)]
        ndim = max(t.ndim for t in tensors)
        start, stop, base = (t.reshape((1,) * (ndim - t.ndim) + tuple(t.shape)) for t in tensors)
        base = np.expand_dims(base, axis)
    exponents = linspace(start, stop, num, endpoint, axis=axis)
    powers = np.power(base, exponents)
    return powers if dtype is None else powers.to(to_dtype(dtype, "logspace"))  # type: ignore[no-any-return]


@implements("geomspace")
def geomspace(start: Any, stop: Any, num: Any = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0) -> Tensor:
    """Return numbers with a constant ratio from start to stop along a new axis."""
    first, last = to_tensor(start, "geomspace", "start"), to_tensor(stop, "geomspace", "stop")
    if bool((first == 0).any()) or bool((last == 0).any()):
        raise ValueError("Geometric sequence cannot include zero")
    wanted = np.dtype(float) if dtype is None else numpy_dtype(dtype)
    kind = FROM_NUMPY[np.result_type(numpy_dtype(first), numpy_dtype(last), np.float64, wanted)]
    first, last = first.to(kind), last.to(kind)
    sign = first / wg.abs(first) if kind.is_complex else wg.sign(first)
    first, last = first / sign, last / sign
    samples = logspace(np.log10(first), np.log10(last), num, endpoint)
    if samples.shape[0] > 1 and endpoint:
        samples = with_last(samples, last)
    if samples.shape[0]:
        samples = wg.cat([first.expand(samples.shape[1:]).unsqueeze(0), samples[1:]])
    samples = move_first_axis(samples * sign, axis)
    return samples if dtype is None else samples.to(to_dtype(dtype, "geomspace"))


@implements("meshgrid")
def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[Tensor, ...]:
    """Return the coordinates of a mesh, one tensor for each vector of coordinates."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    ndim = len(xi)
    dims = list(range(ndim))
    if indexing == "xy" and ndim > 1:
        dims[:2] = 1, 0
    grids = [
        to_tensor(one, "meshgrid").reshape(*(-1 if i == dim else 1 for i in range(ndim)))
        for one, dim in zip(xi, dims, strict=True)
    ]
    if not sparse:
        shape = np.broadcast_shapes(*(tuple(grid.shape) for grid in grids))
        grids = [grid.expand(shape) for grid in grids]
    return tuple(grid.clone() if copy else grid for grid in grids)


@implements("vander")
def vander(x: Any, N: Any = None, increasing: bool = False) -> Tensor:
    """Return the matrix whose columns are powers of a vector, the highest one first."""
    t = to_tensor(x, "vander", "x")
    if t.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    base, _ = promote(t, wg.zeros((), dtype=wg.int64, device=t.device))
    count = t.shape[0] if N is None else operator.index(N)
    if not count:
        return base.new_zeros((t.shape[0], 0))
    powers = [wg.ones_like(base)]
    while len(powers) < count:
        powers.append(powers[-1] * base)  # products, not powers: the derivative at zero is exact
    return wg.stack(powers if increasing else powers[::-1], dim=1)
