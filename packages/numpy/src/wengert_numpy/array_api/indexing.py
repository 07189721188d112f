"""Indexing functions."""

from __future__ import annotations

import wengert as wg
from wengert import Tensor

from wengert_numpy.array_api.axes import axes_of
from wengert_numpy.array_api.creation import as_array


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """Return the elements at indices along an axis; negative ones count from the end.

    axis: may be absent for an array with one dim only.
    """
    x, indices = as_array(x), as_array(indices).to(wg.int64)
    if axis is None and x.ndim != 1:
        raise ValueError(f"take(): argument 'axis' is needed for an array with {x.ndim} dims")
    (along,) = axes_of(0 if axis is None else axis, x.ndim)
    return x[(slice(None),) * along + (indices,)]


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """Return the elements at indices along an axis, where each line along it has indices of its own."""
    x, indices = as_array(x), as_array(indices)
    (along,) = axes_of(axis, x.ndim)
    if indices.ndim != x.ndim:
        raise ValueError(f"take_along_axis(): x has {x.ndim} dims, indices has {indices.ndim}: they must be as many")
    return wg.take_along_dim(x, indices.to(wg.int64), along)
