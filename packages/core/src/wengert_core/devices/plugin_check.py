"""Devices of entry points: what is accepted, and what a plugin has to have."""

from __future__ import annotations

from typing import Any

from wengert_core.devices.plugin import DevicePlugin

NEEDED = ("device_count", "allocate", "array", "upload", "download")
"""Methods of DevicePlugin that every device has to have of its own: there they only raise NotImplementedError."""
RESERVED = ("cpu", "meta")
"""Types that are no plugin's."""


def accept(candidate: Any, obj: Any) -> Any:
    """Return what a ``wengert.devices.v1`` entry point may give: a class derived from DevicePlugin, or an instance.

    Raises TypeError or ValueError to refuse it.
    """
    name, cls = candidate.name, obj if isinstance(obj, type) else type(obj)
    if not issubclass(cls, DevicePlugin):
        raise TypeError(
            "expected a class derived from wengert_core.devices.plugin.DevicePlugin, or an instance of one, got "
            f"{'the class ' if cls is obj else ''}{cls.__name__}"
        )
    if name in RESERVED:
        raise ValueError(f"the type of device '{name}' is wengert's own; a plugin's has another name")
    if not name.replace("_", "").isalpha():
        raise ValueError(f"'{name}' cannot be a type of device: expected letters and underscores, as in 'my_gpu'")
    if obj.type != name and not (obj is cls and not obj.type):  # a class may set it when it is called
        raise ValueError(f"the device says that its type is {obj.type!r}, its entry point is '{name}': they must agree")
    missing = [method for method in NEEDED if getattr(cls, method) is getattr(DevicePlugin, method)]
    if missing:
        needed = ", ".join(NEEDED)
        raise TypeError(f"{cls.__name__} lacks {', '.join(missing)}: a device has the methods {needed} of its own")
    return obj


def defects(plugin: Any) -> list[str]:
    """Return the defects of a device that has been accepted, a sentence each, without computing on it."""
    device = plugin() if isinstance(plugin, type) else plugin
    count = device.device_count()
    if not isinstance(count, int) or count < 0:
        return [f"device_count() gave {count!r}; expected how many devices there are, an int from 0 on"]
    if not count:
        reason = device.unavailable()
        return [] if isinstance(reason, str) else [f"unavailable() gave {reason!r}; expected a sentence"]
    return [] if device.xp is not None else ["it has no xp; expected an array namespace close to NumPy's"]
