"""Times per call and as text: what events and sums of events have in common."""

from __future__ import annotations

import warnings
from typing import Any

from wengert_core.extend import checked

from wengert_profiler.views.formats import format_time


def text_of(name: str) -> Any:
    """A property: a time as text."""
    return property(lambda self: format_time(getattr(self, name)), doc=f"``{name}`` as text.")


def formerly(old: str, new: str) -> Any:
    """A property: another name of ``new``, which warns."""

    def get(self: Any) -> Any:
        warnings.warn(f"`{old}` is deprecated. Use `{new}` instead.", FutureWarning, stacklevel=2)
        return getattr(self, new)

    return property(get, doc=f"The older name of ``{new}``.")


@checked
class FormattedTimesMixin:
    """Times per call and as text, and what older versions call the same."""

    __slots__ = ()
    count: int
    cpu_time_total: float
    self_cpu_time_total: float
    device_time_total: float
    self_device_time_total: float
    device_memory_usage: int
    self_device_memory_usage: int

    @property
    def cpu_time(self) -> float:
        """Microseconds on the CPU, per call."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def device_time(self) -> float:
        """Microseconds on the device, per call."""
        return self.device_time_total / self.count if self.count else 0.0

    @property
    def cuda_time(self) -> float:
        """The older name of ``device_time``."""
        warnings.warn("`cuda_time` is deprecated, please use `device_time` instead.", FutureWarning, stacklevel=2)
        return self.device_time

    cuda_time_total: float = formerly("cuda_time_total", "device_time_total")
    self_cuda_time_total: float = formerly("self_cuda_time_total", "self_device_time_total")
    cuda_memory_usage: int = formerly("cuda_memory_usage", "device_memory_usage")
    self_cuda_memory_usage: int = formerly("self_cuda_memory_usage", "self_device_memory_usage")
    cpu_time_str: str = text_of("cpu_time")
    cpu_time_total_str: str = text_of("cpu_time_total")
    self_cpu_time_total_str: str = text_of("self_cpu_time_total")
    device_time_str: str = text_of("device_time")
    device_time_total_str: str = text_of("device_time_total")
    self_device_time_total_str: str = text_of("self_device_time_total")
