"""Closures: functions as they are now, for calls that come later.

Note [A body is called again]
    Backward of a loop calls its body again, when variables around it may have other values: in ``for cell in cells: h,
    xs = scan(lambda h, x: cell(h, x), h, xs)`` the variable ``cell`` is the last one by then. So backward has a copy of
    the function with cells of its own, of functions that it calls by its closure too. What else it depends on, such as
    attributes of objects, must be as it was: the last iteration has to give the same bits again.
"""

from __future__ import annotations

import copy
import functools
from types import CellType, FunctionType, MethodType
from typing import Any

from wengert_core import bfloat16
from wengert_core.extend import Tensor

CONSTRUCTS = "wengert_functional.control_flow."


def with_own_cells(value: Any, known: dict[int, Any] | None = None) -> Any:
    """Return a function whose closure, and those of functions in it, later assignments do not change.

    known: copies that were made, by ``id``. Other values are returned as they are.
    """
    known = {} if known is None else known
    if id(value) in known:
        return known[id(value)]
    if isinstance(value, FunctionType):
        return copy_function(value, known)
    if isinstance(value, MethodType):
        return MethodType(with_own_cells(value.__func__, known), value.__self__)
    if isinstance(value, functools.partial):
        return functools.partial(with_own_cells(value.func, known), *value.args, **value.keywords)
    if type(value).__module__.startswith(CONSTRUCTS) and hasattr(value, "__dict__"):
        known[id(value)] = made = copy.copy(value)
        for name, one in vars(value).items():
            setattr(made, name, with_own_cells(one, known))
        return made
    return value


def copy_function(function: FunctionType, known: dict[int, Any]) -> FunctionType:
    """Return a function with cells of its own. A cell that several functions share is shared by the copies."""
    if not function.__closure__:
        return function
    cells = [known.setdefault(id(cell), CellType()) for cell in function.__closure__]
    made = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__, tuple(cells))
    made.__kwdefaults__ = function.__kwdefaults__
    made.__dict__.update(function.__dict__)
    known[id(function)] = made
    for cell, own in zip(function.__closure__, cells, strict=True):
        try:
            content = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
        own.cell_contents = with_own_cells(content, known)
    return made


def bits_of(tensors: list[Any]) -> list[bytes]:
    """Return the bits of some tensors."""
    found = [one.detach() for one in tensors]
    return [(one.float() if one.dtype is bfloat16 else one).numpy().tobytes() for one in found]


def check_bits(construct: str, source: str, expected: list[bytes], tensors: list[Tensor]) -> None:
    """Raise RuntimeError unless tensors have the bits that the last iteration gave before."""
    if bits_of(tensors) != expected:
        raise RuntimeError(
            f"wengert.capture: backward of {construct} calls its body ({source}) again, which now gives other numbers "
            "than before: it depends on Python's state, which has changed in between. Give what changes to the "
            "construct as an argument, or compute the gradient before it changes"
        )
