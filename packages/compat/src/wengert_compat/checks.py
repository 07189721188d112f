"""Checks that programs write as functions: ``_check``, ``_assert`` and their kin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core.extend import Tensor

__all__ = [
    "_assert",
    "_assert_async",
    "_check",
    "_check_index",
    "_check_is_size",
    "_check_not_implemented",
    "_check_type",
    "_check_value",
    "_shape_as_tensor",
]

Message = Callable[[], str] | None


def check_with(error: type[Exception], cond: Any, message: Message) -> None:
    """Raise an exception unless a condition, which must be a bool, is true."""
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is None:
        raise error("Expected cond to be True, but got False. Give a message: _check(cond, lambda: 'text')")
    if not callable(message):
        raise TypeError("message must be a callable")
    raise error(str(message()))


def _check(cond: Any, message: Message = None) -> None:
    """Raise RuntimeError unless a condition is true; `message` is a function that returns the text.

    >>> import wengert as wg
    >>> wg._check(1 < 2, lambda: "never")
    """
    check_with(RuntimeError, cond, message)


def _check_index(cond: Any, message: Message = None) -> None:
    """Raise IndexError unless a condition is true."""
    check_with(IndexError, cond, message)


def _check_value(cond: Any, message: Message = None) -> None:
    """Raise ValueError unless a condition is true."""
    check_with(ValueError, cond, message)


def _check_type(cond: Any, message: Message = None) -> None:
    """Raise TypeError unless a condition is true."""
    check_with(TypeError, cond, message)


def _check_not_implemented(cond: Any, message: Message = None) -> None:
    """Raise NotImplementedError unless a condition is true."""
    check_with(NotImplementedError, cond, message)


def _check_is_size(i: Any, message: Message = None, *, max: Any = None) -> None:
    """Raise RuntimeError unless a number can be a size: not negative, and at most `max`."""
    check_with(RuntimeError, bool(i >= 0), message)
    if max is not None:
        check_with(RuntimeError, bool(i <= max), message)


def _assert(condition: Any, message: str) -> None:
    """Raise AssertionError with a text unless a condition is true: ``assert`` as a function, which a tracer sees.

    >>> import wengert as wg
    >>> wg._assert(1 < 2, "never")
    """
    if not condition:
        raise AssertionError(message)


def _assert_async(input: Tensor, assert_msg: str | None = None) -> None:
    """Raise RuntimeError where a tensor of one element is zero.

    >>> import wengert as wg
    >>> wg._assert_async(wg.tensor(True))
    """
    if not bool(input):
        raise RuntimeError(assert_msg or "Expected Tensor with single nonzero value, but got zero")


def _shape_as_tensor(self: Tensor) -> Tensor:
    """Return the shape of a tensor as a tensor of int64.

    >>> import wengert as wg
    >>> wg._shape_as_tensor(wg.ones(2, 3))
    tensor([2, 3])
    """
    import wengert_core

    return wengert_core.tensor(list(self.shape), dtype=wengert_core.int64)
