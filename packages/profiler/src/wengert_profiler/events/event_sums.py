"""FunctionEventAvg: the sum over all events with one key. Its fields are torch's."""

from __future__ import annotations

from typing import Any

from wengert_profiler.events.enums import DeviceType
from wengert_profiler.events.events import FunctionEvent
from wengert_profiler.events.timing_mixin import FormattedTimesMixin


class FunctionEventAvg(FormattedTimesMixin):
    """The sum over all events with one key; ``cpu_time`` and ``device_time`` are per call."""

    node_id: int
    is_async: bool
    is_remote: bool
    is_legacy: bool
    cpu_time_total: float
    self_cpu_time_total: float
    device_time_total: float
    self_device_time_total: float

    def __init__(self) -> None:
        self.key: str | None = None
        self.count = 0
        self.node_id, self.is_async, self.is_remote, self.is_legacy = 0, False, False, False
        self.use_device: str | None = None
        self.device_type = DeviceType.CPU
        self.cpu_time_total = self.self_cpu_time_total = 0.0
        self.device_time_total = self.self_device_time_total = 0.0
        self.input_shapes: Any = None
        self.overload_name: str | None = None
        self.stack: list[str] | None = None
        self.scope: int | None = None
        self.cpu_memory_usage = self.self_cpu_memory_usage = 0
        self.device_memory_usage = self.self_device_memory_usage = 0
        self.cpu_children: list[FunctionEvent] | None = None
        self.cpu_parent: FunctionEvent | None = None
        self.is_user_annotation = False
        self.flops = 0

    def add(self, other: FunctionEvent | FunctionEventAvg) -> FunctionEventAvg:
        """Add an event, or another sum. Of the first one the facts are taken that are no sums.

        AssertionError for one with another key, TypeError for what is neither.
        """
        if not isinstance(other, FunctionEvent | FunctionEventAvg):
            raise TypeError(
                f"FunctionEventAvg.add(): expected a FunctionEvent or FunctionEventAvg, got {type(other).__name__}"
            )
        if self.key is None:
            for name in FACTS:
                setattr(self, name, getattr(other, name))
        elif self.key != other.key:
            raise AssertionError(f"Expected keys to match, but got {other.key} vs {self.key}")
        return self.sum_up(other)

    __iadd__ = add

    def sum_up(self, other: FunctionEvent | FunctionEventAvg) -> FunctionEventAvg:
        """Add what is added up, whatever the key."""
        for name in SUMS:
            setattr(self, name, getattr(self, name) + (getattr(other, name) or 0))
        return self

    def __repr__(self) -> str:
        device = self.use_device or "cuda"
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str} "
            f" self_{device}_time={self.self_device_time_total_str} {device}_time={self.device_time_str} "
            f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} "
            f"{device}_memory_usage={self.device_memory_usage}>"
        )


FACTS = (
    "key",
    "node_id",
    "is_async",
    "is_remote",
    "is_legacy",
    "use_device",
    "device_type",
    "input_shapes",
    "overload_name",
    "stack",
    "scope",
    "cpu_parent",
    "cpu_children",
    "is_user_annotation",
)
"""What is taken of the first event."""
SUMS = (
    "count",
    "cpu_time_total",
    "self_cpu_time_total",
    "device_time_total",
    "self_device_time_total",
    "cpu_memory_usage",
    "self_cpu_memory_usage",
    "device_memory_usage",
    "self_device_memory_usage",
    "flops",
)
"""What is added up."""
