"""Splitting along an axis: parts are views."""

from __future__ import annotations

import itertools
import operator
from typing import Any

import numpy as np
from wengert import Tensor

from wengert_numpy.functions.table import implements
from wengert_numpy.functions.view.manipulation import shape_tuple
from wengert_numpy.operands import axis_index, to_tensor


def are_indices(sections: Any) -> bool:
    """Return whether an argument lists the indices before which parts begin, and is not the number of parts."""
    return isinstance(sections, (tuple, list)) or bool(np.ndim(sections))


def boundaries(sections: Any, length: int) -> list[int | None]:
    """Return the indices at which parts begin and end: of this number of parts, or before these indices."""
    if are_indices(sections):
        return [0, *shape_tuple(sections), None]
    count = operator.index(sections)
    if count <= 0:
        raise ValueError("number sections must be larger than 0.")
    short, longer = divmod(length, count)
    return [i * short + min(i, longer) for i in range(count + 1)]


@implements("array_split")
def array_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> list[Tensor]:
    """Return parts of an axis, of which the first ones are longer where the length is no multiple of their number."""
    x = to_tensor(ary, "array_split", "ary")
    axis = axis_index(axis, x.ndim)
    ends = boundaries(indices_or_sections, x.shape[axis])
    before = (slice(None),) * axis
    return [x[(*before, slice(start, stop))] for start, stop in itertools.pairwise(ends)]


@implements("split")
def split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> list[Tensor]:
    """Return parts of an axis. ValueError where their number does not divide its length."""
    x = to_tensor(ary, "split", "ary")
    axis = axis_index(axis, x.ndim)
    if not are_indices(indices_or_sections):
        count = operator.index(indices_or_sections)
        if count > 0 and x.shape[axis] % count:
            raise ValueError("array split does not result in an equal division")
    return array_split(x, indices_or_sections, axis)


@implements("hsplit")
def hsplit(ary: Any, indices_or_sections: Any) -> list[Tensor]:
    """Return parts of axis 1, of axis 0 where there is no other."""
    x = to_tensor(ary, "hsplit", "ary")
    if x.ndim == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(x, indices_or_sections, 1 if x.ndim > 1 else 0)


@implements("vsplit")
def vsplit(ary: Any, indices_or_sections: Any) -> list[Tensor]:
    """Return parts of axis 0."""
    x = to_tensor(ary, "vsplit", "ary")
    if x.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(x, indices_or_sections, 0)


@implements("dsplit")
def dsplit(ary: Any, indices_or_sections: Any) -> list[Tensor]:
    """Return parts of axis 2."""
    x = to_tensor(ary, "dsplit", "ary")
    if x.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(x, indices_or_sections, 2)


@implements("unstack")
def unstack(x: Any, /, *, axis: Any = 0) -> tuple[Tensor, ...]:
    """Return the slices of an axis, without it."""
    t = to_tensor(x, "unstack", "x")
    if t.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    axis = axis_index(axis, t.ndim)
    return tuple(t.select(axis, i) for i in range(t.shape[axis]))
