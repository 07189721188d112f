"""``torch.overrides``: functions that ask their arguments for ``__torch_function__``.

Every operation of wengert asks arguments that have ``__torch_function__``: tensors of subclasses, and values that are
no tensors. These names do the same for functions of a program's own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from wengert_core.extend import Tensor, answer, asked_of

F = TypeVar("F", bound=Callable[..., Any])

__all__ = [
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "is_tensor_like",
    "wrap_torch_function",
]


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Return whether one of the arguments is asked: it has ``__torch_function__``, and is no plain tensor.

    >>> import wengert as wg
    >>> wg.overrides.has_torch_function((wg.ones(1), 2))
    False
    """
    return any(asked_of((value,), {}) and not isinstance(value, (list, tuple)) for value in relevant_args)


def has_torch_function_unary(obj: Any) -> bool:
    """``has_torch_function((obj,))``."""
    return has_torch_function((obj,))


def has_torch_function_variadic(*args: Any) -> bool:
    """``has_torch_function(args)``."""
    return has_torch_function(args)


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """The answer of the relevant arguments to ``public_api(*args, **kwargs)``.

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
    askers = asked_of(relevant_args, {})
    result = answer(public_api, args, kwargs, askers)
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
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            relevant = tuple(dispatcher(*args, **kwargs))
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return wrapped  # type: ignore[return-value]

    return decorate
