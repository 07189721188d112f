"""The trace that chrome://tracing and ui.perfetto.dev show: a JSON file of events, flow arrows and counters."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

import numpy as np
from wengert_core.extend import as_list

from wengert_profiler.columns.event_names import CUSTOM, FUNCTION, LABEL, MEMORY, NODE, OP, ROOT
from wengert_profiler.columns.records import Records

CATEGORIES = {
    OP: "cpu_op",
    FUNCTION: "cpu_op",
    NODE: "backward",
    LABEL: "user_annotation",
    CUSTOM: "cpu_op",
    ROOT: "backward",
    MEMORY: "cpu_instant_event",
}
BLOCK = 65536
"""Events that are written at a time."""


def write_records(records: Records, path: Any, device: str | None = None, more: Any = None) -> None:
    """Write the events of a profile; more: what is written beside them. OSError when the file cannot be written."""
    parts = (metadata(records.recording.n_threads), spans(records), flows(records), counters(records))
    with open_text(path) as file:
        write(file, *parts, device_spans(records, device or "device"), more=more)


def write_events(events: Iterable[Any], path: Any) -> None:
    """Write a list of FunctionEvent, which need not come from a recording."""
    events = as_list(events)
    threads = {event.thread: None for event in events}
    process = os.getpid()
    with open_text(path) as file:
        write(
            file,
            metadata(0),
            (named_thread(thread, process) for thread in threads),
            (span(e, process) for e in events),
            (kernel for event in events for kernel in kernels(event, process)),
        )


def open_text(path: Any) -> TextIO:
    """Open a file to write text to, which is compressed where its name ends in .gz."""
    if str(path).endswith(".gz"):
        import gzip

        return gzip.open(path, "wt", encoding="utf-8")
    return open(path, "w", encoding="utf-8")


def write(file: TextIO, *parts: Iterable[str], more: Any = None) -> None:
    """Write texts of events as one trace."""
    other = json.dumps({"producer": "wengert-profiler"} | dict(more or {}))
    file.write(f'{{"schemaVersion": 1, "displayTimeUnit": "ms", "otherData": {other}, "traceEvents": [\n')
    first = True
    for part in parts:
        for text in part:
            if not text:
                continue
            file.write(text if first else ",\n" + text)
            first = False
    file.write("\n]}\n")


def metadata(n_threads: int) -> list[str]:
    """The names of the process and of its threads."""
    process = os.getpid()
    found = [
        json.dumps({"ph": "M", "name": "process_name", "pid": process, "tid": 0, "ts": 0, "args": {"name": "python"}})
    ]
    return found + [named_thread(thread + 1, process) for thread in range(n_threads)]


def named_thread(thread: Any, process: int) -> str:
    """The name of a thread."""
    return json.dumps(
        {"ph": "M", "name": "thread_name", "pid": process, "tid": thread, "ts": 0, "args": {"name": f"thread {thread}"}}
    )


def spans(records: Records) -> Iterator[str]:
    """What ran, from when to when; a block of events at a time."""
    table, process = records.table, os.getpid()
    names, which = records.naming
    quoted = [json.dumps(name) for name in names]
    heads = {
        (kind, name): f'{{"ph": "X", "cat": "{CATEGORIES[kind]}", "name": {quoted[name]}, "pid": {process}, "tid": '
        for kind, name in set(zip(table["kind"].tolist(), which.tolist(), strict=True))
    }
    shapes: dict[int, str] = {0: ""}
    stacks: dict[int, str] = {0: ""}
    flops = records.flops if table["result"].any() else None
    origins, arguments, shown = records.forward_of, records.arguments(), records.shown_stacks
    for begin in range(0, len(table), BLOCK):
        part = table[begin : begin + BLOCK]
        for entry in np.unique(part["shapes"]).tolist():
            shapes.setdefault(entry, f', "Input Dims": {json.dumps(records.shapes_of(entry))}')
        for entry in np.unique(shown[begin : begin + BLOCK]).tolist():
            stacks.setdefault(entry, f', "Call stack": {json.dumps(";".join(records.stack_of(entry)))}')
        forward = origins[begin : begin + BLOCK]
        threads = np.where(forward >= 0, table["thread"][forward] + 1, 0).tolist()
        counted = flops[begin : begin + BLOCK].tolist() if flops is not None else [0] * len(part)
        starts, lengths = (part["start"] - records.started).tolist(), (part["end"] - part["start"]).tolist()
        rows = zip(
            part["kind"].tolist(),
            which[begin : begin + BLOCK].tolist(),
            part["thread"].tolist(),
            starts,
            lengths,
            part["sequence"].tolist(),
            part["shapes"].tolist(),
            shown[begin : begin + BLOCK].tolist(),
            threads,
            counted,
            strict=True,
        )
        lines = []
        for i, (kind, name, thread, start, length, number, shape, stack, origin, count) in enumerate(rows, begin):
            if kind == MEMORY:
                continue
            more = shapes[shape] + stacks[stack]
            if i in arguments:
                more += f', "Concrete Inputs": {json.dumps([arguments[i]])}'
            if count:
                more += f', "FLOPs": {count}'
            lines.append(
                f'{heads[kind, name]}{thread + 1}, "ts": {start / 1e3}, "dur": {length / 1e3}, '
                f'"args": {{"External id": '
                f'{i}, "Sequence number": {number}, "Fwd thread id": {origin}{more}}}}}'
            )
        yield ",\n".join(lines)


def flows(records: Records) -> Iterator[str]:
    """An arrow from each operator to the node that it recorded, where that was run."""
    table, process = records.table, os.getpid()
    nodes = np.flatnonzero(records.forward_of >= 0)
    makers = records.forward_of[nodes]
    starts = ((table["start"] - records.started) / 1e3).tolist() if len(nodes) else []
    head = f'"cat": "fwdbwd", "name": "fwdbwd", "pid": {process}, "tid": '
    threads = table["thread"]
    for number, (node, maker) in enumerate(zip(nodes.tolist(), makers.tolist(), strict=True), 1):
        yield (
            f'{{"ph": "s", "id": {number}, {head}{threads[maker] + 1}, "ts": {starts[maker]}}},\n'
            f'{{"ph": "f", "bp": "e", "id": {number}, {head}{threads[node] + 1}, "ts": {starts[node]}}}'
        )


def counters(records: Records) -> Iterator[str]:
    """The bytes that tensors take more than when the profile began."""
    table, process = records.table, os.getpid()
    own = records.self_memory if table["memory"].any() else np.zeros(0, np.int64)
    changing = np.flatnonzero(own)
    changing = changing[np.argsort(table["end"][changing], kind="stable")]
    levels = np.cumsum(own[changing]).tolist()
    for at, level in zip(((table["end"][changing] - records.started) / 1e3).tolist(), levels, strict=True):
        yield (
            f'{{"ph": "C", "name": "memory of tensors", "pid": {process}, "tid": 0, "ts": {at}, '
            f'"args": {{"bytes": {level}}}}}'
        )


FIRST_DEVICE, FIRST_ARROW = 1_000_000, 1 << 40
"""The numbers that a trace gives to the first stream of the first device, and to the first arrow to one."""


def device_spans(records: Records, device: str) -> Iterator[str]:
    """What ran on devices, each stream on a line of its own, with an arrow from the operation that started it.

    A device's clock is not the host's: nothing begins before its operation, or before what its stream had to do first.
    """
    process, table = os.getpid(), records.table  # which numbers device_times anew
    names, which = records.naming
    own = records.without_children(records.on_devices.total)
    free: dict[int, int] = {}
    yield from device_counters(records, device)
    for number, one in enumerate(records.device_times):
        if own[one.event] < one.duration or one.stream < 0:  # what it called is shown; only memory
            continue
        op, tid = table[one.event], FIRST_DEVICE + 1000 * one.device + one.stream
        if tid not in free:
            title = f"{device}:{one.device} stream {one.stream}"
            yield json.dumps(
                {"ph": "M", "name": "thread_name", "pid": process, "tid": tid, "ts": 0, "args": {"name": title}}
            )
        began = int(op["start"])
        start = max(one.start, began, free.get(tid, 0))
        free[tid] = start + one.duration
        at, name = (start - records.started) / 1e3, json.dumps(names[which[one.event]])
        head = f'"cat": "ac2g", "name": "ac2g", "id": {FIRST_ARROW + number}, "pid": {process}, "tid": '
        yield (
            f'{{"ph": "X", "cat": "kernel", "name": {name}, "pid": {process}, "tid": {tid}, "ts": {at}, '
            f'"dur": {one.duration / 1e3}, "args": {{"External id": {one.event}}}}},\n'
            f'{{"ph": "s", {head}{op["thread"] + 1}, "ts": {(began - records.started) / 1e3}}},\n'
            f'{{"ph": "f", "bp": "e", {head}{tid}, "ts": {at}}}'
        )


def device_counters(records: Records, device: str) -> Iterator[str]:
    """The bytes that tensors of each device take more than when the profile began."""
    levels: dict[int, int] = {}
    for one in sorted(records.device_times, key=lambda one: int(records.table["end"][one.event])):
        if not one.memory:
            continue
        levels[one.device] = levels.get(one.device, 0) + one.memory
        at = (int(records.table["end"][one.event]) - records.started) / 1e3
        yield (
            f'{{"ph": "C", "name": "memory of {device}:{one.device}", "pid": {os.getpid()}, "tid": 0, "ts": {at}, '
            f'"args": {{"bytes": {levels[one.device]}}}}}'
        )


def span(event: Any, process: int) -> str:
    """One FunctionEvent."""
    args: dict[str, Any] = {
        "External id": event.id,
        "Sequence number": event.sequence_nr,
        "Fwd thread id": event.fwd_thread or 0,
    }
    if event.input_shapes:
        args["Input Dims"] = event.input_shapes
    if event.stack:
        args["Call stack"] = ";".join(event.stack)
    interval = event.time_range
    return json.dumps(
        {
            "ph": "X",
            "cat": "cpu_op" if event.on_cpu else "kernel",
            "name": event.trace_name or event.name,
            "pid": process,
            "tid": event.thread,
            "ts": interval.start,
            "dur": interval.elapsed_us(),
            "args": args,
        }
    )


def kernels(event: Any, process: int) -> Iterator[str]:
    """What ran on a device for a FunctionEvent, from when the event began: the file it came from has no other time."""
    at = event.time_range.start
    for kernel in event.kernels:
        yield json.dumps(
            {
                "ph": "X",
                "cat": "kernel",
                "name": kernel.name,
                "pid": process,
                "tid": f"device {kernel.device}",
                "ts": at,
                "dur": kernel.duration,
                "args": {"External id": event.id},
            }
        )
        at += kernel.duration
