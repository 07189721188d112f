"""Operands that are no tensors and have ``__torch_function__``: they say what a function gives.

They are asked after a call was refused, so that a call of tensors costs nothing. A tensor's subclass is a tensor, and
is not asked.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wengert_core.tensor import Tensor

HANDLER = "__torch_function__"
FROM_ASKED = "_wengert_from_asked"
"""An attribute of exceptions: the next function outwards does not ask again."""
SWAPPED = ("add", "mul", "and", "or", "xor", "lt", "le", "eq", "ne", "gt", "ge")
"""Operators that call the same function whichever side the tensor is on."""


def is_asked(value: Any) -> bool:
    """Whether a value answers for functions."""
    return hasattr(type(value), HANDLER) and not isinstance(value, Tensor)


def candidates(values: Iterable[Any]) -> Iterator[Any]:
    """The values, and the items of lists and tuples among them."""
    for value in values:
        yield value
        if type(value) in (list, tuple):
            yield from value


def asked_of(args: Iterable[Any], kwargs: Mapping[str, Any], refusal: Exception | None = None) -> list[Any]:
    """The arguments that are asked, one of each type: in their order, but a subclass before its base.

    refusal: why the call failed; nobody is asked when it came from one who was asked, or is of another kind.

    >>> class Quantity:
    ...     def __torch_function__(self, func, types, args=(), kwargs=None): ...
    >>> class Length(Quantity): ...
    >>> [type(one).__name__ for one in asked_of([Quantity(), 2.0, [Length()], Length()], {})]
    ['Length', 'Quantity']
    """
    found: list[Any] = []
    if refusal is not None and (hasattr(refusal, FROM_ASKED) or not isinstance(refusal, (TypeError, AttributeError))):
        return found
    for value in candidates([*args, *kwargs.values()]):
        kind = type(value)
        if is_asked(value) and all(type(one) is not kind for one in found):
            place = next((i for i, one in enumerate(found) if issubclass(kind, type(one))), len(found))
            found.insert(place, value)
    return found


def answer(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], askers: list[Any]) -> Any:
    """The result of the first that has one; NotImplemented when none has."""
    types = tuple(map(type, askers))
    for one in askers:
        handler = getattr(one, HANDLER)
        if getattr(handler, "__self__", None) is one:
            warnings.warn(
                "Defining your `__torch_function__` as a plain method is deprecated and will be an error in future, "
                "please define it as a classmethod.",
                UserWarning,
                stacklevel=2,
            )
        try:
            result = handler(func, types, args, kwargs or None)
        except Exception as error:
            setattr(error, FROM_ASKED, True)
            raise
        if result is not NotImplemented:
            return result
    return NotImplemented


def called(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], askers: list[Any]) -> Any:
    """The answer to a call; TypeError when none has one."""
    result = answer(func, args, kwargs, askers)
    if result is NotImplemented:
        listed = "".join(f"\n  - tensor subclass {type(one)}" for one in askers)
        refusal = TypeError(
            f"Multiple dispatch failed for 'torch.{func.__name__}'; all __torch_function__ handlers returned "
            f"NotImplemented:\n{listed}\n\nGive one of the types a __torch_function__ that takes this function"
        )
        setattr(refusal, FROM_ASKED, True)
        raise refusal
    return result


def operated(name: str, a: Any, b: Any) -> Any:
    """The answer to an operator, "sub" or "isub", of which one side is a tensor."""
    from wengert_core.ops.names import OPS
    from wengert_core.ops.operators import OPERATORS

    if isinstance(a, Tensor) or name in SWAPPED:
        func = OPS[OPERATORS[name] if name in OPERATORS else f"{OPERATORS[name[1:]]}_"]
    else:
        func = getattr(Tensor, "__rdiv__" if name == "truediv" else f"__r{name}__")
    return answer(func, (a, b) if isinstance(a, Tensor) else (b, a), {}, asked_of((a, b), {}))
