"""Manipulation functions: shapes, order, repetition, joining."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy.array_api.axes import Axis, axes_of
from wengert_numpy.array_api.binding import promote_arrays
from wengert_numpy.array_api.creation import as_array, shape_of
from wengert_numpy.array_api.promotion import is_number

# ---- shapes


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that shapes broadcast to. ValueError where they do not."""
    return tuple(np.broadcast_shapes(*map(tuple, shapes)))


def broadcast_arrays(*arrays: Tensor) -> tuple[Tensor, ...]:
    """Return arrays as views of the shape that all of them broadcast to."""
    tensors = [as_array(one) for one in arrays]
    shape = broadcast_shapes(*(tuple(one.shape) for one in tensors))
    return tuple(wg.broadcast_to(one, shape) for one in tensors)


def broadcast_to(x: Tensor, /, shape: tuple[int, ...]) -> Tensor:
    """Return a view of another shape. ValueError where x does not broadcast to it."""
    x, shape = as_array(x), shape_of(shape)
    if broadcast_shapes(tuple(x.shape), shape) != shape:
        raise ValueError(f"broadcast_to(): an array of shape {tuple(x.shape)} does not broadcast to shape {shape}")
    return wg.broadcast_to(x, shape)


def expand_dims(x: Tensor, /, axis: int | tuple[int, ...]) -> Tensor:
    """Return a view with new axes of size one at these positions of the result."""
    x = as_array(x)
    if isinstance(axis, tuple | list):
        for one in sorted(axes_of(tuple(axis), x.ndim + len(axis))):
            x = x.unsqueeze(one)
        return x
    return x.unsqueeze(axis)


def squeeze(x: Tensor, /, axis: int | tuple[int, ...]) -> Tensor:
    """Return a view without these axes. ValueError for an axis whose size is not one."""
    x = as_array(x)
    axes = axes_of(axis, x.ndim)
    if any(x.shape[one] != 1 for one in axes):
        raise ValueError(
            f"squeeze(): cannot select an axis to squeeze out which has size not equal to one: axis "
            f"{axis} of shape {tuple(x.shape)}"
        )
    return x.squeeze(tuple(axes)) if axes else x


def reshape(x: Tensor, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Tensor:
    """Return the elements in another shape, a view where that can be.

    copy: True for a copy in any case; False for a view in any case: ValueError where there is none.
    """
    x, shape = as_array(x), shape_of(shape)
    if copy is False:
        try:
            return x.view(shape)
        except RuntimeError as error:
            raise ValueError(f"reshape(): no view has this shape, and copy=False forbids a copy: {error}") from error
    try:
        result = x.reshape(shape)
    except RuntimeError as error:
        raise ValueError(f"reshape(): {error}") from error
    return result.clone() if copy else result


def moveaxis(x: Tensor, source: int | tuple[int, ...], destination: int | tuple[int, ...], /) -> Tensor:
    """Return a view with axes moved to other positions."""
    return wg.movedim(as_array(x), source, destination)


def permute_dims(x: Tensor, /, axes: tuple[int, ...]) -> Tensor:
    """Return a view with the axes in another order."""
    return wg.permute(as_array(x), tuple(axes))


# ---- order and repetition


def flip(x: Tensor, /, *, axis: Axis = None) -> Tensor:
    """Return the elements in reverse order along axes (None: all)."""
    x = as_array(x)
    return wg.flip(x, axes_of(axis, x.ndim))


def roll(x: Tensor, /, shift: int | tuple[int, ...], *, axis: Axis = None) -> Tensor:
    """Return the elements moved along axes, those beyond the end to the beginning; without axes as one row."""
    x = as_array(x)
    if axis is None:
        shifts = shift if isinstance(shift, Sequence) else (shift,)
        return wg.roll(x, sum(map(int, shifts)))
    axes = tuple(axis) if isinstance(axis, Sequence) else (axis,)
    shifts = tuple(shift) if isinstance(shift, Sequence) else (shift,) * len(axes)
    axes = axes * len(shifts) if len(axes) == 1 else axes
    for one in axes:
        axes_of(one, x.ndim)
    return wg.roll(x, shifts, axes) if axes else x.clone()


def repeat(x: Tensor, repeats: int | Tensor, /, *, axis: int | None = None) -> Tensor:
    """Return each element, or each slice along an axis, repeated.

    repeats: how often, one number for all or an array with one for each.
    """
    x = as_array(x)
    if axis is not None:
        (axis,) = axes_of(axis, x.ndim)
    if not is_number(repeats):
        counts = as_array(repeats)
        repeats = counts.reshape(-1).to(wg.int64) if counts.ndim else counts.to(wg.int64)
        if axis is None:
            x, axis = x.reshape(-1), 0
        repeats = wg.broadcast_to(repeats, (x.shape[axis],))
    return wg.repeat_interleave(x, repeats, dim=axis)


def tile(x: Tensor, repetitions: tuple[int, ...], /) -> Tensor:
    """Return an array made of x, repeated along each axis."""
    return wg.tile(as_array(x), shape_of(repetitions))


# ---- joining


def concat(arrays: Sequence[Tensor], /, *, axis: int | None = 0) -> Tensor:
    """Return arrays joined along an axis, None: as rows of elements, in their common dtype."""
    tensors = promote_arrays(*map(as_array, arrays))
    if axis is None:
        return wg.cat([one.reshape(-1) for one in tensors])
    if tensors and any(one.ndim != tensors[0].ndim for one in tensors):
        raise ValueError(
            "concat(): all the input array dimensions except for the concatenation axis must match "
            f"exactly, got shapes {', '.join(str(tuple(one.shape)) for one in tensors)}"
        )
    return wg.cat(tensors, dim=axis)


def stack(arrays: Sequence[Tensor], /, *, axis: int = 0) -> Tensor:
    """Return arrays joined along a new axis, in their common dtype."""
    return wg.stack(promote_arrays(*map(as_array, arrays)), dim=axis)


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """Return the slices of an array along an axis, without it."""
    return tuple(as_array(x).unbind(axis))
