"""Axes as arguments, and the type of operations."""

from __future__ import annotations

from collections.abc import Callable

from wengert import Tensor

from wengert_numpy.operands import axis_list

Axis = int | tuple[int, ...] | None
"""An axis, several, or all of them."""
Op = Callable[..., Tensor]
"""An operation of wengert's."""


def axes_of(axis: Axis, ndim: int) -> list[int]:
    """Return axes as numbers in 0 .. ndim - 1. AxisError for one that is not there, ValueError for one given twice."""
    if type(axis) is int and -ndim <= axis < ndim:
        return [axis % ndim]
    return axis_list(axis, ndim)
