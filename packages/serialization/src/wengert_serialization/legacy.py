"""PyTorch's format before its version 1.6: pickles one after another, then the bytes of the storages.

Note [Storages of a legacy file]
    The bytes come behind the pickle that needs them, so the pickle is scanned first, then the storages are read, and
    the pickle is read once more with them: sparse tensors can be checked when they are made.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pickle import UnpicklingError
from typing import Any

import wengert

from wengert_serialization.archive_reader import fill
from wengert_serialization.locations import restore_function
from wengert_serialization.messages import UNSAFE, weights_only_message
from wengert_serialization.options import is_skipping
from wengert_serialization.pickling import pickle_object
from wengert_serialization.reading import Request, read_object
from wengert_serialization.scanning import Scanner
from wengert_serialization.storages import LoadedStorages, SavedStorages, ascii_text, bytes_of, parse, writable_bytes

__all__ = ["load_legacy", "save_legacy"]

MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
PROTOCOL_VERSION = 1001
SIZES = {"short": 2, "int": 4, "long": 4}


# ---- write
def save_legacy(obj: Any, open_stream: Callable[[], Any], pickle_module: Any, protocol: int) -> None:
    """Write an object to the stream that a context opens."""
    if is_skipping():
        raise RuntimeError("Cannot use skip_data=True with _use_new_zipfile_serialization=False")
    data, storages = pickle_object(obj, AddressedStorages, pickle_module, protocol)
    system = {"protocol_version": PROTOCOL_VERSION, "little_endian": sys.byteorder == "little", "type_sizes": SIZES}
    keys = sorted(storages.storages)
    with open_stream() as stream:
        for header in (MAGIC_NUMBER, PROTOCOL_VERSION, system):
            pickle_module.dump(header, stream, protocol=protocol)
        stream.write(data)
        pickle_module.dump(keys, stream, protocol=protocol)
        for key in keys:
            write_storage(stream, storages.storages[key], storages.kinds[key])


class AddressedStorages(SavedStorages):
    """Storages with keys that no other file's have, and the description that legacy pickles have of them."""

    def key_of(self, untyped: Any) -> str:
        """Return the key of a storage."""
        return str(id(untyped))

    def describe(self, storage: Any) -> tuple[Any, ...]:
        """Return what a pickle says of a storage; the last item would say which part of it is meant."""
        return (*super().describe(storage), None)


def write_storage(stream: Any, storage: Any, kind: Any) -> None:
    """Write number and bytes of a storage's elements, in little-endian order."""
    count = storage.nbytes() // kind.itemsize
    stream.write(count.to_bytes(8, "little"))
    if sys.byteorder != "little":
        storage = storage.clone()
        storage.byteswap(kind)
    if count:
        stream.write(memoryview(bytes_of(storage))[: count * kind.itemsize])


# ---- read
def load_legacy(file: Any, request: Request) -> Any:
    """Return the object at a file's position; behind it the position is that of what follows."""
    start = file.tell()
    end = file.seek(0, 2)
    file.seek(start)
    if is_tar(file):
        raise RuntimeError(f"the file is in PyTorch's .tar format, which ended in 2017 and is not read. {UNSAFE}")
    read_headers(file, end, request)
    position = file.tell()
    needed = scan(file, end, request)
    contents = read_storages(file, end, needed, request)
    behind = file.tell()
    file.seek(position)
    storages = LoadedStorages(lambda key, nbytes, kind: contents[key], restorer(request.map_location))
    result = read_object(file, end - position, lambda one: find(one, storages), request)
    file.seek(behind)
    return result


def restorer(map_location: Any) -> Callable[[Any, str], Any]:
    """Return the function of storage and tag that ``map_location`` stands for.

    A storage that a function of the user's returns gets the bytes, as in PyTorch, where they are read after the call.
    """
    restore = restore_function(map_location)

    def restore_and_fill(storage: Any, location: str) -> Any:
        restored = restore(storage, location)
        return restored if restored is storage else restored.copy_(storage)

    return restore_and_fill if callable(map_location) else restore


def is_tar(file: Any) -> bool:
    """Return whether a tar archive begins at the position of a file."""
    start = file.tell()
    head = file.read(512)
    file.seek(start)
    return bool(head[257:262] == b"ustar")


def read_headers(file: Any, end: int, request: Request) -> None:
    """Read the pickles before that of the object. RuntimeError for those of another kind of file."""
    if read_plain(file, end, request) != MAGIC_NUMBER:
        raise RuntimeError("Invalid magic number; corrupt file?")
    version = read_plain(file, end, request)
    if version != PROTOCOL_VERSION:
        raise RuntimeError(f"Invalid protocol version: {version}")
    read_plain(file, end, request)


def read_plain(file: Any, end: int, request: Request) -> Any:
    """Return the object of a pickle without storages."""

    def refuse(identity: Any) -> Any:
        raise UnpicklingError("unsupported persistent id encountered")

    return read_object(file, end - file.tell(), refuse, request)


def scan(file: Any, end: int, request: Request) -> dict[str, tuple[Any, int]]:
    """Return dtype and number of elements of the storages that the pickle at a file's position needs, by key."""
    scanner = Scanner(file, end - file.tell())
    try:
        scanner.load()
        needed: dict[str, tuple[Any, int]] = {}
        for identity in scanner.storages:
            if is_module(identity):
                continue
            kind, key, _, numel = parse(identity)
            if needed.setdefault(key, (kind, numel))[0].itemsize * needed[key][1] != kind.itemsize * numel:
                raise UnpicklingError(f"the storage {key} has two sizes")
        return needed
    except UnpicklingError as error:
        raise UnpicklingError(weights_only_message(str(error)) if request.weights_only else str(error)) from None


def read_storages(file: Any, end: int, needed: dict[str, tuple[Any, int]], request: Request) -> dict[str, Any]:
    """Return the storages of a file, in the host's memory, by key."""
    contents = {}
    keys = read_plain(file, end, request)
    if type(keys) is not list or sorted(map(str, keys)) != sorted(needed):
        raise UnpicklingError("the storages of the file are not those that its pickle needs")
    for key in map(str, keys):
        kind, numel = needed[key]
        count = int.from_bytes(file.read(8), "little")
        left = end - file.tell()
        if count != numel or count * kind.itemsize > left:
            raise RuntimeError(f"the storage {key} has {count} elements in the file, which has {left} bytes left; "
                               f"expected {numel} elements of {kind.itemsize} bytes")
        contents[key] = read_elements(file, count, kind)
    return contents


def read_elements(file: Any, count: int, kind: Any) -> Any:
    """Return a storage with elements that are read, which lie in little-endian order."""
    memory = wengert.empty(count * kind.itemsize, dtype=wengert.uint8, device="cpu")
    if count and is_skipping():
        file.seek(count * kind.itemsize, 1)
    elif count:
        fill(file, writable_bytes(memory))
    storage = memory.untyped_storage()
    if sys.byteorder != "little":
        storage.byteswap(kind)
    return storage


def is_module(identity: Any) -> bool:
    """Return whether a persistent id means a class of modules, with its source."""
    return type(identity) is tuple and len(identity) == 4 and ascii_text(identity[0]) == "module"


def find(identity: Any, storages: LoadedStorages) -> Any:
    """Return what a persistent id of a legacy pickle means: a class of modules, a storage, or a part of one."""
    if is_module(identity):
        return identity[1]
    storage = storages.find(identity)
    part = identity[5] if len(identity) > 5 else None
    if part is None:
        return storage
    _, offset, size = part
    if type(offset) is not int or type(size) is not int or not 0 <= offset <= offset + size <= storage.size():
        raise UnpicklingError(f"a part of {size!r} elements at {offset!r} does not lie in a storage of "
                              f"{storage.size()} elements")
    width = storage.element_size()
    untyped = storage.untyped()[offset * width : (offset + size) * width]
    return wengert.TypedStorage(wrap_storage=untyped, dtype=storage.dtype, _internal=True)


