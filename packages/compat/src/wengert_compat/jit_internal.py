"""wengert._jit_internal: TorchScript's decorators that leave a method as it is.

>>> from wengert._jit_internal import _copy_to_script_wrapper
>>> _copy_to_script_wrapper(len) is len
True
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from wengert_compat.jit import Final, export, ignore, is_scripting, unused

__all__ = [
    "Final",
    "_copy_to_script_wrapper",
    "_overload",
    "_overload_method",
    "export",
    "ignore",
    "is_scripting",
    "unused",
]

F = TypeVar("F", bound=Callable[..., Any])


def _copy_to_script_wrapper(fn: F) -> F:
    """Decorate a method that a script copies. Return the method itself."""
    return fn


def _overload(func: F) -> F:
    """Decorate one of several signatures for TorchScript. Return the function itself."""
    return func


def _overload_method(func: F) -> F:
    """Decorate one of several signatures of a method for TorchScript. Return the method itself."""
    return func
