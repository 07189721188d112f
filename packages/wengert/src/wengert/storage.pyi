# Written by tools/generate/module_stubs.py.
from wengert_core.api.typed_storage import TypedStorage as TypedStorage
from wengert_core.api.untyped_storage import UntypedStorage as UntypedStorage
from wengert_serialization.storage import _LegacyStorage as _LegacyStorage
from wengert_serialization.storage import _StorageBase as _StorageBase
from wengert_serialization.storage import _load_from_bytes as _load_from_bytes

__all__ = [
    "TypedStorage", "UntypedStorage", "_LegacyStorage", "_StorageBase", "_load_from_bytes"
]
