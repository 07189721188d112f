"""Read a file's objects and storages: PyTorch's zip archives."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from functools import lru_cache
from io import BytesIO
from typing import Any, NamedTuple

import numpy as np
import wengert

from wengert_serialization import config
from wengert_serialization.archive_reader import ArchiveReader
from wengert_serialization.locations import mapping, restore_function
from wengert_serialization.messages import weights_only_message
from wengert_serialization.names import is_torch, object_of
from wengert_serialization.options import LoadEndianness, is_skipping
from wengert_serialization.pickling import class_of_module
from wengert_serialization.storages import LoadedStorages, StorageType, writable_bytes
from wengert_serialization.unpickler import Unpickler

__all__ = ["Request", "load_archive", "read_object"]


class Request(NamedTuple):
    """The arguments of ``load``."""

    map_location: Any
    weights_only: bool
    pickle_module: Any
    pickle_load_args: dict[str, Any]


def load_archive(archive: ArchiveReader, request: Request, mapped: Any = None) -> Any:
    """Return the object that an archive has.

    mapped: an array of the file's bytes, in which storages shall lie instead of memory of their own.
    """
    swapped = byte_order(archive) != sys.byteorder

    def read(key: str, nbytes: int, kind: Any) -> Any:
        storage = read_storage(archive, f"data/{key}", nbytes, mapped)
        if swapped and kind.itemsize > 1:
            storage.byteswap(kind)
        return storage

    data = archive.read("data.pkl")
    storages = LoadedStorages(read, restore_function(request.map_location))
    return read_object(BytesIO(data), len(data), storages.find, request)


def read_object(file: Any, size: int, find_storage: Callable[[Any], Any], request: Request) -> Any:
    """Return the object of the pickle at a file's position."""
    with mapping(request.map_location):
        if not request.weights_only:
            cls = unpickler_class(request.pickle_module)
            unpickler = cls(file, **request.pickle_load_args)
            unpickler.find_storage = find_storage
            return unpickler.load()
        try:
            return Unpickler(file, size, find_storage, request.pickle_load_args["encoding"]).load()
        except pickle.UnpicklingError as error:
            raise pickle.UnpicklingError(weights_only_message(str(error))) from error.__cause__


@lru_cache(8)
def unpickler_class(pickle_module: Any) -> Any:
    """Return a module's Unpickler, with PyTorch's names leading to wengert."""

    class TorchUnpickler(class_of_module(pickle_module, "Unpickler")):  # type: ignore[misc]  # known at run time only
        find_storage: Callable[[Any], Any]

        def find_class(self, module: str, name: str) -> Any:
            if name.endswith("Storage") and is_torch(module):
                try:
                    return StorageType(name)
                except KeyError:
                    pass
            return object_of(module, name) if is_torch(module) else super().find_class(module, name)

        def persistent_load(self, identity: Any) -> Any:
            return self.find_storage(identity)

    return TorchUnpickler


# ---- records
def read_storage(archive: ArchiveReader, name: str, nbytes: int, mapped: Any) -> Any:
    """Return a storage with the bytes of a record. RuntimeError where it has another number of bytes."""
    size = archive.size(name)
    if size != nbytes:
        raise RuntimeError(f"record size ({size} bytes) does not match expected size ({nbytes} bytes) that the pickle "
                           f"says of {name}")
    if is_skipping():
        return wengert.zeros(nbytes, dtype=wengert.uint8, device="cpu").untyped_storage()
    if mapped is not None and nbytes:
        offset = archive.offset(name)
        part = mapped[offset : offset + nbytes]
        return wengert.from_numpy(part if offset % 16 == 0 else np.array(part)).untyped_storage()
    memory = wengert.empty(nbytes, dtype=wengert.uint8, device="cpu")
    if nbytes:
        archive.read_into(name, writable_bytes(memory))
    return memory.untyped_storage()


def byte_order(archive: ArchiveReader) -> str:
    """Return the byte order of an archive's numbers. ValueError for an unknown one."""
    if "byteorder" in archive.records:
        order = archive.read("byteorder", limit=64)
        if order not in (b"little", b"big"):
            raise ValueError(f"Unknown endianness type: {order.decode(errors='replace')}")
        return order.decode()
    fallback = config.load.endianness
    if fallback is LoadEndianness.NATIVE:
        return sys.byteorder
    return "big" if fallback is LoadEndianness.BIG else "little"
