"""A type of device as ``wengert.cuda`` sees it: its plugin, and the number that a ``device`` argument means."""

from __future__ import annotations

from typing import Any

from wengert_core.devices import device as devices


class DeviceAccess:
    """The devices of one type."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def plugin(self) -> Any:
        """The plugin, where it is installed and has a device; else None."""
        found = devices.plugin_of(self.kind)
        return found if found is not None and found.device_count() else None

    def require_plugin(self) -> Any:
        """The plugin; torch's error where there is none, or no device."""
        found = devices.plugin_of(self.kind)
        if found is None:
            devices.device_number(devices.device(self.kind), self.kind)
        if not found.device_count():
            raise devices.AbsentDeviceError(found.unavailable())
        return found

    def parse(self, device: Any) -> int | None:
        """The number in a ``device`` argument: None, an int, a text or a device. None: the current one's."""
        if device is None or isinstance(device, int):
            return device
        asked = devices.device(device)
        if asked.type != self.kind:
            raise ValueError(f"Expected a {self.kind} device, but got: {asked}")
        return asked.index

    def index(self, device: Any, plugin: Any) -> int:
        """The number that a ``device`` argument means. RuntimeError where there is no such device."""
        number = self.parse(device)
        if number is None:
            return int(plugin.current_device())
        count = plugin.device_count()
        if not 0 <= number < count:
            raise RuntimeError(f"invalid device ordinal: expected one of the {count} devices of type '{self.kind}', "
                               f"numbered from 0, got {device!r}")
        return number
