"""Flame graphs: a file for speedscope, and an HTML page that needs nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wengert_profiler.columns.event_names import MEMORY
from wengert_profiler.columns.records import Records
from wengert_profiler.views.call_tree import Branch, tree_of
from wengert_profiler.views.formats import format_time


def records_of(profile: Any, caller: str) -> Any:
    """The records of a profile that has ended; TypeError for anything else."""
    if not hasattr(type(profile), "records"):
        raise TypeError(f"{caller}(): argument 'profile' (position 1) must be a profile, not {type(profile).__name__}")
    return profile.records()


def export_speedscope(profile: Any, path: Any) -> None:
    """Write a profile for www.speedscope.app: one evented profile for each thread. OSError when that is impossible."""
    records = records_of(profile, "export_speedscope")
    names, which = records.naming
    table = records.table
    threads = []
    for number in range(records.recording.n_threads):
        events: list[dict[str, Any]] = []
        running: list[tuple[int, int, int]] = []  # depth, name, end
        mine = ((table["thread"] == number) & (table["kind"] != MEMORY)).nonzero()[0]
        rows = zip(
            which[mine].tolist(),
            table["depth"][mine].tolist(),
            table["start"][mine].tolist(),
            table["end"][mine].tolist(),
            strict=True,
        )
        for name, depth, start, end in rows:
            while running and running[-1][0] >= depth:
                close(events, running, records.started)
            events.append({"type": "O", "frame": name, "at": (start - records.started) / 1e3})
            running.append((depth, name, end))
        while running:
            close(events, running, records.started)
        threads.append(
            {
                "type": "evented",
                "name": f"thread {number + 1}",
                "unit": "microseconds",
                "startValue": 0,
                "endValue": (records.stopped - records.started) / 1e3,
                "events": events,
            }
        )
    whole = {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "exporter": "wengert-profiler",
        "shared": {"frames": [{"name": name} for name in names]},
        "profiles": threads,
    }
    Path(path).write_text(json.dumps(whole), encoding="utf-8")


def close(events: list[dict[str, Any]], running: list[tuple[int, int, int]], started: int) -> None:
    """The innermost event ends."""
    _, name, end = running.pop()
    events.append({"type": "C", "frame": name, "at": (end - started) / 1e3})


def export_flame_graph(profile: Any, path: Any, title: str = "wengert profile") -> None:
    """Write a flame graph as one HTML file: width is time, what lies below called what lies above; a click zooms.

    Above it stands the total; each box says its time, its share of the total and its calls when the mouse is on it.
    With ``with_stack=True`` the program's own calls are in it. OSError when the file cannot be written.
    """
    records = records_of(profile, "export_flame_graph")
    tree = tree_of(records)
    text = page("flame.html", title, tree.as_dict())
    Path(path).write_text(text.replace("@TOTAL@", total_of(tree, records)), encoding="utf-8")


def total_of(tree: Branch, records: Records) -> str:
    """A sentence about the whole profile."""
    block = format_time((records.stopped - records.started) / 1e3)
    threads = records.recording.n_threads
    return (f"Total: {format_time(tree.total / 1e3)} in {tree.count} outermost of {len(records)} events"
            f"{f' of {threads} threads' if threads > 1 else ''}; the block took {block}.")  # fmt: skip


def page(template: str, title: str, data: Any) -> str:
    """A page with data in it; nothing in the data can end the script it is in."""
    text = (Path(__file__).parent / template).read_text(encoding="utf-8")
    safe = json.dumps(data).replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return text.replace("@TITLE@", title.replace("&", "&amp;").replace("<", "&lt;")).replace("@DATA@", safe)
