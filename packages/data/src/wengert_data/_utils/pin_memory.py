"""Pinned memory: tensors that a device reads without a copy by the processor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import wengert

from wengert_data._utils.collate import mapping_like, sequence_like

__all__ = ["pin_memory"]


def pin_memory(data: Any, device: Any = None) -> Any:
    """Return data with pinned copies of its tensors, also inside mappings and sequences.

    An object of another type that has a method ``pin_memory`` is asked for its copy.
    """
    if isinstance(data, wengert.Tensor):
        return data.pin_memory()
    if hasattr(data, "pin_memory"):
        return data.pin_memory()
    if isinstance(data, (str, bytes)):
        return data
    if isinstance(data, Mapping):
        return mapping_like(data, {key: pin_memory(one, device) for key, one in data.items()})
    if not isinstance(data, Sequence):
        return data
    items = [pin_memory(one, device) for one in data]
    if isinstance(data, tuple):
        return type(data)(*items) if hasattr(data, "_fields") else type(data)(items)
    return sequence_like(data, items)
