"""Pinned memory of the host: what a device reads and writes directly, so that copies need not be waited for."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_core.devices import device as devices
from wengert_core.exchange import arrays, device_memory
from wengert_core.tensors.tensor import Tensor


def plugin_for(device: Any = None) -> Any:
    """The plugin that pins memory: that of a device; else cuda's, or that of a type that is in use."""
    if device is not None:
        kinds = [devices.device(device).type]
    else:
        kinds = ["cuda", *sorted(devices.PLUGINS)]
    for kind in kinds:
        plugin = devices.usable(kind) if device is None else devices.plugin_of(kind)
        if plugin is not None and (device is not None or plugin.accelerator) and plugin.device_count():
            return plugin
    raise RuntimeError("Cannot access accelerator device when none is available.")


def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """The tensor in pinned memory of the host; itself when it is there already.

    RuntimeError without a device, and for a tensor that is on one.
    """
    plugin = plugin_for(device)
    if self.device.type != "cpu":
        raise RuntimeError(f"cannot pin '{self.type()}' only dense CPU tensors can be pinned: it is on {self.device}")
    if is_pinned(self):
        return self
    host = (self.detach() if hasattr(self, "detach") else self).contiguous()
    return pinned_like(plugin, host).copy_(host)


def pinned_like(plugin: Any, host: Tensor) -> Tensor:
    """An empty contiguous tensor in pinned memory of the host, with a tensor's shape and dtype."""
    block = plugin.pin(max(host.numel() * host.element_size(), 1))
    kind = np.dtype(np.int16 if host.dtype.name == "bfloat16" else host.dtype.name)  # NumPy has no bfloat16: its bits
    raw: Any = np.frombuffer(block, np.uint8)[: host.numel() * kind.itemsize].view(kind).reshape(tuple(host.shape))
    device_memory.add_pinned(raw)
    memory: Tensor = arrays.from_array(raw)
    if memory.dtype is host.dtype:
        return memory
    shaped: Any = memory.view(host.dtype)
    return shaped.detach() if hasattr(shaped, "detach") else shaped  # type: ignore[no-any-return]


def is_pinned(self: Tensor, device: Any = None) -> bool:
    """Whether the tensor is in pinned memory of the host."""
    return device_memory.is_pinned(self)
