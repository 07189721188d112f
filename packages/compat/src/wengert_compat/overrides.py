"""``torch.overrides``: functions that ask their arguments for ``__torch_function__``, and modes that answer for blocks.

Every operation of wengert asks arguments that have ``__torch_function__``: tensors of subclasses, and values that are
no tensors. These names do the same for functions of a program's own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from wengert_core.extend import FunctionMode, Tensor, active_mode, call_first_override, overloaded_args

F = TypeVar("F", bound=Callable[..., Any])

__all__ = [
    "BaseTorchFunctionMode",
    "TorchFunctionMode",
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "is_tensor_like",
    "wrap_torch_function",
]


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Return whether one of the arguments is asked (it has ``__torch_function__`` and is no plain tensor), or a mode.

    >>> import wengert as wg
    >>> wg.overrides.has_torch_function((wg.ones(1), 2))
    False
    """
    if active_mode() is not None:
        return True
    return any(overloaded_args((value,), {}) and not isinstance(value, (list, tuple)) for value in relevant_args)


def has_torch_function_unary(obj: Any) -> bool:
    """``has_torch_function((obj,))``."""
    return has_torch_function((obj,))


def has_torch_function_variadic(*args: Any) -> bool:
    """``has_torch_function(args)``."""
    return has_torch_function(args)


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """The answer of a mode, else of the relevant arguments, to ``public_api(*args, **kwargs)``.

    TypeError when none of them has one.

    >>> import wengert as wg
    >>> class Length:
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         return f"{func.__name__} of {len(args)}"
    >>> x = Length()
    >>> wg.overrides.handle_torch_function(wg.sin, (x,), x)
    'sin of 1'
    """
    askers = overloaded_args(relevant_args, {})
    result = call_first_override(public_api, args, kwargs, active_mode(), askers)
    if result is NotImplemented:
        name = f"{public_api.__module__}.{public_api.__name__}"
        types = list(map(type, askers))
        raise TypeError(f"no implementation found for '{name}' on types that implement __torch_function__: {types}")
    return result


def is_tensor_like(inp: Any) -> bool:
    """Return whether a value is a tensor, or has ``__torch_function__``.

    >>> import wengert as wg
    >>> wg.overrides.is_tensor_like(wg.ones(1)), wg.overrides.is_tensor_like([1.0])
    (True, False)
    """
    return isinstance(inp, Tensor) or hasattr(type(inp), "__torch_function__")


def wrap_torch_function(dispatcher: Callable[..., Iterable[Any]]) -> Callable[[F], F]:
    """Decorate a function: its arguments that ``dispatcher`` returns are asked first.

    >>> import wengert as wg
    >>> @wg.overrides.wrap_torch_function(lambda x: (x,))
    ... def twice(x):
    ...     return x + x
    >>> twice(wg.ones(1))
    tensor([2.])
    """

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            relevant = tuple(dispatcher(*args, **kwargs))
            if has_torch_function(relevant):
                return handle_torch_function(wrapper, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return wrapper  # type: ignore[return-value]

    return decorate


class TorchFunctionMode(FunctionMode):
    """A block in which ``__torch_function__`` of the mode answers for each function that is called, in this thread.

    A class derived from it defines ``__torch_function__(self, func, types, args=(), kwargs=None)``, which gets the
    function, the types of those arguments that have the method themselves, and the arguments; kwargs is None where
    there are none. The value that it returns is the result; after NotImplemented the arguments are asked. The mode is
    off while it is asked, those around it are not. It answers for functions that make tensors, operators, methods and
    attributes.

    >>> import wengert as wg
    >>> class Names(wg.overrides.TorchFunctionMode):
    ...     def __torch_function__(self, func, types, args=(), kwargs=None):
    ...         print(func.__name__)
    ...         return func(*args, **(kwargs or {}))
    >>> with Names():
    ...     y = wg.ones(2) + 1
    ones
    add
    """

    def __torch_function__(
        self, func: Callable[..., Any], types: tuple[type, ...], args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not define __torch_function__")


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that runs each function as it is."""

    def __torch_function__(
        self, func: Callable[..., Any], types: tuple[type, ...], args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return func(*args, **(kwargs or {}))
