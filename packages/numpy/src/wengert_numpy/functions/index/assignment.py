"""Functions that write into their argument: copyto, put, place, putmask, fill_diagonal, put_along_axis.

Note [Destinations]
    A tensor is written to in place, which is recorded. An array takes values only, by NumPy's own function: TypeError
    where a value has a derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy import errors
from wengert_numpy.functions.copy.joining import check_cast
from wengert_numpy.functions.index.indexing import along_axis_index, fit_indices, index_tensor, mask_tensor
from wengert_numpy.functions.table import implements
from wengert_numpy.functions.view.manipulation import expand_into, fits
from wengert_numpy.operands import axis_index, contains_tensor, is_differentiable, to_tensor


def array_value(value: Any, function: Any, target: Any) -> Any:
    """Return a value that NumPy's function writes into an array. TypeError where a derivative would be lost."""
    if isinstance(value, (list, tuple)) and contains_tensor(value):
        value = to_tensor(value, function.__name__)
    if not isinstance(value, Tensor):
        return value
    if is_differentiable(value):
        raise errors.unsupported_argument(
            function.__name__,
            "a",
            target,
            "an array cannot hold the derivative of what is written: give a tensor, or write x.detach()",
        )
    return value.numpy(force=True)


def write_array(function: Any, target: Any, *args: Any, **kwargs: Any) -> None:
    """Write into an array by NumPy's function, see Note [Destinations]."""
    values = [array_value(one, function, target) for one in args]
    function(target, *values, **{key: array_value(one, function, target) for key, one in kwargs.items()})


def values_for(values: Any, target: Tensor, name: str, argument: str) -> Tensor:
    """Return values as a tensor of the destination's dtype and device."""
    return to_tensor(values, name, argument).to(target.dtype).to(target.device)


def write_at(flat: Tensor, positions: Tensor, values: Tensor) -> Tensor:
    """Return elements with values at positions of them; where a position occurs more than once the last value counts.

    Written as a selection: which value each element gets, so that the others have the derivative zero.
    """
    order = wg.arange(positions.shape[0], device=flat.device)
    last = wg.full((flat.shape[0],), -1, dtype=wg.int64, device=flat.device)
    last = last.scatter_reduce(0, positions, order, "amax")
    return wg.where(last >= 0, values[last.clamp(min=0)], flat) if positions.shape[0] else flat


@implements("copyto")
def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """Write values into a tensor where a mask is true."""
    if not isinstance(dst, Tensor):
        return write_array(np.copyto, dst, src, casting=casting, where=where)
    source = to_tensor(src, "copyto", "src")
    check_cast(source, dst.dtype, casting)
    source = expand_into(values_for(source, dst, "copyto", "src"), tuple(dst.shape))
    if where is not True:
        source = wg.where(mask_tensor(where, dst, "copyto", "where"), source, dst)
    dst.copy_(source)
    return None


@implements("put")
def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    """Write values, repeated as needed, at positions in C order."""
    if not isinstance(a, Tensor):
        return write_array(np.put, a, ind, v, mode=mode)
    size = a.numel()
    positions = fit_indices(index_tensor(ind, a, "put").reshape(-1), size, mode, "put")
    values = values_for(v, a, "put", "v").reshape(-1)
    if not positions.shape[0] or not values.shape[0]:
        return None
    outside = (positions < -size) | (positions >= size)
    if mode == "raise" and bool(outside.any()):
        raise IndexError(f"index {int(positions[outside][0])} is out of bounds for axis 0 with size {size}")
    positions = wg.where(positions < 0, positions + size, positions)
    values = values[wg.arange(positions.shape[0], device=a.device) % values.shape[0]]
    a.copy_(write_at(a.reshape(-1), positions, values).reshape(a.shape))
    return None


@implements("putmask")
def putmask(a: Any, /, mask: Any, values: Any) -> None:
    """Write values where a mask is true, of values repeated over all elements those at the same positions."""
    if not isinstance(a, Tensor):
        return write_array(np.putmask, a, mask, values)
    chosen = mask_tensor(mask, a, "putmask", "mask")
    if chosen.numel() != a.numel():
        raise ValueError("putmask: mask and data must be the same size")
    flat = values_for(values, a, "putmask", "values").reshape(-1)
    if not flat.shape[0]:
        return None
    source = flat[wg.arange(a.numel(), device=a.device) % flat.shape[0]].reshape(a.shape)
    a.copy_(wg.where(chosen.reshape(a.shape), source, a))
    return None


@implements("place")
def place(arr: Any, mask: Any, vals: Any) -> None:
    """Write the first values, repeated as needed, to the elements where a mask is true."""
    if not isinstance(arr, Tensor):
        return write_array(np.place, arr, mask, vals)
    chosen = mask_tensor(mask, arr, "place", "mask").reshape(-1)
    if chosen.shape[0] != arr.numel():
        raise ValueError("place: mask and data must be the same size")
    values = values_for(vals, arr, "place", "vals").reshape(-1)
    if not values.shape[0]:
        if bool(chosen.any()):
            raise ValueError("Cannot insert from an empty array!")
        return None
    source = values[(wg.cumsum(chosen, 0) - 1).clamp(min=0) % values.shape[0]]
    arr.copy_(wg.where(chosen, source, arr.reshape(-1)).reshape(arr.shape))
    return None


@implements("put_along_axis")
def put_along_axis(arr: Any, indices: Any, values: Any, axis: Any) -> None:
    """Write values at indices along an axis, for each place of the other axes its own."""
    if not isinstance(arr, Tensor):
        return write_array(np.put_along_axis, arr, indices, values, axis)
    grid = wg.arange(arr.numel(), device=arr.device)
    grid, axis = (grid, 0) if axis is None else (grid.reshape(arr.shape), axis_index(axis, arr.ndim))
    positions = grid[along_axis_index(grid, indices, axis, "put_along_axis")]
    source = values_for(values, arr, "put_along_axis", "values")
    if not fits(source, tuple(positions.shape)):
        raise ValueError(
            f"shape mismatch: value array of shape {tuple(source.shape)} could not be broadcast to indexing result of "
            f"shape {tuple(positions.shape)}"
        )
    source = source.expand(positions.shape).reshape(-1)
    arr.copy_(write_at(arr.reshape(-1), positions.reshape(-1), source).reshape(arr.shape))
    return None


@implements("fill_diagonal")
def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """Write values, repeated as needed, to the main diagonal; with ``wrap`` that of a tall matrix begins again."""
    if not isinstance(a, Tensor):
        return write_array(np.fill_diagonal, a, val, wrap=wrap)
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2 and len(set(a.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    size = a.numel()
    step = diagonal_step(tuple(a.shape))
    end = size if wrap or a.ndim > 2 else min(size, a.shape[1] * a.shape[1])
    positions = wg.arange(0, end, step, device=a.device)
    put(a, positions, val)
    return None


def diagonal_step(shape: tuple[int, ...]) -> int:
    """Return how many positions in C order the next element of the diagonal is away."""
    step, total = 1, 0
    for length in reversed(shape):
        total, step = total + step, step * length
    return total
