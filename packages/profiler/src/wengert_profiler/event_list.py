"""EventList: events, or sums of them, with what is done with all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wengert_profiler.averages import averages_of_events, total_of_events
from wengert_profiler.events import FunctionEvent
from wengert_profiler.tables import Options, as_html, as_text, make_table

METRICS = ("self_cpu_time_total", "self_cuda_time_total", "self_device_time_total")


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
        super().__init__(events)
        self._use_device, self._profile_memory, self._with_flops = use_device, profile_memory, with_flops

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        return self._html(Options())

    def _html(self, options: Options) -> str:
        return as_html(self._made(options), options) if self else "<p>no events</p>"

    def _made(self, options: Options) -> Any:
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
        ``self_cpu_time_total``, ``self_cuda_time_total``, ``flops``; None: as they came.
        row_limit: the most rows; -1: all.
        max_..._column_width: the most characters of paths, names and shapes.   header: a title.
        top_level_events_only: leave out what ran inside of something else.   time_unit: ``"s"``, ``"ms"`` or ``"us"``.
        AttributeError for an unknown key.
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
        return as_text(self._made(options), options)

    def key_averages(self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0) -> EventList:
        """The sum of the events with one name; with one name and shapes; or with the same innermost lines of the stack.

        Returns an EventList of FunctionEventAvg, in the order in which the first of each came.
        """
        sums = averages_of_events(self, group_by_input_shapes, group_by_stack_n)
        return self._like(sums)

    def _like(self, events: Iterable[Any]) -> EventList:
        return EventList(
            events, use_device=self._use_device, profile_memory=self._profile_memory, with_flops=self._with_flops
        )

    def total_average(self) -> Any:
        """The sum over all events: one FunctionEventAvg with the key ``Total``."""
        return total_of_events(self)

    def build_tree(self) -> None:
        """Find out from the times which event ran inside which, in each thread: fills cpu_parent and cpu_children."""
        threads: dict[Any, list[FunctionEvent]] = {}
        for event in self:
            event.cpu_children, event.cpu_parent = [], None
            if not event.is_async:
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

    _build_tree = build_tree

    def export_chrome_trace(self, path: Any) -> None:
        """Write a trace which chrome://tracing and ui.perfetto.dev show. OSError when the file cannot be written."""
        from wengert_profiler.chrome import write_events

        write_events(self, path)

    def export_stacks(self, path: Any, metric: str = "self_cpu_time_total") -> None:
        """Write one line for each stack, ``outermost;...;innermost microseconds``: what flame graph tools read.

        metric: one of ``self_cpu_time_total`` and ``self_cuda_time_total``, else ValueError.
        """
        if metric not in METRICS:
            raise ValueError(f"metric should be one of: {list(METRICS)}, got {metric!r}")
        with open(path, "w", encoding="utf-8") as file:
            for event in self:
                value = int(getattr(event, metric))
                if event.stack and value > 0:
                    calls = [line.translate(SEPARATORS) for line in reversed(event.stack)]
                    file.write(f"{';'.join(calls)} {value}\n")


SEPARATORS = str.maketrans(" ;\t\n", "____")
