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


def device_type(name: str) -> DeviceType:
    """The type of a device by its name; PrivateUse1 for one that torch does not know."""
    return {one.name.lower(): one for one in DeviceType}.get(name, DeviceType.PrivateUse1)


class ProfilerActivity(Enum):
    """What a profile is of, for ``toggle_collection_dynamic``."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5
