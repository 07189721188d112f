"""Times of operations on devices: by pairs of the device's own events, for a recording.

Note [Pairs of events]
    A device works on while the host goes on, so the host's clock says nothing of it. Before and after each operation on
    a device an event is recorded in the stream that is current; what lies between the two, on the device's clock, is
    the operation and what it calls. The times can be asked for once the device has come by: the pairs are waited for
    when there are many, and at the end. Their events are used again. For a place on the host's time line, one event of
    each device is waited for at first. A device without streams and events has no times.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

from wengert_core.devices import device as devices
from wengert_core.exchange import device_memory
from wengert_core.tensors.tensor import Tensor

from wengert_engine.observe import observing
from wengert_engine.observe.clock import now

MANY = 4096
"""Pairs that are waited for together."""


class DeviceTime(NamedTuple):
    """What an operation took on a device."""

    event: int
    """Its index in the recording."""
    device: int
    """The number of the device among those of its type."""
    stream: int
    """The number of the device's stream, in the order in which they came; -1: memory that changed in between."""
    start: int
    """Nanoseconds of the host's monotonic clock, as near as one event that was waited for tells."""
    duration: int
    """Nanoseconds."""
    memory: int
    """Bytes that the device's tensors took more at the end than at the begin."""


def device_number_of(op: Any, arguments: list[Any]) -> int:
    """The number of the device that an operation runs on; 0: the host."""
    for value in arguments:
        for one in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(one, Tensor):
                device_number: int = devices.device_number(one.device)
                if device_number:
                    return device_number
    for name, value in zip(op.params, arguments, strict=True):
        if name == "device" and value is not None:
            try:
                return devices.device_number(value)
            except (RuntimeError, TypeError):  # the operation will say it
                return 0
    return device_memory.current_device_number() if op.family == "factory" else 0


class DeviceTimes:
    """The times of a recording's operations on the devices of one type."""

    def __init__(self, kind: str, memory: bool = False) -> None:
        self.kind, self.memory = kind, memory
        self.found: list[DeviceTime] = []
        self.without_events = False  # an operation ran on a device that has none
        self.failed = False
        self.pending: list[tuple[int, int, int, Any, Any, int]] = []  # event, place, stream, begin, end, memory
        self.streams: dict[int, list[Any]] = {}  # of each device
        self.spare: list[Any] = []
        self.levels: dict[int, int] = {}  # of each device: the bytes that its tensors took when an operation last ended
        self.origins: dict[int, tuple[Any, int]] = {}  # of each device: an event, and when it was on the host's clock

    def device_number(self, op: Any, arguments: list[Any]) -> int:
        """The number of the device that an operation is timed on; 0: it is not. Notes what was freed before."""
        device_number = 0 if self.failed else device_number_of(op, arguments)
        if not device_number or devices.PLUGIN_DEVICES[device_number][0].type != self.kind:
            return 0
        try:
            self.compare_level(device_number, self.allocated_bytes(device_number))
        except Exception as error:
            self.give_up(error)
            return 0
        return device_number

    def begin(self, device_number: int) -> Any:
        """An operation begins. Gives what ``end`` takes; None: it is not timed."""
        plugin, index = devices.PLUGIN_DEVICES[device_number]
        try:
            stream = plugin.current_stream(index)
            if stream is None:
                self.without_events = True
                return None
            if device_number not in self.origins:
                self.origins[device_number] = origin(plugin, stream)
            event = self.spare.pop() if self.spare else plugin.make_event(enable_timing=True)
            event.record(stream)
            return device_number, stream, event, self.allocated_bytes(device_number)
        except Exception as error:
            self.give_up(error)
            return None

    def end(self, begun: Any, number: int) -> None:
        """It has been queued. number: the index of its event in the recording."""
        device_number, stream, event, before = begun
        if self.failed:
            return
        try:
            plugin = devices.PLUGIN_DEVICES[device_number][0]
            last = self.spare.pop() if self.spare else plugin.make_event(enable_timing=True)
            last.record(stream)
            known = self.streams.setdefault(device_number, [])
            if stream not in known:
                known.append(stream)
            self.levels[device_number] = self.allocated_bytes(device_number)
            self.pending.append(
                (number, device_number, known.index(stream), event, last, self.levels[device_number] - before)
            )
            if len(self.pending) >= MANY:
                self.settle()
        except Exception as error:
            self.give_up(error)

    def compare_level(self, device_number: int, level: int) -> None:
        """Note what was freed or allocated since an operation last ended on a device."""
        change = level - self.levels.setdefault(device_number, level)
        if change:
            number = observing.note()
            if number >= 0:
                self.found.append(DeviceTime(number, devices.PLUGIN_DEVICES[device_number][1], -1, now(), 0, change))

    def finish(self) -> None:
        """The recording ends: note what was freed since the last operation."""
        try:
            for device_number in self.levels:
                self.compare_level(device_number, self.allocated_bytes(device_number))
        except Exception as error:
            self.give_up(error)

    def settle(self) -> None:
        """Wait for what is pending, and ask for its times."""
        pending, self.pending = self.pending, []
        try:
            for number, device_number, stream, first, last, memory in pending:
                last.synchronize()
                event, at = self.origins[device_number]
                start = at + round(1e6 * event.elapsed_time(first))
                index = devices.PLUGIN_DEVICES[device_number][1]
                took = round(1e6 * first.elapsed_time(last))
                self.found.append(DeviceTime(number, index, stream, start, took, memory))
        except Exception as error:
            self.give_up(error)
        for _, _, _, first, last, _ in pending:
            self.spare += (first, last)

    def allocated_bytes(self, device_number: int) -> int:
        """The bytes that tensors of a device take; 0 unless memory is recorded."""
        plugin, index = devices.PLUGIN_DEVICES[device_number]
        return int(plugin.memory_stats(index).get("allocated", 0)) if self.memory else 0

    def give_up(self, error: Exception) -> None:
        """The device's events fail: the program goes on without its times."""
        self.failed = True
        warnings.warn(
            f"profiler: events of devices of type '{self.kind}' raised {type(error).__name__}: {error}. "
            "There are no more times of them",
            RuntimeWarning,
            stacklevel=2,
        )


def origin(plugin: Any, stream: Any) -> tuple[Any, int]:
    """An event of the device that has happened, and when that was on the host's clock."""
    event = plugin.make_event(enable_timing=True)
    event.record(stream)
    event.synchronize()
    return event, now()
