"""Methods that are captured: each instance has programs of its own, which go with it."""

from __future__ import annotations

import copy
import functools
import weakref
from collections.abc import Callable
from types import MethodType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import inspect

    from wengert_replay.capturing import Capture


class BoundCapture:
    # The method of an instance: its ``__self__``, and the capture that has the programs of this instance, to which all
    # else is passed on. It keeps the instance alive, which the capture does not. Its docstring is the function's.
    __slots__ = ("__func__", "__self__", "__weakref__", "capture")
    __doc__ = property(lambda self: self.capture.__doc__)

    def __init__(self, function: Capture, instance: Any, capture: Capture | None = None) -> None:
        """function: the attribute of the class.   capture: that of the instance; None: it is looked for."""
        self.__func__, self.__self__ = function, instance
        self.capture: Capture = function.methods.bind(instance).capture if capture is None else capture

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.capture(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name in BoundCapture.__slots__:  # one that a copy has not set yet
            raise AttributeError(name)
        return getattr(self.capture, name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BoundCapture):
            return NotImplemented
        return self.__self__ is other.__self__ and self.__func__ is other.__func__

    def __hash__(self) -> int:
        return hash((id(self.__self__), id(self.__func__)))

    def __copy__(self) -> BoundCapture:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self.__func__.__get__(copy.deepcopy(self.__self__, memo))

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self.__self__, self.__func__.__name__)

    @property
    def __signature__(self) -> inspect.Signature:
        import inspect  # takes milliseconds

        return inspect.signature(MethodType(self.__func__.function, self.__self__))

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
                return MethodType(self.capture, instance)
            method = self.capture.capture_alike(bind_weakly(self.capture.function, reference))
            found = self.captures[number] = (reference, method)
        return BoundCapture(self.capture, instance, found[1])


def bind_weakly(function: Callable[..., Any], reference: weakref.ref[Any]) -> Callable[..., Any]:
    """Return a function with its first argument, which whoever calls it keeps alive."""

    @functools.wraps(function)
    def method(*args: Any, **kwargs: Any) -> Any:
        return function(reference(), *args, **kwargs)

    method.n_bound = 1  # type: ignore[attr-defined]  # of the parameters, which explain() does not name
    return method


def name_like(capture: Capture, function: Callable[..., Any]) -> None:
    """Give a capture the name, the documentation and what else of that kind a function has. Its other attributes stay
    its own: they might have names of the capture's.
    """
    for name, value in getattr(function, "__dict__", {}).items():
        if is_special(name):
            setattr(capture, name, value)
    functools.update_wrapper(capture, function, updated=())


def is_special(name: str) -> bool:
    """Return whether a name begins and ends with two underscores."""
    return name.startswith("__") and name.endswith("__")


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
