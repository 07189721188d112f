"""Structures of arguments and results in JSON: nested tuples, lists and dicts with numbers of tensors as leaves.

``{"tensor": 0}`` is a tensor, ``{"tuple": [...]}``, ``{"list": [...]}`` and ``{"dict": [[key, item], ...]}`` are
sequences and dicts, ``{"named": [...], "type": "", "items": [...]}`` is a named tuple, of which a file has the names of
the parts, and the type where it is one of wengert's own; ``{"constant": value}`` is anything else.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from wengert_core.extend import Result, Tensor

from wengert_replay.exporting.errors import ProgramFileError
from wengert_replay.exporting.values import MOST_DEPTH, Unportable, decode_value, encode_value, expect, one_pair
from wengert_replay.signature import MAPPINGS, Fields, mentions_tensor
from wengert_replay.structures import rebuild


def encode_structure(structure: Any) -> dict[str, Any]:
    """Return what ``flatten`` (signature.py) gave as JSON has it. Raises Unportable."""
    kind = structure[0]
    if kind is Tensor:
        return {"tensor": structure[1]}
    if kind in (tuple, list):
        return {kind.__name__: [encode_structure(item) for item in structure[1:]]}
    if kind in MAPPINGS:
        return {"dict": [[encode_constant(key), encode_structure(item)] for key, item, _ in structure[1:]]}
    if isinstance(kind, type) and issubclass(kind, tuple) and (hasattr(kind, "_fields") or issubclass(kind, Result)):
        names = kind.__match_args__ if issubclass(kind, Result) else kind._fields
        name = kind.__name__ if issubclass(kind, Result) else ""
        return {"named": list(names), "type": name, "items": [encode_structure(item) for item in structure[1:]]}
    if kind is Fields:
        raise Unportable(structure[1][1].__name__)
    if (kind is slice or kind is range) and mentions_tensor(structure):
        raise Unportable("slice with tensors")
    return {"constant": encode_constant(rebuild(structure, []))}


def encode_constant(value: Any) -> Any:
    return encode_value(value, lambda _: None)


def check_structure(data: Any, n_tensors: int, depth: int = 0) -> None:
    """Raise ProgramFileError for what is no structure of that many tensors."""
    if depth > MOST_DEPTH:
        raise ProgramFileError(f"arguments or results are nested more than {MOST_DEPTH} levels deep")
    for part in parts_of(data, n_tensors):
        check_structure(part, n_tensors, depth + 1)


def parts_of(data: Any, n_tensors: int) -> list[Any]:
    """Return the parts of a structure, which are structures again; all else of it is checked."""
    if isinstance(data, dict) and set(data) == {"named", "type", "items"}:
        names, items = expect(data["named"], list, "a named tuple"), expect(data["items"], list, "a named tuple")
        if not all(isinstance(name, str) for name in [*names, data["type"]]) or len(names) != len(items):
            raise ProgramFileError("a named tuple has a name for each part")
        return list(items)
    ((kind, inner),) = one_pair(data)
    if kind in ("tuple", "list"):
        return list(expect(inner, list, kind))
    if kind == "dict":
        pairs = expect(inner, list, kind)
        if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            raise ProgramFileError("a dict is made of pairs")
        for key, _ in pairs:
            check_key(decode_value(key, refuse_object))
        return [item for _, item in pairs]
    if kind == "tensor":
        if type(inner) is not int or not 0 <= inner < n_tensors:
            raise ProgramFileError(f"a tensor of the arguments or results is not there: {inner!r:.40}")
    elif kind == "constant":
        decode_value(inner, refuse_object)
    else:
        raise ProgramFileError(f"a part of the arguments or results is not understood: {kind!r:.40}")
    return []


def check_key(key: Any) -> None:
    try:
        hash(key)
    except TypeError:
        raise ProgramFileError("a key of a dict has no hash") from None


def refuse_object(kind: str, _number: Any) -> Any:
    raise ProgramFileError(f"a value that is not understood: {kind!r:.40}")


def build(data: Any, tensors: Sequence[Any]) -> Any:
    """Return the object of a structure that was checked. A named tuple of another package comes as a tuple."""
    if "named" in data:
        return type_of(data)(build(item, tensors) for item in data["items"])
    ((kind, inner),) = data.items()
    if kind == "tensor":
        return tensors[inner]
    if kind in ("tuple", "list"):
        items = [build(item, tensors) for item in inner]
        return items if kind == "list" else tuple(items)
    if kind == "dict":
        return {decode_value(key, refuse_object): build(item, tensors) for key, item in inner}
    return decode_value(inner, refuse_object)


def type_of(data: Any) -> type[tuple[Any, ...]]:
    """Return the type of a named tuple of wengert's own, which the operation that gives it has made; else tuple."""
    for kind in Result.__subclasses__() if data["type"] else ():
        if kind.__name__ == data["type"] and list(kind.__match_args__) == data["named"]:
            return kind
    return tuple


def text_of(data: Any) -> str:
    """Return a text that is equal for equal structures alone: 1, 1.0 and True differ."""
    return json.dumps(data, separators=(",", ":"))


def describe(data: Any, kinds: Sequence[str] = ()) -> str:
    """Return a structure as it is written in Python, for messages: tensors are ``a0``, ``a1``, ...; kinds: of each."""
    if "named" in data:
        parts = zip(data["named"], data["items"], strict=True)
        return f"({', '.join(f'{name}={describe(item, kinds)}' for name, item in parts)})"
    ((kind, inner),) = data.items()
    if kind == "tensor":
        return f"a{inner}: {kinds[inner]}" if kinds else f"a{inner}"
    if kind == "list":
        return f"[{', '.join(describe(item, kinds) for item in inner)}]"
    if kind == "tuple":
        return f"({', '.join(describe(item, kinds) for item in inner)}{',' * (len(inner) == 1)})"
    if kind == "dict":
        items = [f"{decode_value(key, refuse_object)!r}: {describe(item, kinds)}" for key, item in inner]
        return f"{{{', '.join(items)}}}"
    return f"{decode_value(inner, refuse_object)!r:.60}"


def describe_call(data: Any, kinds: Sequence[str] = ()) -> str:
    """Return the arguments of a call as they are written, for messages. kinds: of each tensor."""
    positional, keywords = data["tuple"]
    words = [describe(item, kinds) for item in positional["tuple"]]
    words += [f"{decode_value(key, refuse_object)}={describe(item, kinds)}" for key, item in keywords["dict"]]
    return f"({', '.join(words)})"
