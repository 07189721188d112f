"""Storages: ``wengert.storage``, with the names of ``torch.storage``."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import wengert
from wengert import TypedStorage, UntypedStorage

__all__ = ["TypedStorage", "UntypedStorage", "_LegacyStorage", "_StorageBase", "_load_from_bytes"]

LEGACY: Any = type(wengert.FloatStorage)


class LegacyKind(type):
    """The metaclass of _LegacyStorage: FloatStorage and its kin count as subclasses."""

    def __subclasscheck__(cls, subclass: Any) -> bool:
        return isinstance(subclass, LEGACY) or type.__subclasscheck__(cls, subclass)

    def __instancecheck__(cls, instance: object) -> bool:
        return False  # calling FloatStorage gives a TypedStorage


class _LegacyStorage(metaclass=LegacyKind):
    """The base class of FloatStorage, LongStorage and their kin, for ``issubclass``."""


class BaseKind(type):
    """The metaclass of _StorageBase: UntypedStorage counts as a subclass."""

    def __subclasscheck__(cls, subclass: Any) -> bool:
        return type.__subclasscheck__(UntypedStorage, subclass) or type.__subclasscheck__(cls, subclass)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, UntypedStorage)


class _StorageBase(metaclass=BaseKind):
    """The base class of storages without a dtype, for ``isinstance``."""


def _load_from_bytes(b: bytes) -> Any:
    """Return the object in the bytes of a file, which a pickled storage of PyTorch's contains."""
    from wengert_serialization.serialization import load

    return load(BytesIO(b), weights_only=False)
