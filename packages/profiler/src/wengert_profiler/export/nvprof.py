"""load_nvprof, load_nsys: the ranges of emit_nvtx, and the kernels that ran inside them, out of SQLite files."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from wengert_profiler.events.event_list import EventList
from wengert_profiler.events.events import FunctionEvent

LAUNCHES = (211, 13)
"""nvprof's numbers of cudaLaunchKernel: since CUDA 9.2, and before."""


class TraceFileError(ValueError):
    """A file that is no trace, or one that is damaged."""


@contextmanager
def open_database(path: Any, tables: dict[str, set[str]], program: str) -> Iterator[sqlite3.Connection]:
    """A connection that only reads. TraceFileError for a file without these tables and columns."""
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"{path}: there is no such file; expected the SQLite file of {program}")
    connection = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    try:
        for table, columns in tables.items():
            there = {row["name"] for row in connection.execute(f"PRAGMA table_info({table})")}
            if not columns <= there:
                missing = f"a table {table}" if not there else f"{sorted(columns - there)} in the table {table}"
                raise TraceFileError(f"{path} is not a file of {program}: it has no {missing}")
        yield connection
    except sqlite3.DatabaseError as error:
        raise TraceFileError(f"{path} is not a file of {program}, or it is damaged: {error}") from error
    finally:
        connection.close()


def load_nvprof(path: Any) -> EventList:
    """Read an nvprof trace: ranges as events, with the kernels that were launched inside of them.

    path: the SQLite file that ``nvprof -o`` wrote; it is only read.
    FileNotFoundError, or TraceFileError (a ValueError) for a file that is not one, or damaged.
    """
    return list_events(parse_nvprof_trace(path))


NVPROF = {
    "StringTable": {"_id_", "value"},
    "CUPTI_ACTIVITY_KIND_MARKER": {"id", "name", "timestamp"},
    "CUPTI_ACTIVITY_KIND_RUNTIME": {"_id_", "cbid", "start", "end", "correlationId"},
    "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL": {"start", "end", "name", "correlationId"},
}


def parse_nvprof_trace(path: Any) -> list[FunctionEvent]:
    """The events of an nvprof trace as a list, by time."""
    with open_database(path, NVPROF, "nvprof") as connection:
        strings = {row["_id_"]: str(row["value"]) for row in connection.execute("SELECT _id_, value FROM StringTable")}
        ranges = [
            (row["name"], row["start"], row["end"], 1)
            for row in connection.execute(
                "SELECT a.name AS name, a.timestamp AS start, b.timestamp AS end FROM CUPTI_ACTIVITY_KIND_MARKER AS a "
                "JOIN CUPTI_ACTIVITY_KIND_MARKER AS b ON a.id = b.id WHERE a.name != 0 AND b.name = 0 "
                "ORDER BY a.timestamp, b.timestamp DESC"
            )
        ]
        events = nest_ranges(ranges, strings, path)
        launches: list[Launch] = []
        for row in connection.execute(
            "SELECT r.cbid AS cbid, r.start AS start, r.end AS end, k.name AS name, k.start AS began, "
            "k.end AS ended FROM "
            "CUPTI_ACTIVITY_KIND_RUNTIME AS r JOIN CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL AS k "
            "ON r.correlationId = k.correlationId ORDER BY r.start"
        ):
            if row["cbid"] not in LAUNCHES:
                raise TraceFileError(
                    f"{path}: the call with cbid {row['cbid']} launched a kernel; only those of cudaLaunchKernel, "
                    f"{LAUNCHES[0]} and {LAUNCHES[1]}, are known"
                )
            name = text_of(strings, row["name"], path)
            launches.append(Launch(row["start"], row["end"], row["ended"] - row["began"], name, 1))
        attach(events, ranges, launches)
    return events


NSYS = {"StringIds": {"id", "value"}, "NVTX_EVENTS": {"start", "end", "text", "textId", "globalTid"}}
NSYS_KERNELS = {
    "CUPTI_ACTIVITY_KIND_KERNEL": {"start", "end", "correlationId", "shortName", "deviceId"},
    "CUPTI_ACTIVITY_KIND_RUNTIME": {"start", "end", "globalTid", "correlationId"},
}


def load_nsys(path: Any) -> EventList:
    """Read a trace of Nsight Systems: NVTX ranges as events, with the kernels that were launched inside of them.

    path: the file that ``nsys export --type sqlite`` wrote; it is only read. A trace without kernels has ranges only.
    FileNotFoundError, or TraceFileError (a ValueError) for a file that is not one, or damaged.
    """
    with open_database(path, NSYS, "nsys export --type sqlite") as connection:
        strings = {row["id"]: str(row["value"]) for row in connection.execute("SELECT id, value FROM StringIds")}
        ranges = []
        for row in connection.execute(
            "SELECT start, end, text, textId, globalTid FROM NVTX_EVENTS WHERE end IS NOT NULL ORDER BY start, end DESC"
        ):
            ranges.append(
                (row["text"] if row["text"] is not None else row["textId"], row["start"], row["end"], row["globalTid"])
            )
        events = nest_ranges(ranges, strings, path)
        tables = {row["name"] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if set(NSYS_KERNELS) <= tables:
        with open_database(path, NSYS_KERNELS, "nsys export --type sqlite") as connection:
            launches = [
                Launch(
                    row["start"],
                    row["end"],
                    row["ended"] - row["began"],
                    text_of(strings, row["name"], path),
                    row["globalTid"],
                    row["device"],
                )
                for row in connection.execute(
                    "SELECT r.start AS start, r.end AS end, r.globalTid AS globalTid, k.shortName AS name, "
                    "k.deviceId AS device, k.start AS began, k.end AS ended FROM CUPTI_ACTIVITY_KIND_RUNTIME AS r "
                    "JOIN CUPTI_ACTIVITY_KIND_KERNEL AS k ON r.correlationId = k.correlationId ORDER BY r.start"
                )
            ]
        attach(events, ranges, launches)
    return list_events(events)


def list_events(events: list[FunctionEvent]) -> EventList:
    """Events whose tree is there as a list."""
    found = EventList(events, use_device="cuda")
    found._tree_built = True
    return found


def text_of(strings: dict[int, str], value: Any, path: Any) -> str:
    """A name: a text, or the number of one."""
    if isinstance(value, str):
        return value
    if value not in strings:
        raise TraceFileError(f"{path} is damaged: it has no string with the number {value}")
    return strings[value]


def nest_ranges(ranges: list[tuple[Any, int, int, Any]], strings: dict[int, str], path: Any) -> list[FunctionEvent]:
    """Events from ranges (name, start and end in ns, thread), and which of them is inside which."""
    first = min((start for _, start, _, _ in ranges), default=0)
    events = EventList(
        FunctionEvent(
            i, text_of(strings, name, path), thread, (start - first) / 1e3, (end - first) / 1e3, use_device="cuda"
        )
        for i, (name, start, end, thread) in enumerate(ranges)
    )
    events._populate_cpu_children()
    return list(events)


class Launch(NamedTuple):
    """The call that launched a kernel, and the kernel. Times are nanoseconds."""

    start: int
    end: int
    took: int
    name: str
    thread: Any
    device: int = 0


def attach(events: list[FunctionEvent], ranges: list[tuple[Any, int, int, Any]], launches: list[Launch]) -> None:
    """Give each kernel to the innermost range it was launched in; the events are those of the ranges."""
    waiting = iter(sorted(zip(events, ranges, strict=True), key=lambda pair: pair[1][1]))
    running: dict[Any, list[tuple[FunctionEvent, int]]] = {}
    following = next(waiting, None)
    for one in launches:
        while following is not None and following[1][1] <= one.start:
            event, (_, _, end, _) = following
            running.setdefault(event.thread, []).append((event, end))
            following = next(waiting, None)
        inside = running.get(one.thread, [])
        while inside and inside[-1][1] < one.end:
            inside.pop()
        if inside:
            inside[-1][0].append_kernel(one.name, one.device, one.took / 1e3)
