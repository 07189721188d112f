"""profile: records what operations do in a block of code, and tells of it afterwards."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Self

from wengert_engine import observing
from wengert_engine.recording import Recording, now

from wengert_profiler.averages import averages_of_records, scope_of, total_of_events
from wengert_profiler.event_list import EventList
from wengert_profiler.events import FunctionEvent
from wengert_profiler.naming import LABEL
from wengert_profiler.records import Records
from wengert_profiler.tables import Options

SHAPES, RESULTS, STACKS, MEMORY_USE = 1, 2, 4, 8
"""Options of a recording: those of engine/recording.pxd."""


class profile:
    """Context manager that records what operations, derivatives and labels do in a block, and holds the results.

    enabled: False makes it do nothing.   use_cuda: show the columns of a device; without one they are zero.
    record_shapes: sizes of arguments, to group by.   with_flops: count floating point operations of matrix products and
    convolutions.   profile_memory: bytes that tensors took and gave back.   with_stack: file, line and function.
    with_modules, use_kineto, experimental_config: say with a warning that they mean nothing here.
    use_cpu: False records nothing on the CPU, and needs use_kineto=True.   use_device: ``"cuda"``, as use_cuda.
    sinks: where to send the results when the block ends: names of installed sinks, ``"chrome:trace.json"``, or objects
    with ``write(profile)``; one that fails is a warning.

    The profile is the thread's: ``wengert.profiler.carried`` hands it on to another. Results are there after the block.
    RuntimeError when the thread is being profiled already, or the object is used again.

    >>> import wengert as wg
    >>> x = wg.ones(2, requires_grad=True)
    >>> with wg.autograd.profiler.profile() as prof:
    ...     for _ in range(100):
    ...         y = (x ** 2).sum()
    ...         y.backward()
    >>> print(prof.key_averages().table(sort_by="self_cpu_time_total", row_limit=3)) # doctest: +SKIP
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        experimental_config: Any = None,
        sinks: Iterable[Any] = (),
    ) -> None:
        self.enabled, self.entered = enabled, False
        self.use_cuda, self.use_device = use_cuda, "cuda" if use_cuda else use_device
        self.record_shapes = record_shapes or with_flops
        self.with_flops, self.profile_memory, self.with_stack = with_flops, profile_memory, with_stack
        self.with_modules, self.use_kineto, self.use_cpu = with_modules, use_kineto, use_cpu
        self.experimental_config = experimental_config
        self.sinks = list(sinks) if not isinstance(sinks, str) else [sinks]
        self._records: Records | None = None
        self._live: Any = None
        if not enabled:
            return
        if not use_cpu and not use_kineto:
            raise AssertionError("Device-only events supported only with Kineto (use_kineto=True)")
        if self.use_device is not None:
            check_device(self.use_device)
        tell_what_means_nothing(self)

    def __enter__(self) -> Self:
        if not self.enabled:
            return self
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        options = (
            SHAPES * self.record_shapes
            | RESULTS * self.with_flops
            | STACKS * self.with_stack
            | MEMORY_USE * self.profile_memory
        )
        from wengert_profiler.sinks import live_listener, opened

        if observing.recorded() is not None:
            raise RuntimeError("Profiler is already enabled on this thread.")
        self._sinks = opened(self.sinks)
        self._live = live_listener(self._sinks)
        if self._live is not None:
            observing.listen(self._live)
        self.entered = True
        self._recording = Recording(options)
        self._started = now()
        if self.use_cpu:
            observing.start(self._recording)
        return self

    def __exit__(self, *error: object) -> None:
        if not self.enabled:
            return
        if self.use_cpu:
            observing.stop()
        if self._live is not None:
            observing.listen(None)
        self._records = Records(self._recording, self._started, now())
        if self._sinks:
            from wengert_profiler.sinks import feed

            feed(self._sinks, self)

    # ---- results

    def records(self) -> Records:
        """The events as columns. RuntimeError inside of the block, or when nothing was profiled."""
        if self._records is None:
            state = "is switched off (enabled=False)" if not self.enabled else "didn't finish running"
            raise RuntimeError(f"Profiler {state}: results are there after the block `with profile() as prof:`")
        return self._records

    @cached_property
    def function_events(self) -> EventList:
        """All events, in the order in which they began: an EventList of FunctionEvent."""
        return self._listed(all_events(self.records(), self.record_shapes, self.with_flops, self.use_device))

    def _listed(self, events: Iterable[Any]) -> EventList:
        return EventList(
            events, use_device=self.use_device, profile_memory=self.profile_memory, with_flops=self.with_flops
        )

    def key_averages(self, group_by_input_shape: bool = False, group_by_stack_n: int = 0) -> EventList:
        """The sum of the events with one name; with one name and input shapes; or with the same innermost lines.

        Returns an EventList of FunctionEventAvg, in the order in which the first of each came.
        """
        return self._listed(
            averages_of_records(self.records(), group_by_input_shape, group_by_stack_n, self.with_flops)
        )

    def total_average(self) -> Any:
        """The sum over all events: one FunctionEventAvg with the key ``Total``."""
        return total_of_events(self.key_averages())

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds on the CPU, as the sum of all self times."""
        return float(self.records().self_durations.sum()) / 1e3

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """A table of all events as text: see EventList.table."""
        return self.function_events.table(
            sort_by,
            row_limit,
            max_src_column_width,
            max_name_column_width,
            max_shapes_column_width,
            header,
            top_level_events_only,
            time_unit,
        )

    def export_chrome_trace(self, path: Any) -> None:
        """Write a trace which chrome://tracing and ui.perfetto.dev show. OSError when the file cannot be written."""
        from wengert_profiler.chrome import write_records

        write_records(self.records(), path)

    def export_stacks(self, path: Any, metric: str = "self_cpu_time_total") -> None:
        """Write one line for each stack: what flame graph tools read. AssertionError without with_stack=True."""
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        self.function_events.export_stacks(path, metric)

    def __str__(self) -> str:
        return repr(self) if self._records is None else str(self.function_events)

    def __repr__(self) -> str:
        if self._records is None:
            return f"<{'unfinished' if self.enabled else 'disabled'} torch.autograd.profile>"
        return f"<torch.autograd.profile of {len(self._records)} events>"

    def _repr_html_(self) -> str:
        return (
            self.key_averages()._html(Options("self_cpu_time_total"))
            if self._records is not None
            else f"<p>{self!r}</p>".replace("<torch", "&lt;torch")
        )


def check_device(name: str) -> None:
    """Say when there is no such device: its columns are zero then."""
    if name != "cuda":
        raise ValueError(f"profile(): use_device must be 'cuda' or None, got {name!r}")
    from wengert_core.accelerator import functions

    if functions("cuda")["is_available"]():
        text = "profile(): times on the device are not measured yet: its columns are zero"
    else:
        text = "CUDA is not available, disabling CUDA profiling: its columns are zero"
    warnings.warn(text, UserWarning, stacklevel=3)


def tell_what_means_nothing(prof: profile) -> None:
    """Warn of arguments that have no effect here."""
    reasons = {
        "with_modules": "there are no TorchScript modules to name; with_stack=True gives functions and lines",
        "use_kineto": "there is no Kineto; the same recorder is used with and without it",
        "experimental_config": "it is for libraries such as Kineto, which are not used",
    }
    for name, reason in reasons.items():
        if getattr(prof, name) not in (False, None):
            warnings.warn(f"profile({name}=...) has no effect: {reason}", UserWarning, stacklevel=3)


def all_events(records: Records, shapes: bool, flops: bool, device: str | None) -> list[FunctionEvent]:
    """A FunctionEvent for each event."""
    table, (names, which) = records.table, records.naming
    counted = records.flops.tolist() if flops else [0] * len(table)
    started = records.started
    found: list[FunctionEvent] = []
    origins = records.forward_of.tolist()
    threads, arguments = table["thread"].tolist(), records.arguments()
    for i, (event, name, count) in enumerate(zip(table.tolist(), which.tolist(), counted, strict=True)):
        _, start, end, number, memory, shape, _, stack, parent, thread, _, kind, _ = event
        one = FunctionEvent(
            i,
            names[name],
            thread + 1,
            (start - started) / 1e3,
            (end - started) / 1e3,
            sequence_nr=number,
            fwd_thread=threads[origins[i]] + 1 if origins[i] >= 0 else 0,
            cpu_memory_usage=memory,
            flops=count,
            input_shapes=records.shapes_of(shape) if shapes and shape else [],
            stack=records.stack_of(stack) if stack else [],
            scope=scope_of(kind),
            is_user_annotation=kind == LABEL,
            use_device=device,
            kind=kind,
            concrete_inputs=[arguments[i]] if i in arguments else None,
        )
        if parent >= 0:
            found[parent].append_cpu_child(one)
            one.set_cpu_parent(found[parent])
        found.append(one)
    return found
