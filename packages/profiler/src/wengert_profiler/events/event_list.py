"""EventList: events, or sums of them, with what is done with all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wengert_core.extend import as_list, checked

from wengert_profiler.events.averages import averages_of_events, total_of_events
from wengert_profiler.events.events import BACKWARD_SCOPE, FunctionEvent
from wengert_profiler.views.tables import Options, as_html, as_text, make_table, with_device

METRICS = ("self_cpu_time_total", "self_cuda_time_total", "self_xpu_time_total", "self_privateuse1_time_total")


@checked
class EventList(list[Any]):
    """A list of FunctionEvent or FunctionEventAvg.

    Arguments besides the events: use_device (``"cuda"``: show its columns), profile_memory, with_flops (theirs).
    """

    def __init__(
        self,
        events: Iterable[Any] = (),
        *,
        use_device: str | None = None,
        profile_memory: bool = False,
        with_flops: bool = False,
    ) -> None:
        super().__init__(as_list(events))
        self._use_device, self._profile_memory, self._with_flops = use_device, profile_memory, with_flops
        self._tree_built = False

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        return self._html(Options())

    def _html(self, options: Options) -> str:
        return as_html(self._make(options), options) if self else "<p>no events</p>"

    def _make(self, options: Options) -> Any:
        return make_table(self, options, device=self._use_device, memory=self._profile_memory, flops=self._with_flops)

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds on the CPU, as the sum of all self times."""
        total: float = sum(event.self_cpu_time_total for event in self)
        return total

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
        """A table as text.

        sort_by: a key, the largest first: ``cpu_time``, ``cuda_time``, ``cpu_time_total``, ``cuda_time_total``,
        ``cpu_memory_usage``, ``cuda_memory_usage``, ``self_cpu_memory_usage``, ``self_cuda_memory_usage``, ``count``,
        ``self_cpu_time_total``, ``self_cuda_time_total``, ``flops``, or another field; None: as they came.
        row_limit: the most rows; -1: all.
        max_..._column_width: the most characters of paths, names and shapes.   header: a title.
        top_level_events_only: leave out what ran inside of something else.   time_unit: ``"s"``, ``"ms"`` or ``"us"``.
        AttributeError for an unknown key, TypeError for one whose values have no order.
        """
        if not self:
            return ""
        options = Options(
            sort_by,
            row_limit,
            max_src_column_width,
            max_name_column_width,
            max_shapes_column_width,
            header,
            top_level_events_only,
            time_unit,
        )
        return as_text(self._make(options), options)

    def key_averages(
        self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """The sum of the events with one name; with one name and shapes; or with the same innermost lines of the stack.

        Returns an EventList of FunctionEventAvg, in the order in which the first of each came.
        AssertionError before ``build_tree``: self times need it.
        """
        if not self._tree_built:
            raise AssertionError("Expected tree to be built before calling key_averages: call build_tree()")
        return self._like(averages_of_events(self, group_by_input_shapes, group_by_stack_n, group_by_overload_name))

    def _like(self, events: Iterable[Any]) -> EventList:
        return EventList(
            events, use_device=self._use_device, profile_memory=self._profile_memory, with_flops=self._with_flops
        )

    def total_average(self) -> Any:
        """The sum over all events: one FunctionEventAvg with the key ``Total``."""
        return total_of_events(self)

    def build_tree(self) -> None:
        """Find out from the times which event ran inside which, in each thread: fills cpu_parent and cpu_children.

        An event that holds nothing but another one of its name is left out; what runs backward gets the stack of the
        operation with its sequence number.
        """
        self._populate_cpu_children()
        self._remove_dup_nodes()
        self._set_backward_stacktraces()

    _build_tree = build_tree

    def _populate_cpu_children(self) -> None:
        """The first part of ``build_tree``: all of it where each event is to stay."""
        threads: dict[Any, list[FunctionEvent]] = {}
        for event in self:
            event.cpu_children, event.cpu_parent = [], None
            if not event.is_async and event.on_cpu:
                threads.setdefault((event.thread, event.node_id), []).append(event)
        for events in threads.values():
            running: list[FunctionEvent] = []
            for event in sorted(events, key=lambda one: (one.time_range.start, -one.time_range.end)):
                while running and (
                    event.time_range.start >= running[-1].time_range.end
                    or event.time_range.end > running[-1].time_range.end
                ):
                    running.pop()
                if running:
                    running[-1].append_cpu_child(event)
                    event.set_cpu_parent(running[-1])
                running.append(event)
        self._tree_built = True

    def _remove_dup_nodes(self) -> None:
        found = True
        while found:
            doubled = [event for event in self if is_doubled(event)]
            inner = {id(event) for event in doubled}
            gone = {id(event) for event in doubled if id(event.cpu_parent) not in inner}
            found = bool(gone)
            for event in doubled:
                if id(event) in gone:
                    event.cpu_parent.cpu_children = event.cpu_children
                    event.cpu_parent.kernels = event.cpu_parent.kernels + event.kernels
                    for child in event.cpu_children:
                        child.set_cpu_parent(event.cpu_parent)
            if found:
                self[:] = [event for event in self if id(event) not in gone]

    def _set_backward_stacktraces(self) -> None:
        stacks: dict[Any, Any] = {}
        for event in self:
            if event.scope != BACKWARD_SCOPE and event.sequence_nr >= 0 and node_around(event) is None:
                stacks.setdefault((event.sequence_nr, event.thread), event.stack)
        for event in self:
            node = node_around(event)
            if node is not None and node.fwd_thread is not None and node.sequence_nr >= 0:
                key = (node.sequence_nr, node.fwd_thread)
                event.stack = stacks.get(key, [])

    def supported_export_stacks_metrics(self) -> list[str]:
        """What ``export_stacks`` takes as its metric."""
        return list(METRICS)

    def export_chrome_trace(self, path: Any) -> None:
        """Write a trace which chrome://tracing and ui.perfetto.dev show. OSError when the file cannot be written."""
        from wengert_profiler.export.chrome import write_events

        write_events(self, path)

    def export_stacks(self, path: Any, metric: str = "self_cpu_time_total") -> None:
        """Write one line for each stack, ``outermost;...;innermost microseconds``: what flame graph tools read.

        metric: one of ``supported_export_stacks_metrics``, else ValueError.
        """
        if metric not in METRICS:
            from wengert_core.extend import short_repr
            raise ValueError(f"metric should be one of: {list(METRICS)}, got {short_repr(metric)}")
        field = with_device(metric)
        with open(path, "w", encoding="utf-8") as file:
            for event in self:
                value = int(getattr(event, field))
                if event.stack and value > 0:
                    calls = [line.translate(SEPARATORS) for line in reversed(event.stack)]
                    file.write(f"{';'.join(calls)} {value}\n")


def is_doubled(event: Any) -> bool:
    """Whether it is all that ran inside of an event with its name."""
    parent = event.cpu_parent
    return parent is not None and parent.name == event.name and len(parent.cpu_children) == 1


def node_around(event: Any) -> Any:
    """The node that an event is, or ran inside of; None: neither."""
    while event is not None and event.scope != BACKWARD_SCOPE:
        event = event.cpu_parent
    return event


SEPARATORS = str.maketrans(" ;\t\n", "____")
