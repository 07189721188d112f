"""Sums over events with one key: of a list of events, and much faster of the columns of a recording."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from wengert_profiler.columns.event_names import LABEL, NODE, group_name
from wengert_profiler.columns.records import Records
from wengert_profiler.events.event_sums import FACTS, FunctionEventAvg
from wengert_profiler.events.events import BACKWARD_SCOPE, USER_SCOPE, FunctionEvent


def averages_of_events(
    events: Iterable[Any], by_shapes: bool, by_stack: int, by_overload: bool = False
) -> list[FunctionEventAvg]:
    """The sum of the events with one key, in the order in which the first of each came."""
    sums: dict[Any, FunctionEventAvg] = {}
    for event in events:
        key = (
            event.key,
            event.node_id,
            event.device_type,
            event.is_user_annotation,
            str(event.input_shapes) if by_shapes else "",
            tuple((event.stack or ())[:by_stack]),
            event.overload_name if by_overload else "",
        )
        sums.setdefault(key, FunctionEventAvg()).add(event)
    for one in sums.values():
        one.stack = (one.stack or [])[:by_stack]
        if not by_shapes:
            one.input_shapes = ""
        if not by_overload:
            one.overload_name = ""
    return list(sums.values())


def total_of_events(events: Iterable[Any]) -> FunctionEventAvg:
    """The sum over all events; what is no sum is of the last one."""
    total, event = FunctionEventAvg(), None
    for event in events:
        total.sum_up(event)
    if event is not None:
        for name in FACTS:
            setattr(total, name, getattr(event, name))
    total.key = "Total"
    return total


def averages_of_records(
    records: Records, by_shapes: bool, by_stack: int, flops: bool, device_type: str | None = None
) -> list[FunctionEventAvg]:
    """The same from columns."""
    table = records.table
    if not len(table):
        return []
    names, which = group_steps(*records.naming)
    codes = which.astype(np.int64) * 2 + (table["kind"] == LABEL)
    if by_shapes:
        texts, numbers = numbered_shapes(records)
        codes = codes * len(texts) + numbers
    if by_stack:
        lines, numbers = numbered_stacks(records, by_stack)
        codes = codes * len(lines) + numbers
    distinct, first, group = np.unique(codes, return_index=True, return_inverse=True)
    group = group.reshape(-1)
    n = len(distinct)

    def sum_by_group(values: Any) -> list[Any]:
        return [round(value) for value in np.bincount(group, values, n).tolist()]

    counts = np.bincount(group, minlength=n).tolist()
    total, own = sum_by_group(records.durations), sum_by_group(records.self_durations)
    memory, own_memory = sum_by_group(table["memory"]), sum_by_group(records.self_memory)
    counted = sum_by_group(records.flops) if flops else [0] * n
    away = records.on_devices
    device, own_device = (sum_by_group(one) for one in (away.total, records.without_children(away.total)))
    device_memory, own_device_memory = (
        sum_by_group(one) for one in (away.memory, records.without_children(away.memory))
    )
    found = []
    for i in np.argsort(first).tolist():
        event = table[first[i]]
        one = FunctionEventAvg()
        one.key, one.count = names[which[first[i]]], counts[i]
        one.node_id, one.use_device, one.overload_name = -1, device_type, ""
        one.cpu_time_total, one.self_cpu_time_total = total[i] / 1e3, own[i] / 1e3
        one.cpu_memory_usage, one.self_cpu_memory_usage = memory[i], own_memory[i]
        one.device_time_total, one.self_device_time_total = device[i] / 1e3, own_device[i] / 1e3
        one.device_memory_usage, one.self_device_memory_usage = device_memory[i], own_device_memory[i]
        one.input_shapes = records.shapes_of(int(event["shapes"])) if by_shapes else ""
        one.stack = records.stack_of(int(records.shown_stacks[first[i]]))[:by_stack] if by_stack else []
        one.is_user_annotation = bool(event["kind"] == LABEL)
        one.scope = scope_of(int(event["kind"]))
        one.flops = counted[i]
        if event["parent"] >= 0:
            one.cpu_parent = parent_of(records, int(event["parent"]))
        found.append(one)
    return found


def group_steps(names: list[str], which: Any) -> tuple[list[str], Any]:
    """Names, and the number of each event's, with one name for all steps of a program."""
    grouped = [group_name(name) for name in names]
    if grouped == names:
        return names, which
    return grouped, np.array([grouped.index(name) for name in grouped])[which]


def scope_of(kind: int) -> int:
    """torch's number of where an event of a kind comes from."""
    return USER_SCOPE if kind == LABEL else BACKWARD_SCOPE if kind == NODE else 0


def parent_of(records: Records, index: int) -> FunctionEvent:
    """The event at an index, alone."""
    names, which = records.naming
    event = records.table[index]
    return FunctionEvent(
        index,
        names[which[index]],
        int(event["thread"]) + 1,
        (int(event["start"]) - records.started) / 1e3,
        (int(event["end"]) - records.started) / 1e3,
        sequence_nr=int(event["sequence"]),
    )


def numbered_shapes(records: Records) -> tuple[list[str], np.ndarray[Any, Any]]:
    """The distinct shapes of arguments as text, and the number of each event's."""
    distinct, which = np.unique(records.table["shapes"], return_inverse=True)
    texts: dict[str, int] = {}
    found = [texts.setdefault(str(records.shapes_of(entry)), len(texts)) for entry in distinct.tolist()]
    return list(texts), np.array(found, np.int64)[which.reshape(-1)]


def numbered_stacks(records: Records, n: int) -> tuple[list[tuple[str, ...]], np.ndarray[Any, Any]]:
    """The distinct innermost n lines, and the number of each event's."""
    distinct, which = np.unique(records.shown_stacks, return_inverse=True)
    lines: dict[tuple[str, ...], int] = {}
    found = [lines.setdefault(tuple(records.stack_of(entry)[:n]), len(lines)) for entry in distinct.tolist()]
    return list(lines), np.array(found, np.int64)[which.reshape(-1)]
