"""Tensors from outside as arrays of a file, with their strides and with what they share.

Note [Tensors and storages in a file]
    A storage is one array. A contiguous tensor that fills its storage gives the array its dtype and shape, so that
    other programs can read parameters; any other storage is an array of bytes, of which its tensors are parts.
    Storages that overlap, as tensors on one array of NumPy have, are one array together; the entry of each tensor then
    has the number of its storage, as each has versions of its own.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import wengert_core
from wengert_core.extend import Tensor

from wengert_replay.exporting.container import Array
from wengert_replay.exporting.errors import ProgramFileError
from wengert_replay.exporting.values import DTYPES, MOST_RANK, expect
from wengert_replay.inspection.state import storage_key

FORMAT_NAMES = {
    "bool": "BOOL", "uint8": "U8", "int8": "I8", "uint16": "U16", "int16": "I16", "uint32": "U32", "int32": "I32",
    "uint64": "U64", "int64": "I64", "float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64",
}  # fmt: skip
"""The format's names of dtypes; complex numbers are bytes in it."""
MOST_ITEM_BYTES = 16
"""Of an element: complex128."""


def address_of(t: Tensor) -> int:
    """Return the address of a tensor's storage."""
    return int(t.untyped_storage().data_ptr())


def end_of(t: Tensor) -> int:
    """Return the address behind a tensor's storage."""
    return address_of(t) + int(t.untyped_storage().nbytes())


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


class Region:
    """Storages that overlap, most often one alone, and where tensors lie in them."""

    def __init__(self, tensors: list[Tensor]) -> None:
        """tensors: on these storages."""
        self.storages = {storage_key(t): t for t in tensors}
        self.numbers = {key: number for number, key in enumerate(self.storages)}
        self.start = min(map(address_of, tensors))
        self.padding = 0
        if len(self.storages) > 1:
            self.padding = padding_of([(t.data_ptr() - self.start, t.element_size()) for t in tensors])

    def array(self, t: Tensor) -> Array:
        """Return the array of the storages. t: a tensor on the only one."""
        if len(self.storages) == 1:
            return array_of(t)
        size = max(map(end_of, self.storages.values())) - self.start
        data = bytearray(self.padding + size)
        for one in self.storages.values():
            first = self.padding + address_of(one) - self.start
            data[first : first + one.untyped_storage().nbytes()] = bytes_of_storage(one)
        return Array("U8", (len(data),), bytes(data))

    def geometry(self, t: Tensor) -> dict[str, Any]:
        """Return what a file says of a tensor beside its array."""
        entry = {"dtype": t.dtype.name, "shape": list(t.shape), "strides": list(t.stride()),
                 "offset": t.storage_offset()}  # fmt: skip
        if len(self.storages) > 1:
            entry["offset"] = (self.padding + t.data_ptr() - self.start) // t.element_size()
            entry["storage"] = self.numbers[storage_key(t)]
        return entry


class Memory:
    """The addresses of the storages of tensors."""

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        for start, end in sorted((address_of(t), end_of(t)) for t in tensors):
            if self.ends and start < self.ends[-1]:
                self.ends[-1] = max(end, self.ends[-1])
            elif start < end:
                self.starts.append(start)
                self.ends.append(end)

    def meets(self, t: Tensor) -> bool:
        """Return whether a tensor's storage has an address of one of them."""
        number = bisect_right(self.ends, address_of(t))
        return number < len(self.starts) and self.starts[number] < end_of(t)


def padding_of(places: list[tuple[int, int]]) -> int:
    """Return how many bytes ahead of a region let each tensor begin at a multiple of its elements. places: where
    tensors begin, and bytes of their elements.
    """
    for padding in range(MOST_ITEM_BYTES):
        if all((first + padding) % size == 0 for first, size in places):
            return padding
    raise ProgramFileError("tensors from outside that overlap lie at places that are no multiples of their elements: "
                           "clone one of them")  # fmt: skip


def regions_of(tensors: list[Tensor]) -> dict[int, Region]:
    """Return the regions of tensors, by the keys of their storages."""
    found: dict[int, Region] = {}
    members: list[Tensor] = []
    end = 0
    for t in [*sorted(tensors, key=address_of), None]:
        if members and (t is None or address_of(t) >= end):
            region = Region(members)
            found.update(dict.fromkeys(region.storages, region))
            members = []
        if t is not None:
            end = max(end, end_of(t)) if members else end_of(t)
            members.append(t)
    return found


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


def make_tensors(
    geometries: list[Geometry], data: bytes | memoryview, storages: Sequence[int] = ()
) -> list[Tensor]:
    """Return new tensors on memory with these contents. Raises ProgramFileError where they do not fit into it.

    storages: the number of each tensor's storage, which all are on the same memory; (): they have one.
    """
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
    if len(set(storages)) > 1:
        array = memory.numpy()
        parts = {number: wengert_core.from_numpy(array) for number in set(storages)}
        return [part_of(parts[one], geometry).detach() for one, geometry in zip(storages, geometries, strict=True)]
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
