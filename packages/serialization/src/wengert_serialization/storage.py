"""Storages: ``wengert.storage``, with the names of ``torch.storage``."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import wengert
from wengert import TypedStorage, UntypedStorage

from wengert_serialization.names import KINDS

__all__ = [
    "TypedStorage", "UntypedStorage", "_LegacyStorage", "_StorageBase", "_dtype_to_storage_type_map",
    "_get_dtype_from_pickle_storage_type", "_load_from_bytes", "_storage_type_to_dtype_map",
]  # fmt: skip

LEGACY: Any = type(wengert.FloatStorage)
LEGACY_NAMES: dict[wengert.dtype, str] = {
    getattr(wengert, f"{kind}Storage").dtype: f"{kind}Storage" for kind in KINDS.split()
}


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


def _dtype_to_storage_type_map() -> dict[wengert.dtype, str]:
    """Return the names of the legacy classes by their dtypes."""
    return dict(LEGACY_NAMES)


def _storage_type_to_dtype_map() -> dict[str, wengert.dtype]:
    """Return the dtypes of the legacy classes by their names."""
    return {name: kind for kind, name in LEGACY_NAMES.items()}


def _get_dtype_from_pickle_storage_type(pickle_storage_type: str) -> wengert.dtype:
    """Return the dtype of a legacy class by its name. KeyError for another name."""
    found = _storage_type_to_dtype_map().get(pickle_storage_type)
    if found is None:
        raise KeyError(f'pickle storage type "{pickle_storage_type}" is not recognized')
    return found
