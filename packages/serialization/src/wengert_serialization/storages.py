"""Storages in files: a pickle names each by a key, its bytes lie elsewhere in the file."""

from __future__ import annotations

from collections.abc import Callable
from pickle import UnpicklingError
from typing import Any

import wengert
from wengert import TypedStorage, UntypedStorage

from wengert_serialization.locations import location_tag
from wengert_serialization.names import STAND_INS

__all__ = ["LoadedStorages", "SavedStorages", "StorageType", "bytes_of", "writable_bytes"]


class StorageType:
    """A class of storages that a pickle names, such as FloatStorage: it stands for a dtype.

    >>> import wengert as wg
    >>> str(wg.serialization.StorageType("FloatStorage"))
    'StorageType(dtype=torch.float32)'
    """

    def __init__(self, name: str) -> None:
        found = getattr(wengert, name, None) if name.endswith("Storage") else None
        if name in ("UntypedStorage", "TypedStorage") or not isinstance(getattr(found, "dtype", None), wengert.dtype):
            raise KeyError(f'pickle storage type "{name}" is not recognized')
        self._dtype: Any = found.dtype  # type: ignore[union-attr]  # a class of storages

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._dtype

    def __str__(self) -> str:
        return f"StorageType(dtype={self._dtype})"


def bytes_of(storage: Any) -> Any:
    """Return an array of bytes on the memory of a storage; on a copy for one that is not in the host's memory."""
    return wengert.empty(0, dtype=wengert.uint8, device="cpu").set_(storage.cpu()).numpy()


def writable_bytes(memory: Any) -> memoryview:
    """Return the memory of a tensor of bytes, to read into."""
    return memoryview(memory.numpy())


class SavedStorages:
    """The storages that a pickle names while it is written.

    RuntimeError for a storage that is named with two dtypes, which no file can have.
    """

    def __init__(self) -> None:
        self.keys: dict[int, str] = {}
        self.storages: dict[str, Any] = {}
        self.kinds: dict[str, Any] = {}

    def key_of(self, untyped: Any) -> str:
        """Return the key of a storage that has none yet."""
        return str(len(self.keys))

    def describe(self, storage: Any) -> tuple[Any, ...]:
        """Return what a pickle says of a storage: class, key, place, number of elements."""
        untyped = storage.untyped()
        plain = isinstance(storage, UntypedStorage)
        kind = wengert.uint8 if plain else storage.dtype
        key = self.keys.setdefault(id(untyped), self.key_of(untyped))
        if self.kinds.setdefault(key, kind) is not kind and untyped.nbytes():
            raise RuntimeError("Cannot save multiple tensors or storages that view the same data as different types: "
                               f"{self.kinds[key]} and {kind}. Save a clone() of one of them")
        self.storages[key] = untyped
        cls = UntypedStorage if plain else STAND_INS[storage.pickle_storage_type()]
        return "storage", cls, key, location_tag(untyped), untyped.nbytes() // kind.itemsize


class LoadedStorages:
    """The storages that a pickle names while it is read, each made once.

    read(key, count of bytes): a storage with the bytes, in the host's memory.
    restore(storage, tag): the storage in its place.
    """

    def __init__(self, read: Callable[[str, int, Any], Any], restore: Callable[[Any, str], Any]) -> None:
        self.read, self.restore = read, restore
        self.storages: dict[str, Any] = {}

    def find(self, identity: Any) -> TypedStorage:
        """Return the storage that a pickle describes as ``describe`` does."""
        kind, key, location, numel = parse(identity)
        if key not in self.storages:
            self.storages[key] = self.restore(self.read(key, numel * kind.itemsize, kind), location)
        untyped = self.storages[key]
        return TypedStorage(wrap_storage=untyped, dtype=kind, _internal=True)


def parse(identity: Any) -> tuple[Any, str, str, int]:
    """Return dtype, key, tag and number of elements of a storage that a pickle names. UnpicklingError for others."""
    if type(identity) is not tuple:
        raise UnpicklingError(f"persistent_load id must be tuple or int, but got {type(identity)}")
    name = ascii_text(identity[0]) if identity else None
    if name != "storage" or len(identity) < 5:
        raise UnpicklingError(f"Only persistent_load of storage is allowed, but got {identity!r:.100}")
    cls, key, location, numel = identity[1:5]
    if cls is UntypedStorage:
        kind: Any = wengert.uint8
    elif isinstance(cls, StorageType):
        kind = cls.dtype
    elif getattr(cls, "__name__", None) in STAND_INS and cls is STAND_INS[cls.__name__]:
        kind = StorageType(cls.__name__).dtype
    else:
        raise UnpicklingError(f"a storage's type must be a class of storages, but is {cls!r:.100}")
    key, location = ascii_text(key), ascii_text(location)
    if key is None or location is None or type(numel) is not int or numel < 0:
        raise UnpicklingError("a storage's key and place must be str and its number of elements an int that is not "
                              f"negative, but they are {key!r:.100}, {location!r:.100} and {numel!r:.100}")
    return kind, key, location, numel


def ascii_text(value: Any) -> str | None:
    """Return a str, also for bytes, which Python 2 wrote for it; None for any other value."""
    if type(value) is bytes:
        return value.decode("ascii", "replace")
    return value if type(value) is str else None
