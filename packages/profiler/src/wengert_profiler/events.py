"""FunctionEvent: one thing that ran. FunctionEventAvg: the sum over all with one key. Their fields are torch's."""

from __future__ import annotations

from typing import Any, NamedTuple

from wengert_profiler.formats import format_time


class Interval:
    """When something ran, in microseconds since the profile began."""

    __slots__ = ("end", "start")

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


class Times:
    """Times per call and as text, and what newer and older versions call the same. A mixin."""

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

    cuda_time = device_time
    cuda_time_total = property(lambda self: self.device_time_total, doc="Microseconds on the device.")
    self_cuda_time_total = property(lambda self: self.self_device_time_total, doc="... without what it called.")
    cuda_memory_usage = property(lambda self: self.device_memory_usage, doc="Bytes on the device.")
    self_cuda_memory_usage = property(lambda self: self.self_device_memory_usage, doc="... without what it called.")
    cpu_time_str = property(lambda self: format_time(self.cpu_time), doc="cpu_time as text.")
    cpu_time_total_str = property(lambda self: format_time(self.cpu_time_total), doc="cpu_time_total as text.")
    self_cpu_time_total_str = property(lambda self: format_time(self.self_cpu_time_total), doc="As text.")
    device_time_str = property(lambda self: format_time(self.device_time), doc="device_time as text.")
    device_time_total_str = property(lambda self: format_time(self.device_time_total), doc="As text.")
    self_device_time_total_str = property(lambda self: format_time(self.self_device_time_total), doc="As text.")


class FunctionEvent(Times):
    """One thing that ran: an operator, a node of the graph, a label.

    Times are microseconds. ``input_shapes`` and ``stack`` (the innermost call first) are there when asked for.
    """

    __slots__ = (
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
        "kind",
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
        device_type: str = "CPU",
        device_index: int = 0,
        *,
        is_legacy: bool = False,
        flops: int | None = None,
        trace_name: str | None = None,
        concrete_inputs: list[Any] | None = None,
        kwinputs: dict[str, Any] | None = None,
        is_user_annotation: bool = False,
        kind: int = 0,
    ) -> None:
        self.id, self.name, self.thread, self.node_id = id, name, thread, node_id
        self.trace_name, self.overload_name = trace_name or name, overload_name or ""
        self.time_range = Interval(start_us, end_us)
        self.fwd_thread, self.sequence_nr, self.scope = fwd_thread, sequence_nr, scope
        self.input_shapes = input_shapes if input_shapes is not None else []
        self.concrete_inputs = concrete_inputs if concrete_inputs is not None else []
        self.kwinputs = kwinputs if kwinputs is not None else {}
        self.stack = stack if stack is not None else []
        self.use_device, self.device_type, self.device_index = use_device, device_type, device_index
        self.cpu_memory_usage, self.device_memory_usage = cpu_memory_usage, device_memory_usage
        self.is_async, self.is_remote, self.is_legacy = is_async, is_remote, is_legacy
        self.is_user_annotation, self.kind = is_user_annotation, kind
        self.flops = flops or 0
        self.count = 1
        self.kernels: list[Kernel] = []
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None

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
        """What events are grouped by."""
        return self.name

    @property
    def cpu_time_total(self) -> float:  # type: ignore[override]
        """Microseconds from begin to end."""
        return 0.0 if self.is_async else self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self) -> float:  # type: ignore[override]
        """Microseconds without those of the events inside."""
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def device_time_total(self) -> float:  # type: ignore[override]
        """Microseconds on a device, with those of the events inside."""
        return sum(kernel.duration for kernel in self.kernels) + sum(c.device_time_total for c in self.cpu_children)

    @property
    def self_device_time_total(self) -> float:  # type: ignore[override]
        """Microseconds on a device, without those of the events inside."""
        return sum(kernel.duration for kernel in self.kernels)

    @property
    def self_cpu_memory_usage(self) -> int:
        """Bytes that it took and did not give back, without the events inside."""
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    @property
    def self_device_memory_usage(self) -> int:  # type: ignore[override]
        """The same on the device."""
        return self.device_memory_usage - sum(child.device_memory_usage for child in self.cpu_children)

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} name={self.name} thread={self.thread} cpu_time={self.cpu_time_str} "
            f"start_us={self.time_range.start:.3f} end_us={self.time_range.end:.3f} "
            f"cpu_children={[child.id for child in self.cpu_children]} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage} seq_nr={self.sequence_nr}>"
        )


class FunctionEventAvg(Times):
    """The sum over all events with one key; ``cpu_time`` and ``device_time`` are per call."""

    def __init__(self) -> None:
        self.key: str | None = None
        self.count = 0
        self.node_id, self.is_async, self.is_remote, self.is_legacy = 0, False, False, False
        self.use_device: str | None = None
        self.device_type = "CPU"
        self.cpu_time_total = self.self_cpu_time_total = 0.0
        self.device_time_total = self.self_device_time_total = 0.0
        self.input_shapes: Any = None
        self.overload_name = ""
        self.stack: list[str] = []
        self.scope = 0
        self.cpu_memory_usage = self.self_cpu_memory_usage = 0
        self.device_memory_usage = self.self_device_memory_usage = 0
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        self.is_user_annotation = False
        self.flops = 0

    def add(self, other: FunctionEvent | FunctionEventAvg) -> FunctionEventAvg:
        """Add an event, or another sum. Of the first one the facts are taken that are no sums."""
        if self.key is None:
            for name in (
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
            ):
                setattr(self, name, getattr(other, name))
        for name in SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    __iadd__ = add

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str} "
            f" self_cuda_time={self.self_device_time_total_str} cuda_time={self.device_time_str} "
            f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} "
            f"cuda_memory_usage={self.device_memory_usage}>"
        )


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
