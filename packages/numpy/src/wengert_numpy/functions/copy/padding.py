"""Padding: numpy.pad with all its modes. Each axis is padded after the one before it, as NumPy does."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.create.ranges import linspace
from wengert_numpy.functions.table import implements
from wengert_numpy.functions.view.manipulation import host_array
from wengert_numpy.operands import to_tensor

Widths = tuple[int, int]

ARGUMENTS = {
    "constant": ("constant_values",),
    "linear_ramp": ("end_values",),
    "maximum": ("stat_length",),
    "minimum": ("stat_length",),
    "mean": ("stat_length",),
    "median": ("stat_length",),
    "reflect": ("reflect_type",),
    "symmetric": ("reflect_type",),
    "edge": (),
    "wrap": (),
    "empty": (),
}
"""The arguments that each mode has."""

# ---- arguments


def axis_widths(pad_width: Any, ndim: int) -> list[Widths]:
    """Return how many elements are added before and after each axis."""
    if isinstance(pad_width, dict):
        pairs: list[Any] = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            pairs[axis] = (width, width) if isinstance(width, int) else width
        pad_width = pairs
    widths = np.asarray(host_array(pad_width))
    if widths.dtype.kind != "i":
        raise TypeError("`pad_width` must be of integral type.")
    if (widths < 0).any():
        raise ValueError("index can't contain negative values")
    return [(int(before), int(after)) for before, after in np.broadcast_to(widths, (ndim, 2))]


def axis_values(values: Any, x: Tensor, name: str) -> Tensor:
    """Return the values before and after each axis, of shape (ndim, 2)."""
    pairs = to_tensor(values, "pad", name).to(x.device)
    np.broadcast_to(np.empty(tuple(pairs.shape)), (x.ndim, 2))  # NumPy's error for a shape that does not broadcast
    return pairs.expand(x.ndim, 2)


def axis_lengths(stat_length: Any, ndim: int) -> list[tuple[int | None, int | None]]:
    """Return how many elements at each end of an axis statistics are of, None for all."""
    if stat_length is None:
        return [(None, None)] * ndim
    lengths = np.broadcast_to(np.asarray(host_array(stat_length), dtype=object), (ndim, 2))
    if any(one is not None and one < 0 for one in lengths.reshape(-1)):
        raise ValueError("index can't contain negative values")
    return [(first, last) for first, last in lengths.tolist()]


def check_arguments(mode: Any, options: dict[str, Any]) -> None:
    """Raise ValueError for an unknown mode, or for an argument that it does not have."""
    if mode not in ARGUMENTS:
        raise ValueError(f"mode '{mode}' is not supported")
    unknown = set(options) - set(ARGUMENTS[mode])
    if unknown:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")


# ---- modes


def pad_by_parts(x: Tensor, axis: int, widths: Widths, before: Tensor, after: Tensor) -> Tensor:
    """Return x between parts, or edges that are repeated, along an axis."""
    shapes = [[width if i == axis else n for i, n in enumerate(x.shape)] for width in widths]
    sides = [part.to(x.dtype).expand(shape) for part, shape in zip((before, after), shapes, strict=True)]
    return wg.cat([sides[0], x, sides[1]], dim=axis)


def pad_constant(x: Tensor, axis: int, widths: Widths, values: Tensor) -> Tensor:
    """Return x with a value before and one after it."""
    return pad_by_parts(x, axis, widths, values[0], values[1])


def pad_linear_ramp(x: Tensor, axis: int, widths: Widths, values: Tensor) -> Tensor:
    """Return x with ramps from its edges to a value before and one after it."""
    edges = x.select(axis, 0), x.select(axis, -1)
    ramps = [
        linspace(value, edge, width, endpoint=False, dtype=x.dtype, axis=axis)
        for value, edge, width in zip(values.unbind(0), edges, widths, strict=True)
    ]
    return wg.cat([ramps[0], x, wg.flip(ramps[1], (axis,))], dim=axis)


def statistic_mode(function: Callable[..., Any]) -> Callable[..., Tensor]:
    """Return the mode that pads with a statistic of the elements at each end."""

    def pad_statistic(x: Tensor, axis: int, widths: Widths, lengths: tuple[int | None, int | None]) -> Tensor:
        size = x.shape[axis]
        first, last = (size if length is None else min(length, size) for length in lengths)
        if not (first and last) and function in (np.max, np.min):
            raise ValueError("stat_length of 0 yields no value for padding")
        parts = [
            function(x.narrow(axis, start, length), axis=axis, keepdims=True)
            for start, length in ((0, first), (size - last, last))
        ]
        if not (x.dtype.is_floating_point or x.dtype.is_complex or x.dtype is wg.bool):
            parts = [wg.round(part) for part in parts]
        return pad_by_parts(x, axis, widths, *parts)

    return pad_statistic


def positions_around(x: Tensor, axis: int, widths: Widths) -> Tensor:
    """Return the positions of a padded axis, counted from the first element of x."""
    return wg.arange(-widths[0], x.shape[axis] + widths[1], device=x.device)


def pad_edge(x: Tensor, axis: int, widths: Widths, _: Any = None) -> Tensor:
    """Return x with its first and last element repeated."""
    return x.index_select(axis, positions_around(x, axis, widths).clamp(0, x.shape[axis] - 1))


def pad_wrap(x: Tensor, axis: int, widths: Widths, _: Any) -> Tensor:
    """Return x between repetitions of itself."""
    return x.index_select(axis, positions_around(x, axis, widths) % x.shape[axis])


def mirror_mode(include_edge: bool) -> Callable[..., Tensor]:
    """Return the mode that pads with mirror images, which repeat the edge or do not."""

    def pad_mirrored(x: Tensor, axis: int, widths: Widths, reflect_type: str) -> Tensor:
        size = x.shape[axis]
        if size == 1:
            return pad_edge(x, axis, widths)
        period = 2 * size if include_edge else 2 * (size - 1)
        positions = positions_around(x, axis, widths)
        rest = positions % period
        image = period - include_edge - rest
        y = x.index_select(axis, wg.where(rest < size, rest, image))
        if reflect_type != "odd":
            return y
        # The odd extension goes on through the edge: 2 edge - image, and each period adds twice the rise.
        shape = [-1 if i == axis else 1 for i in range(x.ndim)]
        first, last = x.narrow(axis, 0, 1), x.narrow(axis, size - 1, 1)
        periods = wg.div(positions - rest, period, rounding_mode="floor").reshape(shape).to(x.dtype)
        y = wg.where((rest < size).reshape(shape), y, 2 * last - y)
        return y + 2 * periods * (last - first)

    return pad_mirrored


MODES: dict[str, Callable[..., Tensor]] = {
    "constant": pad_constant,
    "linear_ramp": pad_linear_ramp,
    "edge": pad_edge,
    "wrap": pad_wrap,
    "maximum": statistic_mode(np.max),
    "minimum": statistic_mode(np.min),
    "mean": statistic_mode(np.mean),
    "median": statistic_mode(np.median),
    "reflect": mirror_mode(False),
    "symmetric": mirror_mode(True),
}
"""The function of each mode: it pads one axis, and gets the axis's part of the mode's argument."""


def options_of_axes(mode: str, x: Tensor, options: dict[str, Any]) -> Any:
    """Return the part of the mode's argument that each axis has."""
    if mode in ("constant", "linear_ramp"):
        name = ARGUMENTS[mode][0]
        return axis_values(options.get(name, 0), x, name)
    if "stat_length" in ARGUMENTS[mode]:
        return axis_lengths(options.get("stat_length"), x.ndim)
    return [options.get("reflect_type", "even")] * x.ndim


def pad_by_function(x: Tensor, widths: list[Widths], function: Callable[..., Any], options: dict[str, Any]) -> Tensor:
    """Return x between zeros, into which a function writes along each axis, a vector after the other."""
    for axis, width in enumerate(widths):
        zero = x.new_zeros(())
        x = pad_by_parts(x, axis, width, zero, zero)
    for axis, width in enumerate(widths):
        view = wg.movedim(x, axis, -1)
        for index in itertools.product(*(range(n) for n in view.shape[:-1])):
            function(view[index], width, axis, options)
    return x


@implements("pad")
def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Tensor:
    """Return a tensor with elements added before and after each axis."""
    x = to_tensor(array, "pad", "array")
    widths = axis_widths(pad_width, x.ndim)
    if callable(mode):
        return pad_by_function(x, widths, mode, kwargs)
    check_arguments(mode, kwargs)
    if mode == "empty" or (not x.numel() and mode != "constant"):
        if mode != "empty":
            check_empty_axes(x, widths)
        mode, kwargs = "constant", {}
    parts = options_of_axes(mode, x, kwargs)
    result = x
    for axis, (width, part) in enumerate(zip(widths, parts, strict=True)):
        if any(width):
            result = MODES[mode](result, axis, width, part)
    return result.clone() if result is x else result


def check_empty_axes(x: Tensor, widths: list[Widths]) -> None:
    """Raise ValueError for an axis without elements that would be padded with what is made of elements."""
    for axis, width in enumerate(widths):
        if not x.shape[axis] and any(width):
            raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
