"""What a device is, in ``wengert.cuda``: its name and properties, and which dtypes it computes with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wengert_core.backends.accelerator_access import DeviceAccess
from wengert_core.devices.device import AbsentDeviceError

NAMES = ("can_device_access_peer", "get_arch_list", "get_device_capability", "get_device_name",
         "get_device_properties", "has_half", "is_bf16_supported", "is_tf32_supported")  # fmt: skip
AMPERE = 8
"""The first generation of NVIDIA's GPUs with units for bfloat16 and TF32, as the major number of its capability."""


class InfoFunctions(DeviceAccess):
    """Functions about the properties of devices."""

    has_half = True

    def known_index(self, device: Any, plugin: Any, what: str = "device") -> int:
        """The number of a device; torch's AssertionError where there is no such device."""
        try:
            return self.index(device, plugin)
        except RuntimeError as error:
            raise AbsentDeviceError(f"Invalid {what} id: {error}") from None

    def get_device_properties(self, device: Any = None) -> DeviceProperties:
        """Return what the plugin knows of a device, as attributes with PyTorch's names: ``name``, ``total_memory``, ...

        AssertionError for a number that no device has.
        """
        plugin = self.require_plugin()
        index = self.known_index(device, plugin)
        return DeviceProperties(f"{self.kind}:{index}", plugin.properties(index))

    def get_device_name(self, device: Any = None) -> str:
        """Return the name of a device, such as "NVIDIA H200"."""
        return str(self.get_device_properties(device).name)

    def get_device_capability(self, device: Any = None) -> tuple[int, int]:
        """Return the major and the minor number of a device's capability."""
        found = self.get_device_properties(device)
        return int(found.major), int(found.minor)

    def can_device_access_peer(self, device: Any, peer_device: Any) -> bool:
        """Return whether a device can read another one's memory directly."""
        plugin = self.require_plugin()
        index = self.known_index(device, plugin)
        return bool(plugin.can_access_peer(index, self.known_index(peer_device, plugin, "peer device")))

    def get_arch_list(self) -> list[str]:
        """Return the architectures that code is made for: those of the devices, as kernels are compiled when used."""
        plugin = self.plugin()
        found = [] if plugin is None else [plugin.properties(k) for k in range(plugin.device_count())]
        return sorted({f"sm_{one['major']}{one['minor']}" for one in found if "major" in one})

    def is_bf16_supported(self, including_emulation: bool = True) -> bool:
        """Return whether the current device computes with bfloat16, which is tried. False without a device.

        including_emulation: also where it has no units for it, before compute capability 8.0.
        """
        if self.plugin() is None or not (including_emulation or self.is_ampere()):
            return False
        from wengert_core import bfloat16, ones  # with the first question

        try:
            x = ones(1, dtype=bfloat16, device=self.kind)
            return bool((x + x).item() == 2)
        except Exception:  # whatever an array namespace without bfloat16 raises
            return False

    def is_tf32_supported(self) -> bool:
        """Return whether the current device has units for TF32. wengert itself does not ask for them."""
        return self.is_ampere()

    def is_ampere(self) -> bool:
        """Whether the current device is of the generation Ampere, or a later one."""
        plugin = self.plugin()
        return plugin is not None and plugin.properties(plugin.current_device()).get("major", 0) >= AMPERE


class DeviceProperties:
    """The properties of a device, as attributes."""

    def __init__(self, which: str, values: Mapping[str, Any]) -> None:
        vars(self).update(values)
        self._which = which

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        known = ", ".join(self._names())
        raise AttributeError(f"the properties of {self._which} have no attribute '{name}'; its plugin tells {known}")

    def _names(self) -> list[str]:
        return [name for name in vars(self) if not name.startswith("_")]

    def __repr__(self) -> str:
        return f"DeviceProperties({', '.join(f'{name}={getattr(self, name)!r}' for name in self._names())})"
