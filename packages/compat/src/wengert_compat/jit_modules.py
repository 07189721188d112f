"""The classes of TorchScript that programs name, and its asynchronous calls, which are made at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class TracerWarning(Warning):
    """The warning of PyTorch's tracer, which programs filter; wengert never gives it."""


class ScriptFunction:
    """The class of scripted functions, of which there are none: ``isinstance`` with it is always False."""


class ScriptModule:
    """The class of scripted modules, of which there are none: ``isinstance`` with it is always False."""


class Future(Generic[T]):
    """The result of ``fork``, which is there already.

    >>> import wengert as wg
    >>> future = wg.jit.fork(wg.add, wg.ones(1), 2)
    >>> future.done(), wg.jit.wait(future)
    (True, tensor([3.]))
    """

    def __init__(self, value: T) -> None:
        self._value = value

    def wait(self) -> T:
        """Return the result."""
        return self._value

    value = wait

    def done(self) -> bool:
        """Return True: the call has been made."""
        return True

    def then(self, callback: Callable[[Future[T]], Any]) -> Future[Any]:
        """Call a function with this future; return its result as a future."""
        return Future(callback(self))


def fork(func: Callable[..., T], *args: Any, **kwargs: Any) -> Future[T]:
    """Call a function, at once and in this thread; return its result as a Future."""
    return Future(func(*args, **kwargs))


def wait(future: Future[T]) -> T:
    """Return the result of a call that ``fork`` made."""
    return future.wait()


def trace_module(mod: T, inputs: Any, *args: Any, **kwargs: Any) -> T:
    """Return the module itself: its methods run in Python, each time that they are called.

    inputs: a dict of example inputs by the names of methods, else AttributeError. They are not used.
    """
    if not isinstance(inputs, dict):
        raise AttributeError("expected a dictionary of (method_name, input) pairs")
    return mod
