"""Python's containers in differentiated code, where they need no classes of their own: ``tuple``, ``list``, ``dict``.

>>> isinstance(1.0, float), tuple([1.0, 2.0])
(True, (1.0, 2.0))
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy

from wengert_numpy.autograd_numpy.arrays.array import ndarray

tuple, list, dict = builtins.tuple, builtins.list, builtins.dict


def isinstance(value: Any, kinds: Any) -> bool:
    """Return whether a value is of a class, or one of several; an array inside differentiated code is what it stands
    for: NumPy's array, or a number where it has no axes.
    """
    if builtins.isinstance(value, kinds):
        return True
    return value.__class__ is ndarray and issubclass(type(value), kinds)


def type(value: Any) -> Any:
    """Return a value's class; of an array inside differentiated code that of what it stands for."""
    if value.__class__ is not ndarray:
        return builtins.type(value)
    array: Any = value
    return numpy.ndarray if array.ndim else array.dtype.type


__all__ = ["dict", "isinstance", "list", "tuple", "type"]
