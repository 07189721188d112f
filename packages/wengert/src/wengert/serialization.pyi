# Written by tools/generate/module_stubs.py.
from wengert_serialization.locations import default_restore_location as default_restore_location
from wengert_serialization.locations import location_tag as location_tag
from wengert_serialization.locations import register_package as register_package
from wengert_serialization.locations import validate_cuda_device as validate_cuda_device
from wengert_serialization.locations import validate_hpu_device as validate_hpu_device
from wengert_serialization.options import LoadEndianness as LoadEndianness
from wengert_serialization.options import get_crc32_options as get_crc32_options
from wengert_serialization.options import get_default_load_endianness as get_default_load_endianness
from wengert_serialization.options import get_default_mmap_options as get_default_mmap_options
from wengert_serialization.options import set_crc32_options as set_crc32_options
from wengert_serialization.options import set_default_load_endianness as set_default_load_endianness
from wengert_serialization.options import set_default_mmap_options as set_default_mmap_options
from wengert_serialization.options import skip_data as skip_data
from wengert_serialization.safe_globals import add_safe_globals as add_safe_globals
from wengert_serialization.safe_globals import clear_safe_globals as clear_safe_globals
from wengert_serialization.safe_globals import get_safe_globals as get_safe_globals
from wengert_serialization.safe_globals import safe_globals as safe_globals
from wengert_serialization.serialization import DEFAULT_PROTOCOL as DEFAULT_PROTOCOL
from wengert_serialization.serialization import FILE_LIKE as FILE_LIKE
from wengert_serialization.serialization import MAP_LOCATION as MAP_LOCATION
from wengert_serialization.serialization import SourceChangeWarning as SourceChangeWarning
from wengert_serialization.serialization import _get_layout as _get_layout
from wengert_serialization.serialization import check_module_version_greater_or_equal as check_module_version_greater_or_equal
from wengert_serialization.serialization import get_unsafe_globals_in_checkpoint as get_unsafe_globals_in_checkpoint
from wengert_serialization.serialization import load as load
from wengert_serialization.serialization import mkdtemp as mkdtemp
from wengert_serialization.serialization import normalize_storage_type as normalize_storage_type
from wengert_serialization.serialization import save as save
from wengert_serialization.serialization import storage_to_tensor_type as storage_to_tensor_type
from wengert_serialization.storages import StorageType as StorageType

__all__ = [
    "DEFAULT_PROTOCOL", "FILE_LIKE", "LoadEndianness", "MAP_LOCATION", "SourceChangeWarning", "StorageType",
    "_get_layout", "add_safe_globals", "check_module_version_greater_or_equal", "clear_safe_globals",
    "default_restore_location", "get_crc32_options", "get_default_load_endianness", "get_default_mmap_options",
    "get_safe_globals", "get_unsafe_globals_in_checkpoint", "load", "location_tag", "mkdtemp",
    "normalize_storage_type", "register_package", "safe_globals", "save", "set_crc32_options",
    "set_default_load_endianness", "set_default_mmap_options", "skip_data", "storage_to_tensor_type",
    "validate_cuda_device", "validate_hpu_device"
]
