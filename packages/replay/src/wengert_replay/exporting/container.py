"""Named arrays in a file, in the format safetensors: read without trust, written byte by byte the same.

Note [The file format]
    Eight bytes with the length of a header, the header (JSON: for each array its dtype, shape and place; strings about
    the file under ``__metadata__``), and the arrays behind each other. Nothing is compressed and nothing is executed:
    a file cannot ask for more memory than some times its own size. Source: the safetensors format, version 0.4.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import prod
from typing import Any, NamedTuple, cast

from wengert_replay.exporting.errors import ProgramFileError

ITEM_SIZES = {
    "BOOL": 1, "U8": 1, "I8": 1, "U16": 2, "I16": 2, "F16": 2, "BF16": 2, "U32": 4, "I32": 4, "F32": 4, "U64": 8,
    "I64": 8, "F64": 8,
}  # fmt: skip
"""Bytes of an element, by the format's names of dtypes."""
MOST_HEADER_BYTES = 100_000_000
ALIGNMENT = 8
METADATA = "__metadata__"


class Array(NamedTuple):
    """An array of a file."""

    dtype: str
    """One of ITEM_SIZES."""
    shape: tuple[int, ...]
    data: bytes | memoryview


def pack_arrays(arrays: Mapping[str, Array], metadata: dict[str, str]) -> list[bytes | memoryview]:
    """Return the parts of a file that holds these arrays."""
    header: dict[str, Any] = {METADATA: metadata}
    place = 0
    for name, (dtype, shape, data) in arrays.items():
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [place, place + len(data)]}
        place += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    if len(text) > MOST_HEADER_BYTES:
        raise ProgramFileError(f"a program of {len(arrays)} arrays is too large for a file")
    return [len(text).to_bytes(8, "little"), text, *(array.data for array in arrays.values())]


def unpack_arrays(data: bytes) -> tuple[dict[str, Array], dict[str, str]]:
    """Return the arrays of a file and the strings about it. Raises ProgramFileError for what is no such file."""
    length = int.from_bytes(data[:8], "little")
    if not data:
        raise ProgramFileError("nothing is left to read: the file is empty, or was read to its end (seek(0))")
    if data[:2] == b"PK":
        raise ProgramFileError("not a file of the format safetensors, but a zip archive, as wengert.save writes them: "
                               "wengert.load reads those")  # fmt: skip
    if len(data) < 8 or length > min(len(data) - 8, MOST_HEADER_BYTES):
        raise ProgramFileError("not a file of the format safetensors, or not the whole of one: it ends within its "
                               "header")  # fmt: skip
    header = parse_json(data[8 : 8 + length], "the header")
    if not isinstance(header, dict):
        raise ProgramFileError("not a file of the format safetensors: its header is no object")
    metadata = header.pop(METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise ProgramFileError(f"{METADATA} of the header is not made of strings")
    body = memoryview(data)[8 + length :]
    arrays = {name: array_of(name, entry, body) for name, entry in header.items()}
    if sum(len(array.data) for array in arrays.values()) != len(body):
        raise ProgramFileError("the arrays of the file overlap, or leave bytes between them")
    return arrays, metadata


def array_of(name: str, entry: Any, body: memoryview) -> Array:
    """Return the array that an entry of the header stands for."""
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise ProgramFileError(f"the header's entry of the array '{name}' is malformed")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in ITEM_SIZES:
        raise ProgramFileError(f"the array '{name}' has a dtype that is not known: {dtype!r:.40}")
    if not is_sizes(shape) or not is_sizes(offsets) or len(offsets) != 2 or len(shape) > 64:
        raise ProgramFileError(f"the array '{name}' has a malformed shape or place")
    start, end = offsets
    if not start <= end <= len(body) or end - start != prod(shape) * ITEM_SIZES[dtype]:
        raise ProgramFileError(f"the array '{name}' lies outside of the file, or is not of its shape and dtype")
    return Array(dtype, tuple(shape), body[start:end])


def is_sizes(value: Any) -> bool:
    """Return whether a value of JSON is a list of sizes."""
    return isinstance(value, list) and all(type(item) is int and 0 <= item < 1 << 48 for item in value)


def parse_json(text: bytes, what: str) -> Any:
    """Return the value of a JSON text, with finite numbers and no name twice in an object."""
    try:
        return json.loads(text.decode(), object_pairs_hook=unique_pairs, parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        if isinstance(error, ProgramFileError):
            raise
        raise ProgramFileError(f"{what} is no JSON text: {error!s:.200}") from None


def unique_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON as a dict. Raises ProgramFileError where a name comes twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ProgramFileError("a name comes twice in an object of JSON")
    return found


def refuse_constant(word: str) -> float:
    raise ProgramFileError(f"JSON has no number {word}")


def text_of(array: Array) -> bytes:
    """Return the bytes of an array as they are."""
    return bytes(cast("memoryview", array.data))
