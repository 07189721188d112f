"""Objects in results: those that each call may make anew.

Note [Objects in results]
    A replay gives the objects of the recording again. That is right for what cannot change, and for what was there
    before the call. An inner function or class, a method of a new list, an object with attributes is made anew by each
    call, and whoever changes one must not find the change in the next. When an object was made cannot be seen; but one
    that two recordings give was there before the second one. So the first recording with such an object is refused for
    this time, and others for good if each gives another one. What a module has under its name was there.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from enum import Enum
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from wengert_core.extend import Tensor

from wengert_replay.signature import MAPPINGS, SIMPLE, Fields, holds, is_sequence, parts_of

HEAP_TYPE = 1 << 9
"""The bit of ``__flags__`` of classes that Python code has made: Py_TPFLAGS_HEAPTYPE."""
VALUES = (int, float, complex, str, bytes, tuple, frozenset)
"""Classes whose objects cannot change, nor can those of subclasses without attributes."""
UNCHANGED = frozenset(("fractions", "uuid", "pathlib", "ipaddress", "decimal", "_pydecimal", "datetime", "zoneinfo"))
"""Modules of Python whose objects with a hash do not change."""


def has_name(value: Any) -> bool:
    """Return whether a module has a function or a class under its name, as ``pickle`` looks for it."""
    found: Any = sys.modules.get(getattr(value, "__module__", None) or "")
    try:
        for name in value.__qualname__.split("."):
            found = getattr(found, name)
    except Exception:  # of a module's or a class's own way to find attributes
        return False
    return found is value


def may_change(value: Any) -> bool:
    """Return whether an object with a hash may be another one in each call, and whoever has it could tell."""
    kind = type(value)
    if kind is BuiltinFunctionType:
        return not isinstance(value.__self__, (ModuleType, type)) and not has_name(value)
    if isinstance(value, (FunctionType, type)):
        return not has_name(value)
    if not kind.__flags__ & HEAP_TYPE or kind in SIMPLE or isinstance(value, Enum):
        return False
    if kind.__module__ in UNCHANGED or kind.__module__.startswith("wengert") or is_fixed(value):
        return False
    return not getattr(getattr(kind, "__dataclass_params__", None), "frozen", False)


def is_fixed(value: Any) -> bool:
    """Return whether an object is a number, a string or the like, and has no attributes."""
    return isinstance(value, VALUES) and not hasattr(value, "__dict__")


def find_doubtful(structure: Any, known: Any) -> list[Any]:
    """Return the objects in a flattened result that each call may make anew. known: flattened arguments."""
    kind = structure[0]
    if kind is Tensor or kind in SIMPLE:
        return []
    if kind in MAPPINGS or is_sequence(kind):
        parts = parts_of(structure)[1 if kind is Fields else 0 :]  # without the class of a dataclass
        return [one for part in parts for one in find_doubtful(part, known)]
    value = structure[1]
    if holds(known, value):
        return []
    value = value.__self__ if kind is MethodType else value  # a bound method is a new object each time
    return [value] if may_change(value) else []


def refer_to(value: Any) -> Callable[[], Any]:
    """Return a weak reference to an object; a function that gives it where there is none."""
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value
