"""Signatures: what two calls must have in common to be replayed by one program."""

from __future__ import annotations

import dataclasses
import struct
from collections import OrderedDict
from functools import lru_cache
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import wengert_core
from wengert_core import dtype, layout, memory_format
from wengert_core.extend import Result, Tensor, default_device_number

from wengert_replay.structures import rebuild, set_other

PLAIN = frozenset((type(None), bool, int, str, bytes, dtype, layout, memory_format, type, type(...), FunctionType,
                   BuiltinFunctionType))  # fmt: skip
"""Types of values that never change, and have a hash."""
SIMPLE = frozenset((type(None), bool, int, float, complex, str, bytes, dtype, layout, memory_format, type(...)))
"""Types of values that have nothing else in them."""
MAPPINGS = (dict, OrderedDict)
"""Types of dicts that are compared by their items. Attributes of an OrderedDict are passed over."""
NAN = float("nan")


class Fields:
    """Stand for the dataclasses that are taken as a sequence: the class, then the values of the fields."""


class Unhashable(Exception):
    """An argument cannot be compared by its value; the message names its type."""


def flatten(value: Any, tensors: list[Tensor]) -> Any:
    """Append the tensors of nested tuples, lists, dicts and dataclasses; return the rest as a hashable value.

    A tensor becomes its number, and one that comes twice gets the same number twice. Raises Unhashable, also for an
    iterator or a coroutine, which is another one after each use.
    """
    kind = type(value)
    if isinstance(value, Tensor):
        return (Tensor, number_of(value, tensors))
    if kind in PLAIN:
        return (kind, value)
    if kind in MAPPINGS:
        return (kind, *((key, flatten(item, tensors), exact_key(key)) for key, item in value.items()))
    if kind in (float, complex):
        return (kind, value if value == value else NAN, bits_of(value))  # 0.0 == -0.0, and no NaN == NaN
    if kind in (tuple, list) or is_named_tuple(kind):
        if getattr(value, "__dict__", None):  # attributes of its own, beside its parts
            raise Unhashable(kind.__name__)
        return (kind, *(flatten(item, tensors) for item in value))
    if kind is slice or kind is range:  # range(0, 3, 2) == range(0, 4, 2), whose stop is another one
        return (kind, *(flatten(part, tensors) for part in bounds_of(value)))
    return flatten_object(value, tensors)


def number_of(tensor: Tensor, tensors: list[Tensor]) -> int:
    """Return the place of a tensor in a list, to whose end it is appended where it is not there."""
    for number, known in enumerate(tensors):
        if known is tensor:
            return number
    tensors.append(tensor)
    return len(tensors) - 1


def flatten_object(value: Any, tensors: list[Tensor]) -> Any:
    """Flatten an object: a dataclass as its fields where these have tensors or no hash, any other one as itself."""
    kind: Any = type(value)
    names = field_names(kind)
    if names and has_fields_only(value, names):
        parts = [flatten(getattr(value, name), tensors) for name in names]
        if kind.__hash__ is None or any(map(mentions_tensor, parts)) or not has_hash(value):
            return (Fields, (type, kind), *parts)
    check_object(value)
    return (kind, value, distinction(value))


def bounds_of(value: Any) -> tuple[Any, Any, Any]:
    """Return start, stop and step of a slice or a range."""
    return value.start, value.stop, value.step


def field_names(kind: type) -> tuple[str, ...]:
    """Return the names of a dataclass's fields; () for another class, and for one whose objects are equal to themselves
    alone or that has a way of its own to make them.
    """
    return names_of_dataclass(kind) if hasattr(kind, "__dataclass_fields__") else ()


@lru_cache(maxsize=256)
def names_of_dataclass(kind: Any) -> tuple[str, ...]:
    if kind.__hash__ is object.__hash__ or kind.__new__ is not object.__new__:
        return ()
    return tuple([field.name for field in dataclasses.fields(kind)])


def has_fields_only(value: Any, names: tuple[str, ...]) -> bool:
    """Return whether a dataclass's object has all of its fields, and no other attributes."""
    return set(getattr(value, "__dict__", ())) <= set(names) and all(hasattr(value, name) for name in names)


def parts_within(value: Any) -> tuple[Any, ...]:
    """Return the values that ``flatten`` takes out of a dataclass or a slice; () of another object."""
    if type(value) is slice:
        return bounds_of(value)
    names = field_names(type(value))
    return tuple([getattr(value, name) for name in names]) if names and has_fields_only(value, names) else ()


def mentions_tensor(structure: Any) -> bool:
    """Return whether there is a tensor in a flattened value."""
    return structure[0] is Tensor or any(map(mentions_tensor, parts_of(structure)))


def is_sequence(kind: Any) -> bool:
    """Return whether flattened values of a type have flattened parts behind it."""
    return kind in (tuple, list, slice, range, Fields) or is_named_tuple(kind)


def parts_of(structure: Any) -> Any:
    """Return the flattened parts of a flattened value."""
    if structure[0] in MAPPINGS:
        return [item for _, item, _ in structure[1:]]
    return structure[1:] if is_sequence(structure[0]) else ()


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
    kind: Any = type(value)
    if isinstance(value, (float, complex)):
        return bits_of(value)
    if isinstance(value, np.inexact):
        number = value.item()
        return bits_of(number) if type(number) in (float, complex) else repr(value)  # of more than 64 bits
    if isinstance(value, tuple):
        return tuple([flatten(item, []) for item in value])
    if isinstance(value, frozenset):
        return frozenset([flatten(item, []) for item in value])
    if isinstance(value, (np.datetime64, np.timedelta64)) or kind.__module__ in ("datetime", "decimal"):
        return repr(value)  # 1 hour == 60 minutes, 1.0 == 1.00, and a time is equal to that of another zone
    if dataclasses.is_dataclass(value) and kind.__hash__ is not object.__hash__:
        return tuple([flatten(getattr(value, field.name, None), []) for field in dataclasses.fields(value)])
    return None


def check_object(value: Any) -> None:
    """Raise Unhashable for an object without a hash, an iterator, or a coroutine."""
    kind = type(value)
    if not has_hash(value) or hasattr(kind, "__next__") or hasattr(kind, "__await__"):
        raise Unhashable(kind.__name__)


def has_hash(value: Any) -> bool:
    """Return whether an object has a hash; that of a class of the user's may raise any error."""
    try:
        hash(value)
    except Exception:
        return False
    return True


def is_named_tuple(kind: Any) -> bool:
    """Return whether a type is one of tuples whose parts have names: NamedTuple, or results with several parts."""
    return isinstance(kind, type) and issubclass(kind, tuple) and (issubclass(kind, Result) or hasattr(kind, "_fields"))


def rebuild_other(value: Any, tensors: list[Any]) -> Any:
    """Do what ``rebuild`` does for kinds that are neither tensors, tuples, lists nor plain dicts."""
    kind = value[0]
    if kind in MAPPINGS:
        return kind((key, rebuild(item, tensors)) for key, item, _ in value[1:])
    if is_sequence(kind):
        parts = [rebuild(item, tensors) for item in value[1:]]
        if kind is Fields:
            return with_fields(parts[0], parts[1:])
        if issubclass(kind, Result):
            return kind(parts)
        return tuple.__new__(kind, parts) if issubclass(kind, tuple) else kind(*parts)  # not by a __new__ of the user's
    return number_of_bits(kind, value[2]) if value[1] is NAN else value[1]


set_other(rebuild_other)


def with_fields(kind: type, parts: list[Any]) -> Any:
    """Return an object of a dataclass with these fields."""
    made: Any = object.__new__(kind)
    for name, part in zip(field_names(kind), parts, strict=True):
        object.__setattr__(made, name, part)
    return made


def find_state(structure: Any, known: Any = None) -> Any:
    """Return the type of an object with a state of its own in a flattened result; None where there is none.

    A replay gives the object of the recording again. known: flattened arguments, whose objects may be given back.
    """
    kind = structure[0]
    if kind is Tensor or kind in PLAIN:
        return None
    if kind in MAPPINGS or is_sequence(kind):
        return next((found for item in parts_of(structure) if (found := find_state(item, known))), None)
    if issubclass(kind, tuple) and any(map(mentions_tensor, structure[2])):
        return kind
    if kind.__hash__ is not object.__hash__ or issubclass(kind, (type, ModuleType, MethodType)):
        return None
    return None if known is not None and holds(known, structure[1]) else kind


def holds(structure: Any, value: Any) -> bool:
    """Return whether an object is part of a flattened value."""
    kind = structure[0]
    if kind in MAPPINGS or is_sequence(kind):
        return any(holds(item, value) for item in parts_of(structure))
    return kind is type(value) and structure[1] is value


def is_container(value: Any) -> bool:
    """Return whether ``rebuild`` makes another object in place of one that may be changed."""
    kind: Any = type(value)
    return kind is list or kind in MAPPINGS or (field_names(kind) != () and kind.__hash__ is None)


def containers(value: Any) -> set[int]:
    """Return the addresses of the lists, dicts and dataclasses in a value that ``flatten`` takes."""
    kind: Any = type(value)
    if kind in MAPPINGS:
        return {id(value)}.union(*map(containers, value.values()))
    if kind is list:
        return {id(value)}.union(*map(containers, value))
    if kind is tuple or is_named_tuple(kind):
        return set().union(*map(containers, value))
    own: set[int] = {id(value)} if field_names(kind) and kind.__hash__ is None else set()
    return own.union(*map(containers, parts_within(value)))


def objects_in(value: Any) -> list[Any]:
    """Return the objects in a value that ``flatten`` takes whose state is not a part of what it returns."""
    kind = type(value)
    if isinstance(value, Tensor) or kind in SIMPLE:
        return []
    if kind in MAPPINGS:
        value = value.values()
    elif kind not in (tuple, list) and not is_named_tuple(kind):
        parts = parts_within(value)
        if not parts:
            return [value]
        value = parts
    return [one for item in value for one in objects_in(item)]


def surroundings() -> tuple[Any, ...]:
    """Return what a program depends on beside its arguments."""
    return (wengert_core.get_default_dtype(), wengert_core.get_num_threads(), default_device_number())
