"""Values in JSON: arguments of operations that are no tensors, and the tensors among them by their places.

Numbers, None and bools are themselves, where JSON has them; a list is a list. A string is the place of a tensor:
``"a0"`` is the first one among the arguments, ``"w0"`` from outside, ``"%0"`` among the results of operations.
Everything else is an object with one name that says what it is: ``{"str": "mean"}``, ``{"tuple": [...]}``,
``{"float": "nan"}``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import wengert_core
from wengert_core.extend import Size, device, dtype

from wengert_replay.exporting.errors import ProgramFileError

DTYPES = {
    name: getattr(wengert_core, name)
    for name in (
        "bool uint8 int8 uint16 int16 uint32 int32 uint64 int64 float16 bfloat16 float32 float64 complex64 complex128"
    ).split()
}
"""The dtypes of programs, by name."""
MEMORY_FORMATS = {
    name: getattr(wengert_core, name)
    for name in ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")
}
FLOATS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
MOST_DEPTH = 32
"""Levels of nested values."""
MOST_RANK = 64


class Unportable(Exception):
    """A value has no place in a file; the message names its type."""


def encode_value(value: Any, slot_of: Callable[[Any], Any], depth: int = 0) -> Any:
    """Return a value as JSON has it. slot_of: gives the place of a tensor or a generator; None for other objects.

    Raises Unportable.
    """
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is str:
        return {"str": value}
    if depth > MOST_DEPTH:
        raise Unportable("nested list")
    if kind in (int, float, complex):
        return encode_number(value)
    if kind is list:
        return [encode_value(item, slot_of, depth + 1) for item in value]
    if kind is tuple or kind is Size:
        return {"tuple": [encode_value(item, slot_of, depth + 1) for item in value]}
    if kind is slice:
        parts = (value.start, value.stop, value.step)
        return {"slice": [encode_value(item, slot_of, depth + 1) for item in parts]}
    return encode_object(value, slot_of)


def encode_number(value: Any) -> Any:
    if isinstance(value, complex):
        return {"complex": [encode_number(value.real), encode_number(value.imag)]}
    if isinstance(value, int):
        if not -(1 << 63) <= value < 1 << 64:
            raise Unportable("int of more than 64 bits")
        return value
    return value if math.isfinite(value) else {"float": "nan" if math.isnan(value) else repr(value)}


def encode_object(value: Any, slot_of: Callable[[Any], Any]) -> Any:
    if value is ...:
        return {"ellipsis": []}
    if isinstance(value, dtype):
        return {"dtype": value.name}
    if isinstance(value, device):
        return {"device": str(value)}
    if value is wengert_core.strided:
        return {"layout": "strided"}
    for name, one in MEMORY_FORMATS.items():
        if value is one:
            return {"memory_format": name}
    place = slot_of(value)
    if place is None:
        raise Unportable(type(value).__name__)
    return place


def decode_value(data: Any, object_at: Callable[[str, Any], Any], depth: int = 0) -> Any:
    """Return the value that JSON data stands for. object_at: gives what stands for a tensor or a generator by the kind
    and number of its place, which it checks.

    Raises ProgramFileError.
    """
    if depth > MOST_DEPTH:
        raise ProgramFileError(f"values are nested more than {MOST_DEPTH} levels deep")
    if isinstance(data, list):
        return [decode_value(item, object_at, depth + 1) for item in data]
    if isinstance(data, (int, float)):
        return checked_number(data)
    if data is None:
        return data
    if isinstance(data, str):
        return object_at(data[:1], number_of(data[1:]))
    ((kind, inner),) = one_pair(data)
    if kind in ("tuple", "slice"):
        parts = decode_value(expect(inner, list, kind), object_at, depth + 1)
        if kind == "slice" and len(parts) != 3:
            raise ProgramFileError("a slice has three parts")
        return slice(*parts) if kind == "slice" else tuple(parts)
    if kind in CONSTANTS:
        return CONSTANTS[kind](inner)
    return object_at(kind, inner)


def number_of(digits: str) -> int:
    """Return the number in the place of a tensor. Raises ProgramFileError."""
    if not digits.isascii() or not digits.isdecimal() or len(digits) > 12:
        raise ProgramFileError(f"a place of a tensor that is not understood: {digits!r:.40}")
    return int(digits)


def one_pair(data: Any) -> list[tuple[str, Any]]:
    """Return the name and value of an object with one of them."""
    if not isinstance(data, dict) or len(data) != 1:
        raise ProgramFileError(f"a value that is not understood: {data!r:.60}")
    return list(data.items())


def expect(data: Any, kind: type, what: str) -> Any:
    """Return JSON data of that type. Raises ProgramFileError."""
    if type(data) is not kind:
        raise ProgramFileError(f"{what} has a {type(data).__name__} where a {kind.__name__} is expected")
    return data


def checked_number(data: Any) -> Any:
    if isinstance(data, int) and not -(1 << 63) <= data < 1 << 64:
        raise ProgramFileError("an int has more than 64 bits")
    if isinstance(data, float) and not math.isfinite(data):
        raise ProgramFileError("a float is too large for 64 bits")
    return data


def look_up_in(table: dict[str, Any], what: str) -> Callable[[Any], Any]:
    """Return a function that looks a name up in a table."""

    def look_up(name: Any) -> Any:
        if not isinstance(name, str) or name not in table:
            raise ProgramFileError(f"a {what} that is not known: {name!r:.40}")
        return table[name]

    return look_up


def decode_float(data: Any) -> float:
    return float(FLOATS[data]) if isinstance(data, str) and data in FLOATS else decode_finite(data)


def decode_finite(data: Any) -> float:
    return float(checked_number(expect(data, float, "a float")))


def decode_complex(data: Any) -> complex:
    parts = [decode_float(part["float"] if isinstance(part, dict) and set(part) == {"float"} else part)
             for part in expect(data, list, "a complex number")]  # fmt: skip
    if len(parts) != 2:
        raise ProgramFileError("a complex number has two parts")
    return complex(*parts)


def decode_device(data: Any) -> Any:
    if expect(data, str, "a device") != "cpu":
        raise ProgramFileError(f"a program runs on the CPU, not on {data!r:.40}")
    return device("cpu")


CONSTANTS: dict[str, Callable[[Any], Any]] = {
    "str": lambda data: expect(data, str, "a word"),
    "float": decode_float,
    "complex": decode_complex,
    "dtype": look_up_in(DTYPES, "dtype"),
    "memory_format": look_up_in(MEMORY_FORMATS, "memory format"),
    "layout": look_up_in({"strided": wengert_core.strided}, "layout"),
    "device": decode_device,
    "ellipsis": lambda _: ...,
}
"""Readers of objects that stand for no tensor."""
