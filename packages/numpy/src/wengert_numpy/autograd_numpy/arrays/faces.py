"""Calls of tensors' operations by arrays: NumPy's functions run on them as on tensors, and give arrays.

Note [Two faces of an array]
    An ``ndarray`` has NumPy's methods for the program, and a tensor's methods for wengert's own code (formulas,
    composed operations, the implementations of NumPy's functions), which is written for tensors. What tells them apart
    is whether operations ask subclasses (``__torch_function__``): wengert's own code runs with that switched off. So
    each method and attribute that differs looks at it first, and what an array calls runs with it switched off.
"""

from __future__ import annotations

from collections.abc import Callable
from sys import getrefcount
from typing import Any

import wengert as wg
from wengert import Tensor
from wengert_core.extend import DisableTorchFunctionSubclass, EnableTorchFunction, move_to_subclass
from wengert_core.extend import is_torch_function_enabled as is_enabled

from wengert_numpy.autograd_numpy.arrays.operators import shortcut
from wengert_numpy.protocols.array_function import call_function

NO_TYPES: tuple[type, ...] = ()
ARRAY: list[type] = []
"""The class of arrays, once it is there."""


def references(value: Any) -> int:
    """Return how many references a function sees to what it was called with."""
    return getrefcount(value)


def references_to_result() -> int:
    """Return the references that a function sees to a tensor that nobody but its caller has, in a variable."""
    result = wg.zeros(())
    return references(result)


FRESH = references_to_result()
"""The references to a tensor that nobody else has."""


def as_array(value: Any) -> Any:
    """Return a tensor as an array; one that nobody else has becomes the array itself, without a view."""
    kind = value.__class__
    if kind is Tensor:
        if getrefcount(value) <= FRESH:
            return move_to_subclass(value, ARRAY[0])
        return value.as_subclass(ARRAY[0])
    if kind is tuple or kind is list:
        return kind([as_array(one) for one in value])
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(as_array, value))
    return value


def run(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what a function of NumPy gives for arguments among which arrays are."""
    with DisableTorchFunctionSubclass() as level:
        result = shortcut(function, args, kwargs)
        if result is None:
            result = call_function(function, NO_TYPES, args, kwargs)
    return result if level else as_array(result)


def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return what an operation of wengert gives for arrays, as arrays."""
    with DisableTorchFunctionSubclass() as level:
        result = function(*args, **kwargs)
    return result if level else as_array(result)


__all__ = [
    "ARRAY",
    "DisableTorchFunctionSubclass",
    "EnableTorchFunction",
    "as_array",
    "call",
    "is_enabled",
    "move_to_subclass",
    "run",
]
