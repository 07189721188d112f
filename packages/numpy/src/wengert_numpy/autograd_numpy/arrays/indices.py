"""Indices as NumPy understands them, where tensors' own rules differ."""

from __future__ import annotations

from typing import Any

import numpy
import wengert as wg
from wengert import Tensor

NOT_AN_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid "
    "indices"
)


def numpy_index(index: Any) -> Any:
    """Return what gives a tensor the elements that an index of NumPy gives an array. IndexError for what is none."""
    items = [number_of(item) for item in (index if isinstance(index, tuple) else (index,))]
    if sum(item is Ellipsis for item in items) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    if is_apart(items):
        items = [wg.tensor([item]) if is_integer(item) else item for item in items]
    return tuple(items) if isinstance(index, tuple) else items[0]


def number_of(item: Any) -> Any:
    """Return NumPy's numbers as Python's. IndexError for a text."""
    if isinstance(item, numpy.bool_):
        return bool(item)
    if isinstance(item, (str, bytes)):
        raise IndexError(NOT_AN_INDEX)
    return item


def is_integer(item: Any) -> bool:
    """Return whether an item is an integer, which takes its axis away."""
    return isinstance(item, (int, numpy.integer)) and not isinstance(item, bool)


def gives_axes(item: Any) -> bool:
    """Return whether an item is an array of positions, or a mask, whose axes the result gets."""
    if isinstance(item, (bool, list)):
        return True
    return isinstance(item, (numpy.ndarray, Tensor)) and (item.ndim > 0 or item.dtype in (numpy.bool_, wg.bool))


def is_apart(items: list[Any]) -> bool:
    """Return whether integers stand beside arrays of positions with something else between them: for NumPy they are
    such arrays then, and the axes of the result come first.
    """
    advanced = [place for place, item in enumerate(items) if is_integer(item) or gives_axes(item)]
    if not any(is_integer(item) for item in items) or not any(gives_axes(item) for item in items):
        return False
    return advanced[-1] - advanced[0] >= len(advanced)


__all__ = ["numpy_index"]
