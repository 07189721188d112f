# Written by tools/generate/module_stubs.py.
from wengert_core.api.typed_storage import TypedStorage as TypedStorage
from wengert_core.api.untyped_storage import UntypedStorage as UntypedStorage
from wengert_serialization.storage import _LegacyStorage as _LegacyStorage
from wengert_serialization.storage import _StorageBase as _StorageBase
from wengert_serialization.storage import _dtype_to_storage_type_map as _dtype_to_storage_type_map
from wengert_serialization.storage import _get_dtype_from_pickle_storage_type as _get_dtype_from_pickle_storage_type
from wengert_serialization.storage import _load_from_bytes as _load_from_bytes
from wengert_serialization.storage import _storage_type_to_dtype_map as _storage_type_to_dtype_map

__all__ = [
    "TypedStorage", "UntypedStorage", "_LegacyStorage", "_StorageBase", "_dtype_to_storage_type_map",
    "_get_dtype_from_pickle_storage_type", "_load_from_bytes", "_storage_type_to_dtype_map"
]
