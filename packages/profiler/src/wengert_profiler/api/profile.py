"""profile: records what operations do in a block of code, and tells of it afterwards."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Self

from wengert_core.extend import as_list, checked
from wengert_engine.extend import (
    RECORD_MEMORY,
    RECORD_RESULTS,
    RECORD_SHAPES,
    RECORD_STACKS,
    Recording,
    clock_ns,
    current_recording,
    resume_recording,
    set_listener,
    start_recording,
    stop_recording,
)

from wengert_profiler.api.warm_up import load_all
from wengert_profiler.columns.device_columns import device_of_profile, finish_times, timer_for
from wengert_profiler.columns.records import Records
from wengert_profiler.events.averages import averages_of_records, total_of_events
from wengert_profiler.events.enums import ProfilerActivity
from wengert_profiler.events.event_list import EventList
from wengert_profiler.events.to_events import all_events, events_of_devices
from wengert_profiler.views.tables import Options


@checked
class profile:
    """Context manager that records what operations, derivatives and labels do in a block, and holds the results.

    enabled: False makes it do nothing.   use_device: the type of a device, such as ``"cuda"``: measure what operations
    take on it by its own events, and show its columns; they are zero without one.   use_cuda: the same for ``"cuda"``.
    record_shapes: sizes of arguments, to group by.   with_flops: count floating point operations of matrix products and
    convolutions.   profile_memory: bytes that tensors took and gave back.   with_stack: file, line and function.
    with_modules: a label ``nn.Module: Linear_0`` around each call of a module of ``wengert.nn``.
    use_kineto, experimental_config and what follows up to activity_filters: say with a warning that they mean nothing
    here.   use_cpu: False: events of the device only; needs use_kineto=True.
    sinks: where to send the results when the block ends: names of installed sinks, ``"chrome:trace.json"``, or objects
    with ``write(profile)``; one that fails is a warning.

    The first profile of a process loads all operations and formulas before the block: no operation's time has it.
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

    enabled: bool
    entered: bool
    record_shapes: bool
    with_flops: bool
    profile_memory: bool
    with_stack: bool
    with_modules: bool
    use_kineto: bool
    use_cpu: bool
    experimental_config: Any
    acc_events: bool
    post_processing_timeout_s: float | None
    activity_filters: Any
    sinks: list[Any]

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
        acc_events: bool = False,
        custom_trace_id_callback: Any = None,
        post_processing_timeout_s: float | None = None,
        activity_filters: Any = None,
        sinks: Iterable[Any] = (),
    ) -> None:
        self.enabled, self.entered = enabled, False
        self.record_shapes = record_shapes or with_flops
        self.with_flops, self.profile_memory, self.with_stack = with_flops, profile_memory, with_stack
        self.with_modules, self.use_kineto, self.use_cpu = with_modules, use_kineto, use_cpu
        self.experimental_config, self.acc_events = experimental_config, acc_events
        self.custom_trace_id_callback = custom_trace_id_callback
        self.post_processing_timeout_s, self.activity_filters = post_processing_timeout_s, activity_filters
        self.use_device: str | None = None
        self.sinks = as_list(sinks) if not isinstance(sinks, str) else [sinks]
        self._records: Records | None = None
        self._live: Any = None
        self._recording: Any = None
        self._module_labels: Any = None
        if not enabled:
            return
        if not use_cpu and not use_kineto:
            raise AssertionError("Device-only events supported only with Kineto (use_kineto=True)")
        self.use_device = device_of_profile(use_cuda, use_device)
        tell_what_means_nothing(self)

    def __enter__(self) -> Self:
        if not self.enabled:
            return None  # type: ignore[return-value]  # as in torch
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        options = (
            RECORD_SHAPES * self.record_shapes
            | RECORD_RESULTS * self.with_flops
            | RECORD_STACKS * self.with_stack
            | RECORD_MEMORY * self.profile_memory
        )
        from wengert_profiler.export.sinks import live_listener, open_sinks

        if current_recording() is not None:
            raise RuntimeError("Profiler is already enabled on this thread.")
        load_all()
        self._sinks = open_sinks(self.sinks)
        self._live = live_listener(self._sinks)
        if self._live is not None:
            set_listener(self._live)
        self.entered = True
        self._recording = Recording(options, timer_for(self.use_device, self.profile_memory))
        if self.use_cpu or self._recording.timer is not None:
            start_recording(self._recording)
        if self.with_modules:
            self._label_modules()
        return self

    def _label_modules(self) -> None:
        """Label the calls of modules; warn where no package brings modules."""
        from wengert_profiler.api.module_labels import ModuleLabels

        labels = ModuleLabels()
        try:
            labels.start()
        except ImportError as error:
            warnings.warn(f"profile(with_modules=True) has no effect: {error}", UserWarning, stacklevel=3)
        else:
            self._module_labels = labels

    def __exit__(self, *error: object) -> None:
        if not self.enabled:
            return
        if self._module_labels is not None:
            self._module_labels.stop()
            self._module_labels = None
        current = current_recording()
        if current is not None and current is self._recording:
            if current.timer is not None:
                current.timer.finish()
            stop_recording()
        if self._live is not None:
            set_listener(None)
        stopped = clock_ns()
        self._records = Records(self._recording, stopped, finish_times(self._recording.timer))
        if self._sinks:
            from wengert_profiler.export.sinks import feed

            feed(self._sinks, self)

    @property
    def use_cuda(self) -> bool:
        """Whether it is a profile of ``"cuda"``."""
        return self.use_device == "cuda"

    def toggle_collection_dynamic(self, enabled: bool, activities: Iterable[ProfilerActivity]) -> None:
        """Stop recording inside of the block, and go on with it. activities: of them ``ProfilerActivity.CPU`` counts.

        What runs when it stops ends then. TypeError for what is no ProfilerActivity. Nothing happens outside
        of the block.
        """
        wanted = set(as_list(activities))
        if not all(isinstance(one, ProfilerActivity) for one in wanted):
            raise TypeError(f"toggle_collection_dynamic(): activities must be ProfilerActivity, got {wanted}")
        inside = self._recording is not None and self._records is None and self.use_cpu
        if not inside or ProfilerActivity.CPU not in wanted:
            return
        current = current_recording()
        if enabled and current is None:
            resume_recording(self._recording)
        elif not enabled and current is self._recording:
            stop_recording()

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
        if not self.use_cpu:
            return self._event_list(events_of_devices(self.records(), self.use_device or ""))
        return self._event_list(all_events(self.records(), self.record_shapes, self.with_flops, self.use_device))

    def _event_list(self, events: Iterable[Any]) -> EventList:
        found = EventList(
            events, use_device=self.use_device, profile_memory=self.profile_memory, with_flops=self.with_flops
        )
        found._tree_built = True
        return found

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """The sum of the events with one name; with one name and input shapes; or with the same innermost lines.

        group_by_overload_name: taken for torch's sake; operators have no overloads here.
        Returns an EventList of FunctionEventAvg, in the order in which the first of each came.
        """
        if not self.use_cpu:
            return self.function_events.key_averages(group_by_input_shape, group_by_stack_n)
        return self._event_list(
            averages_of_records(
                self.records(), group_by_input_shape, group_by_stack_n, self.with_flops, self.use_device
            )
        )

    def total_average(self) -> Any:
        """The sum over all events: one FunctionEventAvg with the key ``Total``."""
        total = total_of_events(self.key_averages())
        if total.count:
            total.input_shapes, total.cpu_children = [], []
        return total

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds on the CPU, as the sum of all self times."""
        return float(self.records().self_durations.sum()) / 1e3 if self.use_cpu else 0.0

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

    def export_chrome_trace(self, path: Any, metadata: Any = None, use_python_export: bool = False) -> None:
        """Write a trace which chrome://tracing and ui.perfetto.dev show. OSError when the file cannot be written.

        metadata: a dict that is written beside the events, as ``otherData``.   use_python_export: for torch's sake.
        """
        from wengert_profiler.export.chrome import write_events, write_records

        if self.use_cpu:
            write_records(self.records(), path, self.use_device, metadata)
        else:
            write_events(self.function_events, path)

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


def tell_what_means_nothing(prof: profile) -> None:
    """Warn of arguments that have no effect here."""
    reasons = {
        "use_kineto": "there is no Kineto; the same recorder is used with and without it",
        "experimental_config": "it is for libraries such as Kineto, which are not used",
        "acc_events": "a profile has the events of one block",
        "custom_trace_id_callback": "traces have no id",
        "post_processing_timeout_s": "nothing is processed at the end of the block",
        "activity_filters": "everything is recorded",
    }
    for name, reason in reasons.items():
        if getattr(prof, name) not in (False, None):
            warnings.warn(f"profile({name}=...) has no effect: {reason}", UserWarning, stacklevel=3)
