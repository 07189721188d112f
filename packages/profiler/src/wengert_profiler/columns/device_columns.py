"""What operations took on devices, as columns beside those of a recording; and which device a profile is of.

Note [Times of devices]
    The engine gives a time for each operation that ran on a device (engine/observe/device_times.py); what it called is
    in it. An event that is no such operation (a label, a node, a function of operations) has what its children have.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from wengert_core.extend import device_plugin, short_repr
from wengert_engine.extend import DeviceTime, DeviceTimes

Column = np.ndarray[Any, Any]
KNOWN = ("cuda", "xpu", "hpu", "mtia")
"""Types of devices that torch's profiler knows; here any type that a plugin brings."""


def device_of_profile(use_cuda: bool, use_device: Any) -> str | None:
    """The type of device that a profile is of; a warning when there is none of it."""
    if use_cuda:
        warnings.warn(
            "The attribute `use_cuda` will be deprecated soon, please use ``use_device = 'cuda'`` instead.",
            FutureWarning,
            stacklevel=3,
        )
        use_device = "cuda"
    if use_device is None:
        return None
    if not isinstance(use_device, str) or use_device == "cpu" or not (use_device in KNOWN or is_installed(use_device)):
        text = f"The {short_repr(use_device, str)} is not a valid device option. The profile is of the CPU only"
        warnings.warn(text, UserWarning, stacklevel=3)
        return None
    if not usable(use_device):
        name = use_device.upper()
        text = f"{name} is not available, disabling {name} profiling: its columns are zero"
        warnings.warn(text, UserWarning, stacklevel=3)
    return use_device


def is_installed(kind: str) -> bool:
    """Whether a plugin brings devices of a type."""
    return device_plugin(kind) is not None


def usable(kind: str) -> bool:
    """Whether there is a device of a type."""
    plugin = device_plugin(kind)
    return plugin is not None and plugin.device_count() > 0


def timer_for(kind: str | None, memory: bool) -> DeviceTimes | None:
    """What times operations on the devices of a type, where there are any."""
    return DeviceTimes(kind, memory) if kind is not None and usable(kind) else None


def finish_times(timer: DeviceTimes | None) -> list[DeviceTime]:
    """The times, once the devices are done with what was timed."""
    if timer is None:
        return []
    timer.settle()
    if timer.without_events:
        text = f"devices of type '{timer.kind}' have no events: what runs on them has no times of its own"
        warnings.warn(f"profile(): {text}", UserWarning, stacklevel=3)
    return timer.found


class DeviceColumns:
    """Nanoseconds on devices and bytes of their memory, for each event of a recording."""

    def __init__(self, table: Column, times: list[DeviceTime]) -> None:
        self.times = times
        self.total, self.memory = np.zeros(len(table), np.int64), np.zeros(len(table), np.int64)
        self.index = np.zeros(len(table), np.int64)
        if not times:
            return
        events = np.array([one.event for one in times], np.int64)
        measured = np.zeros(len(table), bool)
        measured[events] = True
        self.total[events] = [one.duration for one in times]
        self.memory[events] = [one.memory for one in times]
        self.index[events] = [one.device for one in times]
        parents, depths = table["parent"], table["depth"]
        for depth in range(int(depths.max()), 0, -1):
            inside = np.flatnonzero((depths == depth) & (parents >= 0))
            inside = inside[~measured[parents[inside]]]
            np.add.at(self.total, parents[inside], self.total[inside])
            np.add.at(self.memory, parents[inside], self.memory[inside])
