"""Order and number of elements: flip, roll, rot90, repeat, tile, trim_zeros."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.table import implements
from wengert_numpy.functions.view.manipulation import host_array, shape_tuple
from wengert_numpy.operands import axis_index, axis_list, to_tensor


@implements("flip")
def flip(m: Any, axis: Any = None) -> Tensor:
    """Return the elements in reverse order along axes."""
    x = to_tensor(m, "flip")
    return wg.flip(x, tuple(axis_list(axis, x.ndim)))


@implements("fliplr")
def fliplr(m: Any) -> Tensor:
    """Return the elements in reverse order along axis 1."""
    x = to_tensor(m, "fliplr")
    if x.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return wg.flip(x, (1,))


@implements("flipud")
def flipud(m: Any) -> Tensor:
    """Return the elements in reverse order along axis 0."""
    x = to_tensor(m, "flipud")
    if x.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return wg.flip(x, (0,))


@implements("roll")
def roll(a: Any, shift: Any, axis: Any = None) -> Tensor:
    """Return the elements shifted along axes, those beyond the end at the beginning."""
    x = to_tensor(a, "roll")
    if axis is None:
        return roll(x.reshape(-1), shift, 0).reshape(x.shape)
    pairs = np.broadcast(np.asarray(host_array(shift), object), axis)
    if pairs.ndim > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    for amount, one in pairs:
        i = axis_index(one, x.ndim)
        x = wg.roll(x, int(amount) % x.shape[i], i) if x.shape[i] else x
    return x.clone() if pairs.size == 0 else x


@implements("rot90")
def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Tensor:
    """Return a rotation by k quarter turns in the plane of two axes."""
    x = to_tensor(m, "rot90")
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    first, second = axes
    if abs(first - second) in (0, x.ndim):
        raise ValueError("Axes must be different.")
    if not all(-x.ndim <= one < x.ndim for one in axes):
        raise ValueError(f"Axes={tuple(axes)} out of range for array of ndim={x.ndim}.")
    return wg.rot90(x, operator.index(k), (first, second))


@implements("repeat")
def repeat(a: Any, repeats: Any, axis: Any = None) -> Tensor:
    """Return each element, or each slice of an axis, repeated."""
    x = to_tensor(a, "repeat")
    x, axis = (x.reshape(-1), 0) if axis is None else (x, axis_index(axis, x.ndim))
    counts = np.asarray(host_array(repeats))
    if (counts < 0).any():
        raise ValueError("repeats may not contain negative values.")
    positions = np.repeat(np.arange(x.shape[axis]), counts)
    return x.index_select(axis, wg.from_numpy(positions).to(x.device))


@implements("tile")
def tile(A: Any, reps: Any) -> Tensor:
    """Return copies of a tensor side by side along each axis."""
    x = to_tensor(A, "tile")
    counts = shape_tuple(reps)
    counts = (1,) * (x.ndim - len(counts)) + counts
    return x.repeat(*counts) if counts else x.clone()


@implements("trim_zeros")
def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Tensor:
    """Return the part without leading ("f") and trailing ("b") zeros along axes."""
    x = to_tensor(filt, "trim_zeros")
    sides = trim.lower()
    if sides not in ("fb", "bf", "b", "f"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    places = (x != 0).nonzero()
    for i in axis_list(axis, x.ndim):
        start, stop = (int(places[:, i].amin()), int(places[:, i].amax()) + 1) if len(places) else (x.shape[i], 0)
        start, stop = start if "f" in sides else 0, stop if "b" in sides else x.shape[i]
        x = x.narrow(i, min(start, x.shape[i]), max(stop - start, 0))
    return x
