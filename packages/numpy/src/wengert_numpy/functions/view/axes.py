"""Order of axes: transpose and its relatives. All are views."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from wengert import Tensor

from wengert_numpy.functions.table import implements
from wengert_numpy.functions.view.manipulation import reverse_axes
from wengert_numpy.operands import axis_index, to_tensor


@implements("transpose", "permute_dims")
def transpose(a: Any, axes: Any = None) -> Tensor:
    """Return a view with the axes in another order, by default in reverse."""
    x = to_tensor(a, "transpose")
    if axes is None:
        return reverse_axes(x)
    axes = axes if isinstance(axes, (tuple, list)) else (axes,)
    if len(axes) != x.ndim:
        raise ValueError("axes don't match array")
    order = [axis_index(axis, x.ndim) for axis in axes]
    if len(set(order)) < len(order):
        raise ValueError("repeated axis in transpose")
    return x.permute(*order) if order else x


@implements("matrix_transpose", "linalg.matrix_transpose")
def matrix_transpose(x: Any, /) -> Tensor:
    """Return a view with the last two axes swapped."""
    t = to_tensor(x, "matrix_transpose")
    if t.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {t.ndim}")
    return t.transpose(-2, -1)


@implements("swapaxes")
def swapaxes(a: Any, axis1: Any, axis2: Any) -> Tensor:
    """Return a view with two axes swapped."""
    x = to_tensor(a, "swapaxes")
    return x.transpose(axis_index(axis1, x.ndim), axis_index(axis2, x.ndim))


def axis_sequence(axis: Any, ndim: int, argument: str) -> list[int]:
    """Return the axes that an argument of moveaxis names. ValueError for one that occurs twice."""
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    numbers = [axis_index(one, ndim) for one in axes]
    if len(set(numbers)) < len(numbers):
        raise ValueError(f"repeated axis in `{argument}` argument")
    return numbers


@implements("moveaxis")
def moveaxis(a: Any, source: Any, destination: Any) -> Tensor:
    """Return a view with axes moved to new positions, the others in their order."""
    x = to_tensor(a, "moveaxis")
    origins = axis_sequence(source, x.ndim, "source")
    targets = axis_sequence(destination, x.ndim, "destination")
    if len(origins) != len(targets):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    order = [i for i in range(x.ndim) if i not in origins]
    for target, origin in sorted(zip(targets, origins, strict=True)):
        order.insert(target, origin)
    return x.permute(*order) if order else x


@implements("rollaxis")
def rollaxis(a: Any, axis: Any, start: int = 0) -> Tensor:
    """Return a view with an axis moved to before the axis ``start``."""
    x = to_tensor(a, "rollaxis")
    axis = axis_index(axis, x.ndim)
    start = operator.index(start)
    if not -x.ndim <= start <= x.ndim:
        raise np.exceptions.AxisError(
            f"'start' arg requires {-x.ndim} <= start < {x.ndim + 1}, but {start} was passed in"
        )
    start = start + x.ndim if start < 0 else start
    return moveaxis(x, axis, start - (axis < start))
