"""Names that torch has as enumerations: types of devices, and what a profile is of."""

from __future__ import annotations

from enum import Enum


class DeviceType(Enum):
    """What kind of device an event is of."""

    CPU = 0
    CUDA = 1
    XPU = 12
    MTIA = 18
    HPU = 19
    PrivateUse1 = 20


class ProfilerActivity(Enum):
    """What a profile is of, for ``toggle_collection_dynamic``."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5
