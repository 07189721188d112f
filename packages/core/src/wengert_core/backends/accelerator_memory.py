"""Memory in ``wengert.cuda``: figures of what tensors use, of what the device keeps, and of what it has."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from typing import Any

from wengert_core.backends.accelerator_access import DeviceAccess

NAMES = ("device_memory_used", "empty_cache", "ipc_collect", "max_memory_allocated", "max_memory_cached",
         "max_memory_reserved", "mem_get_info", "memory_allocated", "memory_cached", "memory_reserved", "memory_stats",
         "memory_stats_as_nested_dict", "memory_summary", "reset_max_memory_allocated", "reset_max_memory_cached",
         "reset_peak_memory_stats")  # fmt: skip


class MemoryFunctions(DeviceAccess):
    """Functions about memory. ``device`` is None (the current one), a number, a text or a device object."""

    def figures(self, device: Any) -> dict[str, int]:
        """The plugin's figures, with those of memory that is kept for reuse; empty without a device."""
        plugin = self.plugin()
        found = {} if plugin is None else plugin.memory_stats(self.index(device, plugin))
        if "reserved" not in found and "allocated" in found:  # nothing is kept
            found = {**found, "reserved": found["allocated"], "reserved_peak": found.get("peak", found["allocated"])}
        return found

    def memory_stats_as_nested_dict(self, device: Any = None) -> dict[str, Any]:
        """Return PyTorch's figures that are known here: current and most bytes, allocated and reserved.

        They are ``[name]["all"]["current" or "peak"]``, with the names "allocated_bytes" and "reserved_bytes"; {}
        without a device.
        """
        found = self.figures(device)
        pairs = {"allocated_bytes": ("allocated", "peak"), "reserved_bytes": ("reserved", "reserved_peak")}
        return {name: {"all": {"current": found.get(now, 0), "peak": found.get(peak, found.get(now, 0))}}
                for name, (now, peak) in pairs.items() if found}  # fmt: skip

    def memory_stats(self, device: Any = None) -> OrderedDict[str, int]:
        """Return figures of a device's memory, sorted by name; empty without a device.

        They are PyTorch's names that are known here ("allocated_bytes.all.peak") and the plugin's own ("peak").
        """
        nested = self.memory_stats_as_nested_dict(device)
        flat = {f"{name}.all.{key}": value for name, parts in nested.items() for key, value in parts["all"].items()}
        return OrderedDict(sorted((self.figures(device) | flat).items()))

    def memory_allocated(self, device: Any = None) -> int:
        """Bytes of live tensors."""
        return self.figures(device).get("allocated", 0)

    def max_memory_allocated(self, device: Any = None) -> int:
        """The most bytes of live tensors since the start, or since reset_peak_memory_stats."""
        return self.figures(device).get("peak", 0)

    def memory_reserved(self, device: Any = None) -> int:
        """Bytes of live tensors and of memory that is kept for reuse."""
        return self.figures(device).get("reserved", 0)

    def max_memory_reserved(self, device: Any = None) -> int:
        """The most bytes of memory_reserved since the start, or since reset_peak_memory_stats."""
        found = self.figures(device)
        return found.get("reserved_peak", found.get("reserved", 0))

    def memory_cached(self, device: Any = None) -> int:
        """Return memory_reserved, of which this is the old name; FutureWarning."""
        self.warn_renamed("memory_cached", "has been renamed to", "memory_reserved")
        return self.memory_reserved(device)

    def max_memory_cached(self, device: Any = None) -> int:
        """Return max_memory_reserved, of which this is the old name; FutureWarning."""
        self.warn_renamed("max_memory_cached", "has been renamed to", "max_memory_reserved")
        return self.max_memory_reserved(device)

    def reset_max_memory_allocated(self, device: Any = None) -> None:
        """Call reset_peak_memory_stats, of which this is an old name; FutureWarning."""
        self.warn_renamed("reset_max_memory_allocated", "now calls", "reset_peak_memory_stats")
        self.reset_peak_memory_stats(device)

    def reset_max_memory_cached(self, device: Any = None) -> None:
        """Call reset_peak_memory_stats, of which this is an old name; FutureWarning."""
        self.warn_renamed("reset_max_memory_cached", "now calls", "reset_peak_memory_stats")
        self.reset_peak_memory_stats(device)

    def warn_renamed(self, old: str, verb: str, name: str) -> None:
        """Warn that a function has another name by now."""
        text = f"`torch.{self.kind}.{old}` {verb} `torch.{self.kind}.{name}`"
        warnings.warn(text, FutureWarning, stacklevel=3)

    def reset_peak_memory_stats(self, device: Any = None) -> None:
        """Let max_memory_allocated and max_memory_reserved start again."""
        plugin = self.require_plugin()
        plugin.reset_peak(self.index(device, plugin))

    def mem_get_info(self, device: Any = None) -> tuple[int, int]:
        """Return (free bytes, all bytes) of a device, whoever uses them."""
        self.parse(device)  # a device of another type is an error also where there is none
        plugin = self.require_plugin()
        free, total = plugin.memory_info(self.index(device, plugin))
        return int(free), int(total)

    def device_memory_used(self, device: Any = None) -> int:
        """Bytes of a device that are in use, whoever uses them."""
        free, total = self.mem_get_info(device)
        return total - free

    def memory_summary(self, device: Any = None, abbreviated: bool = False) -> str:
        """Return a table of the figures, for reading.

        abbreviated: without the line about the memory of the whole device.
        """
        plugin = self.require_plugin()
        index = self.index(device, plugin)
        stats = self.memory_stats_as_nested_dict(index)
        lines = [f"{self.kind} memory summary, device ID {index}", ""]
        lines.append(f"{'Metric':<24}{'Cur Usage':>14}{'Peak Usage':>14}")
        for label, name in (("Allocated memory", "allocated_bytes"), ("Reserved memory", "reserved_bytes")):
            figures = stats.get(name, {"all": {"current": 0, "peak": 0}})["all"]
            lines.append(f"{label:<24}{format_bytes(figures['current']):>14}{format_bytes(figures['peak']):>14}")
        if not abbreviated:
            try:
                free, total = self.mem_get_info(index)
            except RuntimeError:  # the plugin cannot tell
                pass
            else:
                lines.append(f"{'Memory of the device':<24}{format_bytes(total - free):>14}, of {format_bytes(total)}")
        return "\n".join(lines) + "\n"

    def empty_cache(self) -> None:
        """Give memory that is kept for reuse back to the device."""
        plugin = self.plugin()
        if plugin is not None:
            plugin.empty_cache()

    def ipc_collect(self) -> None:
        """Do nothing, where there is a device: memory of devices is not shared between processes."""
        self.require_plugin()


def format_bytes(n: int) -> str:
    """A number of bytes, for reading.

    >>> format_bytes(1536), format_bytes(20)
    ('1.5 KiB', '20 B')
    """
    if n < 1024:
        return f"{n} B"
    size, unit = n / 1024, 0
    while size >= 1024 and unit < 4:
        size, unit = size / 1024, unit + 1
    return f"{size:.1f} {'KMGTP'[unit]}iB"
