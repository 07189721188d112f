from wengert_compat.dlpack import DLDeviceType as DLDeviceType
from wengert_compat.dlpack import from_dlpack as from_dlpack
from wengert_compat.dlpack import to_dlpack as to_dlpack

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]
