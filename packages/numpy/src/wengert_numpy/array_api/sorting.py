"""Sorting functions."""

from __future__ import annotations

import wengert as wg
from wengert import Tensor

from wengert_numpy.array_api.axes import axes_of
from wengert_numpy.array_api.creation import as_array


def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """Return the elements in ascending or descending order along an axis."""
    x = as_array(x)
    (along,) = axes_of(axis, x.ndim)
    return wg.sort(x, along, descending, stable=stable).values


def argsort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """Return the indices that sort the elements along an axis; equal ones keep their order where stable is true."""
    x = as_array(x)
    (along,) = axes_of(axis, x.ndim)
    return wg.argsort(x, along, descending, stable=stable)
