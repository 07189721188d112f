"""load_chrome_trace: the events of a Chrome trace that was written earlier."""

from __future__ import annotations

import gzip
import json
import zlib
from typing import Any

from wengert_profiler.events.enums import DeviceType
from wengert_profiler.events.event_list import EventList
from wengert_profiler.events.events import FunctionEvent
from wengert_profiler.export.nvprof import TraceFileError


def load_chrome_trace(path: Any) -> EventList:
    """Read the events of a Chrome trace, compressed where its name ends in ``.gz``. OSError when it cannot be read,
    TraceFileError when it is none, or damaged.
    """
    open_text = gzip.open if str(path).endswith(".gz") else open
    with open_text(path, "rt", encoding="utf-8") as file:
        try:
            whole = json.load(file)
        except (json.JSONDecodeError, UnicodeDecodeError, EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise TraceFileError(f"{path} is not a Chrome trace, or it is damaged: {error}") from error
    rows = whole.get("traceEvents") if isinstance(whole, dict) else whole
    if not isinstance(rows, list):
        raise TraceFileError(f"{path} is not a Chrome trace: it has no list of traceEvents")
    events = EventList()
    kernels: list[FunctionEvent] = []
    for number, row in enumerate(rows):
        try:
            if row["ph"] == "X" and row.get("cat") == "kernel":
                kernels.append(make_event(row, number))
            elif row["ph"] == "X":
                events.append(make_event(row, number))
        except (KeyError, TypeError, ValueError) as error:
            raise TraceFileError(
                f"{path} is damaged: its event {number} is {row!r:.100} ({type(error).__name__}: {error})"
            ) from error
    events._populate_cpu_children()
    if kernels:
        give_kernels(events, kernels)
    return events


def give_kernels(events: EventList, kernels: list[FunctionEvent]) -> None:
    """Give what ran on a device to the events that started it; what none has started is an event of the device."""
    events._use_device = "cuda"
    by_id = {event.id: event for event in events}
    for kernel in kernels:
        if kernel.id in by_id:
            by_id[kernel.id].append_kernel(kernel.name, 0, kernel.time_range.elapsed_us())
        else:
            kernel.device_type = DeviceType.CUDA
            events.append(kernel)
    for event in events:
        event.use_device = events._use_device


def make_event(row: dict[str, Any], number: int) -> FunctionEvent:
    """One event."""
    args = row.get("args", {})
    start = float(row["ts"])
    return FunctionEvent(
        int(args.get("External id", number)),
        str(row["name"]),
        row["tid"],
        start,
        start + float(row["dur"]),
        input_shapes=args.get("Input Dims"),
        sequence_nr=int(args.get("Sequence number", -1)),
        fwd_thread=int(args.get("Fwd thread id", 0)),
        is_user_annotation=row.get("cat") == "user_annotation",
        stack=args["Call stack"].split(";") if args.get("Call stack") else None,
    )
