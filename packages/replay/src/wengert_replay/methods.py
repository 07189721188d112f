"""Methods that are captured: each instance has programs of its own, which go with it."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from types import MethodType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wengert_replay.capturing import Capture


class BoundCapture:
    # The method of an instance: its ``__self__``, and the capture that has the programs of this instance, to which all
    # else is passed on. It keeps the instance alive, which the capture does not. Its docstring is the function's.
    __slots__ = ("__self__", "capture")
    __doc__ = property(lambda self: self.capture.__doc__)

    def __init__(self, instance: Any, capture: Capture) -> None:
        self.__self__, self.capture = instance, capture

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.capture(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.capture, name)

    def __repr__(self) -> str:
        return f"<bound {self.capture!r}>"


class Methods:
    """The captures of a function for the instances that it was a method of."""

    def __init__(self, capture: Capture) -> None:
        self.capture = capture
        self.captures: dict[int, tuple[weakref.ref[Any], Capture]] = {}

    def bind(self, instance: Any) -> Any:
        """Return the function as a method of an instance.

        Programs do not keep the instance alive. One that cannot be referred to weakly is an argument like others.
        """
        number = id(instance)
        found = self.captures.get(number)
        if found is None:
            try:
                reference = weakref.ref(instance, lambda _: self.captures.pop(number, None))
            except TypeError:
                return functools.partial(self.capture, instance)
            method = self.capture.capture_alike(bind_weakly(self.capture.function, reference))
            found = self.captures[number] = (reference, method)
        return BoundCapture(instance, found[1])


def bind_weakly(function: Callable[..., Any], reference: weakref.ref[Any]) -> Callable[..., Any]:
    """Return a function with its first argument, which whoever calls it keeps alive."""

    @functools.wraps(function)
    def method(*args: Any, **kwargs: Any) -> Any:
        return function(reference(), *args, **kwargs)

    method.n_bound = 1  # type: ignore[attr-defined]  # of the parameters, which explain() does not name
    return method


def is_method(function: Callable[..., Any]) -> bool:
    """Return whether an attribute of a class is a method of its instances, which have no other first argument yet."""
    return hasattr(type(function), "__get__") and not isinstance(function, MethodType)


def capture_inside(descriptor: Any, capture: Callable[[Callable[..., Any]], Capture]) -> Any:
    """Return a descriptor with its function captured; None for another kind of object."""
    if isinstance(descriptor, (classmethod, staticmethod)):
        return type(descriptor)(capture(descriptor.__func__))
    if isinstance(descriptor, property) and descriptor.fget is not None:
        return descriptor.getter(bound_getter(capture(descriptor.fget)))
    if isinstance(descriptor, functools.partialmethod):
        return type(descriptor)(capture(descriptor.func), *descriptor.args, **descriptor.keywords)
    return None


def bound_getter(capture: Any) -> Callable[[Any], Any]:
    """Return the getter of a property, each of whose instances has programs of its own."""

    def getter(instance: Any) -> Any:
        return capture.__get__(instance, type(instance))()

    functools.update_wrapper(getter, capture.function)
    getter.captured = capture  # type: ignore[attr-defined]
    return getter


def callable_error(function: Any) -> TypeError:
    """Return the error for what is neither called nor a descriptor with a function that is."""
    below = ": put it below that, above the function" if hasattr(function, "__get__") else ""
    kind = type(function).__name__
    return TypeError(f"capture(): argument 'function' (position 1) must be callable, not {kind}{below}")
