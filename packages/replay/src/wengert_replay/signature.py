"""Signatures: what two calls must have in common to be replayed by one program."""

from __future__ import annotations

from typing import Any

import wengert_core
from wengert_core.extend import Tensor


class Unhashable(Exception):
    """An argument cannot be compared by its value; the message names its type."""


def flatten(value: Any, tensors: list[Tensor]) -> Any:
    """Append the tensors of nested tuples, lists and dicts; return the rest as a hashable value.

    A tensor becomes its number, and one that comes twice gets the same number twice. Raises Unhashable.
    """
    if isinstance(value, Tensor):
        for number, known in enumerate(tensors):
            if known is value:
                return (Tensor, number)
        tensors.append(value)
        return (Tensor, len(tensors) - 1)
    if type(value) in (tuple, list):
        return (type(value), *(flatten(item, tensors) for item in value))
    if type(value) is dict:
        return (dict, *((key, flatten(item, tensors)) for key, item in value.items()))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return (type(value), *(flatten(item, tensors) for item in value))
    try:
        hash(value)
    except TypeError:
        raise Unhashable(type(value).__name__) from None
    if type(value) in (float, complex):
        return (type(value), value, repr(value))  # 0.0 == -0.0
    return (type(value), value)


def rebuild(value: Any, tensors: list[Any]) -> Any:
    """The inverse of ``flatten``, with other tensors."""
    kind = value[0]
    if kind is Tensor:
        return tensors[value[1]]
    if kind in (tuple, list):
        return kind(rebuild(item, tensors) for item in value[1:])
    if kind is dict:
        return {key: rebuild(item, tensors) for key, item in value[1:]}
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return kind(*(rebuild(item, tensors) for item in value[1:]))
    return value[1]


def surroundings() -> tuple[Any, ...]:
    """Return what a program depends on beside its arguments."""
    return (wengert_core.get_default_dtype(), wengert_core.get_num_threads())
