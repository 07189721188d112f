"""FunctionEvent: one thing that ran. Its fields are torch's."""

from __future__ import annotations

from typing import Any, NamedTuple

from wengert_core.extend import checked

from wengert_profiler.columns.event_names import group_name
from wengert_profiler.events.enums import DeviceType
from wengert_profiler.events.timing_mixin import FormattedTimesMixin

BACKWARD_SCOPE, USER_SCOPE = 1, 7
"""torch's numbers for where an event comes from."""


class Interval:
    """When something ran, in microseconds since the profile began."""

    __slots__ = ("end", "start")

    end: float
    start: float

    def __init__(self, start: float, end: float) -> None:
        self.start, self.end = start, end

    def elapsed_us(self) -> float:
        """How long it took."""
        return self.end - self.start


class Kernel(NamedTuple):
    """What ran on a device on behalf of an event."""

    name: str
    device: int
    duration: float


@checked
class FunctionEvent(FormattedTimesMixin):
    """One thing that ran: an operator, a node of the graph, a label.

    Times are microseconds. ``input_shapes`` and ``stack`` (the innermost call first) are there when asked for. Keywords
    that torch has besides those named here are kept as they are given.
    """

    __slots__ = (
        "__dict__",
        "concrete_inputs",
        "count",
        "cpu_children",
        "cpu_memory_usage",
        "cpu_parent",
        "device_index",
        "device_memory_usage",
        "device_type",
        "flops",
        "fwd_thread",
        "id",
        "input_shapes",
        "is_async",
        "is_legacy",
        "is_remote",
        "is_user_annotation",
        "kernels",
        "kwinputs",
        "name",
        "node_id",
        "overload_name",
        "scope",
        "sequence_nr",
        "stack",
        "thread",
        "time_range",
        "trace_name",
        "use_device",
    )

    concrete_inputs: list[Any] | None
    count: int
    cpu_memory_usage: int
    device_index: int
    device_memory_usage: int
    device_type: DeviceType
    flops: int | None
    fwd_thread: int | None
    id: int
    input_shapes: list[Any] | None
    is_async: bool
    is_legacy: bool
    is_remote: bool
    is_user_annotation: bool
    kwinputs: dict[str, Any] | None
    name: str
    node_id: int
    overload_name: str | None
    scope: int
    sequence_nr: int
    stack: list[str] | None
    thread: int
    time_range: Interval
    trace_name: str | None
    use_device: str | None

    def __init__(
        self,
        id: int,
        name: str,
        thread: int,
        start_us: float,
        end_us: float,
        overload_name: str | None = None,
        fwd_thread: int | None = None,
        input_shapes: list[Any] | None = None,
        stack: list[str] | None = None,
        scope: int = 0,
        use_device: str | None = None,
        cpu_memory_usage: int = 0,
        device_memory_usage: int = 0,
        is_async: bool = False,
        is_remote: bool = False,
        sequence_nr: int = -1,
        node_id: int = -1,
        device_type: DeviceType = DeviceType.CPU,
        device_index: int = 0,
        device_resource_id: int | None = None,
        is_legacy: bool = False,
        flops: int | None = None,
        trace_name: str | None = None,
        concrete_inputs: list[Any] | None = None,
        kwinputs: dict[str, Any] | None = None,
        is_user_annotation: bool = False,
        **others: Any,
    ) -> None:
        self.id, self.name, self.thread, self.node_id = id, name, thread, node_id
        self.trace_name, self.overload_name = trace_name, overload_name
        self.time_range = Interval(start_us, end_us)
        self.fwd_thread, self.sequence_nr, self.scope = fwd_thread, sequence_nr, scope
        self.input_shapes, self.stack, self.flops = input_shapes, stack, flops
        self.concrete_inputs, self.kwinputs = concrete_inputs, kwinputs
        self.use_device, self.device_type, self.device_index = use_device, device_type, device_index
        self.cpu_memory_usage, self.device_memory_usage = cpu_memory_usage, device_memory_usage
        self.is_async, self.is_remote, self.is_legacy = is_async, is_remote, is_legacy
        self.is_user_annotation = is_user_annotation
        self.count = 1
        self.kernels: list[Kernel] = []
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        if device_resource_id is not None:
            self.device_resource_id = device_resource_id
        for key, value in others.items():
            if key not in RARE:
                raise TypeError(f"FunctionEvent.__init__() got an unexpected keyword argument '{key}'")
            setattr(self, key, value)

    def __getattr__(self, name: str) -> Any:
        if name in RARE:
            return RARE[name]
        if name == "device_resource_id":
            return self.thread
        raise AttributeError(f"'FunctionEvent' object has no attribute '{name}'")

    def append_kernel(self, name: str, device: int, duration: float) -> None:
        """Add what ran on a device on behalf of this event."""
        self.kernels.append(Kernel(name, device, duration))

    def append_cpu_child(self, child: FunctionEvent) -> None:
        """Add an event that ran inside of this one."""
        self.cpu_children.append(child)

    def set_cpu_parent(self, parent: FunctionEvent) -> None:
        """Say inside of which event this one ran."""
        self.cpu_parent = parent

    @property
    def key(self) -> str:
        """The key of events that are one group: their name; steps of a program are one group."""
        return group_name(self.name)

    @property
    def on_cpu(self) -> bool:
        """Whether it is an event of the CPU."""
        return self.device_type is DeviceType.CPU

    @property
    def cpu_time_total(self) -> float:  # type: ignore[override]
        """Microseconds from begin to end; 0 for an event of a device."""
        return self.time_range.elapsed_us() if self.on_cpu else 0

    @property
    def self_cpu_time_total(self) -> float:  # type: ignore[override]
        """Microseconds without those of the events inside."""
        if self.is_async or not self.on_cpu:
            return 0
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def device_time_total(self) -> float:  # type: ignore[override]
        """Microseconds on a device, with those of the events inside; 0 in a profile of the CPU only."""
        if self.is_async or not self.use_device:
            return 0
        if not self.on_cpu:
            return self.time_range.elapsed_us()
        own = sum(kernel.duration for kernel in self.kernels)
        if self.is_legacy:  # its one kernel has those of the events inside
            return own
        return own + sum(child.device_time_total for child in self.cpu_children)

    @property
    def self_device_time_total(self) -> float:  # type: ignore[override]
        """Microseconds on a device, without those of the events inside."""
        if self.is_async or not self.use_device:
            return 0
        inside = sum(child.device_time_total for child in self.cpu_children) if self.on_cpu else 0
        return self.device_time_total - inside

    @property
    def self_cpu_memory_usage(self) -> int:
        """Bytes that it took and did not give back, without the events inside."""
        if self.is_async or not self.on_cpu:
            return 0
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    @property
    def self_device_memory_usage(self) -> int:  # type: ignore[override]
        """The same on the device."""
        if self.is_async or not self.on_cpu:
            return 0
        return self.device_memory_usage - sum(child.device_memory_usage for child in self.cpu_children)

    def __repr__(self) -> str:
        device = self.use_device
        return (
            f"<FunctionEvent id={self.id} name={self.name} overload_name={self.overload_name} "
            f"device_type={self.device_type} node_id={self.node_id} cpu_time={self.cpu_time_str} "
            f"start_us={self.time_range.start} end_us={self.time_range.end} "
            f"cpu_children={[child.id for child in self.cpu_children]} {device}_time={self.device_time_str} "
            f"name={self.name} thread={self.thread} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage} {device}_memory_usage={self.device_memory_usage} "
            f"is_async={self.is_async} is_remote={self.is_remote} seq_nr={self.sequence_nr} "
            f"is_legacy={self.is_legacy}>"
        )


RARE: dict[str, Any] = {
    "activity_type": None,
    "event_metadata": None,
    "external_id": 0,
    "extra_meta": None,
    "flow_id": None,
    "flow_start": None,
    "flow_type": None,
    "input_dtypes": None,
    "is_python_function": False,
    "kind": 0,
    "linked_correlation_id": 0,
    "metadata_json": None,
    "python_id": -1,
    "python_module_id": -1,
    "python_parent_id": -1,
    "self_cpu_percent": -1,
    "structured_input_shapes": None,
    "structured_input_strides": None,
    "total_cpu_percent": -1,
    "total_device_percent": -1,
}
"""Fields that few events have, with what they are in others: an event stores only what it is given."""
