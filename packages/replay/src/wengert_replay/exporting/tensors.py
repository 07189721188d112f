"""Tensors from outside as arrays of a file, with their strides and with what they share.

Note [Tensors and storages in a file]
    A storage is one array. A contiguous tensor that fills its storage gives the array its dtype and shape, so that
    other programs can read parameters; any other storage is an array of bytes, of which its tensors are parts.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import wengert_core
from wengert_core.extend import Tensor

from wengert_replay.exporting.container import Array
from wengert_replay.exporting.errors import ProgramFileError
from wengert_replay.exporting.values import DTYPES, MOST_RANK, expect

FORMAT_NAMES = {
    "bool": "BOOL", "uint8": "U8", "int8": "I8", "uint16": "U16", "int16": "I16", "uint32": "U32", "int32": "I32",
    "uint64": "U64", "int64": "I64", "float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64",
}  # fmt: skip
"""The format's names of dtypes; complex numbers are bytes in it."""


def address_of(t: Tensor) -> int:
    """Return the address of a tensor's storage."""
    return int(t.untyped_storage().data_ptr())


def bytes_of_storage(t: Tensor) -> bytes:
    """Return the contents of a tensor's storage."""
    if not t.untyped_storage().nbytes():
        return b""
    whole = wengert_core.empty(0, dtype=wengert_core.uint8).set_(t.untyped_storage())
    return bytes(whole.numpy().tobytes())


def array_of(t: Tensor) -> Array:
    """Return the array of a tensor's storage."""
    data = bytes_of_storage(t)
    fills = t.is_contiguous() and t.storage_offset() == 0 and t.numel() * t.element_size() == len(data)
    if fills and t.dtype.name in FORMAT_NAMES:
        return Array(FORMAT_NAMES[t.dtype.name], tuple(t.shape), data)
    return Array("U8", (len(data),), data)


def geometry_of(t: Tensor) -> dict[str, Any]:
    """Return what a file says of a tensor beside its array."""
    return {"dtype": t.dtype.name, "shape": list(t.shape), "strides": list(t.stride()), "offset": t.storage_offset()}


class Geometry:
    """Dtype, sizes, strides and offset, in elements, of a tensor in a file."""

    __slots__ = ("dtype", "offset", "shape", "strides")

    def __init__(self, data: dict[str, Any], what: str) -> None:
        """Read it. Raises ProgramFileError."""
        name = data.get("dtype")
        if not isinstance(name, str) or name not in DTYPES:
            raise ProgramFileError(f"{what} has a dtype that is not known: {name!r:.40}")
        self.dtype = DTYPES[name]
        self.shape = sizes_of(data.get("shape"), what)
        self.strides = sizes_of(data.get("strides"), what)
        (self.offset,) = sizes_of([data.get("offset", 0)], what)
        if len(self.shape) != len(self.strides):
            raise ProgramFileError(f"{what} has {len(self.shape)} sizes and {len(self.strides)} strides")
        if self.numel * self.dtype.itemsize >= 1 << 62:
            raise ProgramFileError(f"{what} has {self.numel} elements: memory has no place for them")

    @property
    def numel(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    @property
    def end(self) -> int:
        """The number of elements of a storage up to the last of this."""
        if not self.numel:
            return self.offset
        return self.offset + 1 + sum((n - 1) * step for n, step in zip(self.shape, self.strides, strict=True))

    @property
    def is_dense(self) -> bool:
        """Whether the elements fill memory from its beginning, in some order of the dims."""
        step = 1
        dims = sorted((stride, size) for size, stride in zip(self.shape, self.strides, strict=True) if size != 1)
        for stride, size in dims:
            if stride != step:
                return False
            step *= size
        return self.offset == 0


def sizes_of(data: Any, what: str) -> tuple[int, ...]:
    """Return sizes or strides. Raises ProgramFileError."""
    items = expect(data, list, what)
    if len(items) > MOST_RANK or not all(type(item) is int and 0 <= item < 1 << 48 for item in items):
        raise ProgramFileError(f"{what} has malformed sizes or strides")
    return tuple(items)


def make_tensors(geometries: list[Geometry], data: bytes | memoryview) -> list[Tensor]:
    """Return new tensors on one storage with these contents. Raises ProgramFileError where they do not fit into it."""
    for geometry in geometries:
        if geometry.end * geometry.dtype.itemsize > len(data):
            raise ProgramFileError(f"a tensor of {geometry.end} elements lies beyond its array of {len(data)} bytes")
    first = geometries[0]
    if len(geometries) == 1 and first.is_dense and first.numel * first.dtype.itemsize == len(data):
        made = wengert_core.empty_strided(first.shape, first.strides, dtype=first.dtype)
        if first.numel:
            write_bytes(made.as_strided((first.numel,), (1,)).view(wengert_core.uint8), data)
        return [made]
    size = max(geometry.dtype.itemsize for geometry in geometries)
    memory = wengert_core.zeros(-(-len(data) // size) * size, dtype=wengert_core.uint8)
    write_bytes(memory[: len(data)], data)
    return [part_of(memory, geometry).detach() for geometry in geometries]


def part_of(memory: Tensor, geometry: Geometry) -> Tensor:
    """Return a tensor of that geometry on a tensor of bytes."""
    return memory.view(geometry.dtype).as_strided(geometry.shape, geometry.strides, geometry.offset)


def write_bytes(target: Tensor, data: bytes | memoryview) -> None:
    """Write bytes into a contiguous tensor of them."""
    if len(data):
        target.numpy()[:] = np.frombuffer(data, np.uint8)


def describe_tensor(dtype: Any, shape: tuple[int, ...], requires_grad: bool) -> str:
    return f"{dtype.name}{list(shape)}{' that requires grad' if requires_grad else ''}"
