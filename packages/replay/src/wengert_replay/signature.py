"""Signatures: what two calls must have in common to be replayed by one program."""

from __future__ import annotations

import dataclasses
import struct
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import wengert_core
from wengert_core import dtype, layout, memory_format
from wengert_core.extend import Result, Tensor, default_device_number

PLAIN = frozenset((type(None), bool, int, str, bytes, dtype, layout, memory_format, type, type(...), FunctionType,
                   BuiltinFunctionType))  # fmt: skip
"""Types of values that never change, and have a hash."""
NAN = float("nan")


class Unhashable(Exception):
    """An argument cannot be compared by its value; the message names its type."""


def flatten(value: Any, tensors: list[Tensor]) -> Any:
    """Append the tensors of nested tuples, lists and dicts; return the rest as a hashable value.

    A tensor becomes its number, and one that comes twice gets the same number twice. Raises Unhashable, also for an
    iterator or a coroutine, which is another one after each use.
    """
    kind = type(value)
    if isinstance(value, Tensor):
        for number, known in enumerate(tensors):
            if known is value:
                return (Tensor, number)
        tensors.append(value)
        return (Tensor, len(tensors) - 1)
    if kind in PLAIN:
        return (kind, value)
    if kind in (tuple, list):
        return (kind, *(flatten(item, tensors) for item in value))
    if kind is dict:
        return (dict, *((key, flatten(item, tensors), exact_key(key)) for key, item in value.items()))
    if is_named_tuple(kind):
        return (kind, *(flatten(item, tensors) for item in value))
    if kind in (float, complex):
        return (kind, value if value == value else NAN, bits_of(value))  # 0.0 == -0.0, and no NaN == NaN
    check_object(value)
    return (kind, value, distinction(value))


def exact_key(key: Any) -> Any:
    """Return what distinguishes a key of a dict from others that are equal to it; None for strings."""
    return None if type(key) is str else flatten(key, [])


def bits_of(value: complex) -> bytes:
    return struct.pack("2d", value.real, value.imag)


def number_of_bits(kind: Any, bits: bytes) -> Any:
    real, imag = struct.unpack("2d", bits)
    return real if kind is float else complex(real, imag)


def distinction(value: Any) -> Any:
    """Return what distinguishes an object from others that are equal to it, as 1, True and 1.0 are; None for most."""
    if isinstance(value, np.inexact):
        number = value.item()
        return bits_of(number) if type(number) in (float, complex) else None
    if isinstance(value, frozenset):
        return frozenset([flatten(item, []) for item in value])
    if dataclasses.is_dataclass(value) and type(value).__hash__ is not object.__hash__:
        return tuple([flatten(getattr(value, field.name, None), []) for field in dataclasses.fields(value)])
    return None


def check_object(value: Any) -> None:
    """Raise Unhashable for an object without a hash, an iterator, or a coroutine."""
    kind = type(value)
    try:
        hash(value)
    except TypeError:
        raise Unhashable(kind.__name__) from None
    if hasattr(kind, "__next__") or hasattr(kind, "__await__"):
        raise Unhashable(kind.__name__)


def is_named_tuple(kind: Any) -> bool:
    """Return whether a type is one of tuples whose parts have names: NamedTuple, or results with several parts."""
    return isinstance(kind, type) and issubclass(kind, tuple) and (issubclass(kind, Result) or hasattr(kind, "_fields"))


def rebuild(value: Any, tensors: list[Any]) -> Any:
    """The inverse of ``flatten``, with other tensors."""
    kind = value[0]
    if kind is Tensor:
        return tensors[value[1]]
    if kind in (tuple, list):
        return kind(rebuild(item, tensors) for item in value[1:])
    if kind is dict:
        return {key: rebuild(item, tensors) for key, item, _ in value[1:]}
    if is_named_tuple(kind):
        parts = [rebuild(item, tensors) for item in value[1:]]
        return kind(parts) if issubclass(kind, Result) else kind(*parts)
    return number_of_bits(kind, value[2]) if value[1] is NAN else value[1]


def find_state(structure: Any, known: Any = None) -> Any:
    """Return the type of an object with a state of its own in a flattened result; None where there is none.

    A replay gives the object of the recording again. known: flattened arguments, whose objects may be given back.
    """
    kind = structure[0]
    if kind is Tensor or kind in PLAIN:
        return None
    if kind in (tuple, list) or is_named_tuple(kind):
        return next((found for item in structure[1:] if (found := find_state(item, known))), None)
    if kind is dict:
        return next((found for _, item, _ in structure[1:] if (found := find_state(item, known))), None)
    if kind.__hash__ is not object.__hash__ or issubclass(kind, (type, ModuleType, MethodType)):
        return None
    return None if known is not None and holds(known, structure[1]) else kind


def holds(structure: Any, value: Any) -> bool:
    """Return whether an object is part of a flattened value."""
    kind = structure[0]
    if kind in (tuple, list) or is_named_tuple(kind):
        return any(holds(item, value) for item in structure[1:])
    if kind is dict:
        return any(holds(item, value) for _, item, _ in structure[1:])
    return kind is type(value) and structure[1] is value


def containers(value: Any) -> set[int]:
    """Return the addresses of the lists and dicts in a value that ``flatten`` takes."""
    kind = type(value)
    if kind is dict:
        return {id(value)}.union(*map(containers, value.values()))
    if kind is list:
        return {id(value)}.union(*map(containers, value))
    return set().union(*map(containers, value)) if kind is tuple or is_named_tuple(kind) else set()


def surroundings() -> tuple[Any, ...]:
    """Return what a program depends on beside its arguments."""
    return (wengert_core.get_default_dtype(), wengert_core.get_num_threads(), default_device_number())
