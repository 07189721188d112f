"""Methods that are captured: each instance has programs of its own, which go with it."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wengert_replay.capturing import Capture


class BoundCapture:
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

    return method
