"""Records: the events of a recording as columns. Everything that reads a profile starts here.

Note [Columns]
    A recording holds fixed records (engine/observe/event_buffer.pxd). They are read once, into one NumPy array; sums
    over a million events are then a few array operations, and FunctionEvents are made only when somebody asks for them.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any

import numpy as np
from wengert_engine.extend import EVENT_DTYPE, DeviceTime, Recording

from wengert_profiler.columns.device_columns import DeviceColumns
from wengert_profiler.columns.event_names import CUSTOM, LABEL, NODE, OP, dotted_names, event_name
from wengert_profiler.columns.flops import counts_for_function, flops_of
from wengert_profiler.columns.normalize import FIRST_ENTRY, with_parts, without_doubles

OWN = os.path.dirname(os.path.abspath(__file__))


class Records:
    """The events of a finished recording."""

    recording: Recording
    started: int
    stopped: int
    device_times: list[DeviceTime]

    def __init__(self, recording: Recording, stopped: int, device_times: list[DeviceTime] | None = None) -> None:
        self.recording, self.started, self.stopped = recording, recording.started, stopped
        self.device_times = device_times or []
        self.stacks: dict[int, list[str]] = {}
        self.shapes: dict[int, list[Any]] = {}

    def __len__(self) -> int:
        return len(self.table)

    @cached_property
    def table(self) -> np.ndarray[Any, Any]:
        """All events, in the order in which they began, as they are shown: normalize.py says how."""
        found, first = without_doubles(self.all_recorded(), self.recording.kept)
        found, second = with_parts(found, self.recording, self)
        if self.device_times:
            self.device_times = [one._replace(event=int(second[first[one.event]])) for one in self.device_times]
        return found

    def all_recorded(self) -> np.ndarray[Any, Any]:
        """All events as they were recorded. They are read once."""
        whole = np.empty(len(self.recording), EVENT_DTYPE)
        done = number = 0
        while (chunk := self.recording.take(number)) is not None:
            part = np.frombuffer(chunk, EVENT_DTYPE)[: len(whole) - done]  # a thread may still be writing
            whole[done : done + len(part)] = part
            done += len(part)
            number += 1
        running = whole["end"] == 0
        whole["end"][running] = self.stopped  # of a thread that was still at work
        return whole

    @cached_property
    def naming(self) -> tuple[list[str], np.ndarray[Any, Any]]:
        """The names there are, and the number of each event's."""
        dotted = dotted_names()
        codes = self.table["what"] << np.uint64(3) | self.table["kind"]  # objects are aligned to 8 bytes
        distinct, first, which = np.unique(codes, return_index=True, return_inverse=True)
        names: dict[str, int] = {}
        kinds = self.table["kind"][first]
        found = np.empty(len(distinct), np.int64)
        for i in range(len(distinct)):
            what = self.recording.kept.get(int(self.table["what"][first[i]]))
            found[i] = names.setdefault(event_name(int(kinds[i]), what, dotted), len(names))
        return list(names), found[which]

    @cached_property
    def durations(self) -> np.ndarray[Any, Any]:
        """Nanoseconds from begin to end."""
        found: np.ndarray[Any, Any] = self.table["end"] - self.table["start"]
        return found

    def without_children(self, totals: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Of each event what the events inside do not have."""
        parents = self.table["parent"]
        inside = parents >= 0
        own: np.ndarray[Any, Any] = totals - np.bincount(parents[inside], totals[inside], len(totals)).astype(np.int64)
        return own

    @cached_property
    def self_durations(self) -> np.ndarray[Any, Any]:
        """Nanoseconds without those of the events inside."""
        return self.without_children(self.durations)

    @cached_property
    def on_devices(self) -> DeviceColumns:
        """What the events took on devices."""
        table = self.table
        return DeviceColumns(table, self.device_times)

    @cached_property
    def self_memory(self) -> np.ndarray[Any, Any]:
        """Bytes without those of the events inside."""
        return self.without_children(self.table["memory"])

    # ---- facts of one event

    def stack_of(self, entry: int) -> list[str]:
        """The calls of a stack, the innermost first, as ``file(line): function``; without those of the profiler."""
        if entry not in self.stacks:
            calls = self.recording.calls(entry)
            self.stacks[entry] = [f"{file}({line}): {name}" for file, line, name in calls if not file.startswith(OWN)]
        return self.stacks[entry]

    @cached_property
    def shown_stacks(self) -> np.ndarray[Any, Any]:
        """The entry of each event's stack. A node, and what runs in it, has that of the operation that recorded it."""
        shown: np.ndarray[Any, Any] = self.table["stack"].copy()
        if not shown.any():
            return shown
        linked = self.forward_of >= 0
        shown[linked] = self.table["stack"][self.forward_of[linked]]
        depths, parents = self.table["depth"], self.table["parent"]
        for depth in range(1, int(depths.max()) + 1):
            inside = np.flatnonzero((depths == depth) & (parents >= 0) & ~linked)
            inside = inside[linked[parents[inside]]]
            shown[inside] = shown[parents[inside]]
            linked[inside] = True
        return shown

    def shapes_of(self, entry: int) -> list[Any]:
        """The sizes of the tensors in an entry of shapes, [] for what is no tensor, a list of such for several."""
        if entry not in self.shapes:
            self.shapes[entry] = decode_shapes(self.recording.sequence(entry))
        return self.shapes[entry]

    def arguments_of(self, entry: int) -> list[Any]:
        """The same with None for an argument that is no tensor."""
        return decode_shapes(self.recording.sequence(entry), None) if entry < FIRST_ENTRY else self.shapes[entry]

    @cached_property
    def flops(self) -> np.ndarray[Any, Any]:
        """The floating point operations of each event: counted once for each operator and shape."""
        names, which = self.naming
        counted = np.zeros(len(self), np.int64)
        with_result = np.flatnonzero(self.table["result"])
        columns = which, self.table["shapes"].astype(np.int64), self.table["result"].astype(np.int64)
        facts = np.stack([column[with_result] for column in columns], axis=1)
        if not len(facts):
            return counted
        distinct, inverse = np.unique(facts, axis=0, return_inverse=True)
        each = [
            flops_of(names[name], self.arguments_of(int(shapes)), (self.shapes_of(int(result)) or [None])[0])
            for name, shapes, result in distinct.tolist()
        ]
        counted[with_result] = np.array(each, np.int64)[inverse.reshape(-1)]
        return self.held_flops(counted)

    def held_flops(self, counted: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The same, with what some functions' operations count as their own."""
        names, which = self.naming
        parents = self.table["parent"]
        inside = np.flatnonzero((counted > 0) & (parents >= 0))
        both = np.stack([which[inside], which[parents[inside]]], axis=1)
        pairs, number = np.unique(both, axis=0, return_inverse=True)
        is_held = np.array([counts_for_function(names[name], names[outer]) for name, outer in pairs.tolist()], bool)
        if not is_held.any():
            return counted
        moved = inside[is_held[number.reshape(-1)]]
        holders = parents[moved]
        amounts = counted[moved]
        counted[inside[np.isin(parents[inside], holders)]] = 0
        np.add.at(counted, holders, amounts)
        return counted

    @cached_property
    def forward_of(self) -> np.ndarray[Any, Any]:
        """For each node that was run backward the event that recorded it; -1: none in here."""
        table = self.table
        found = np.full(len(table), -1, np.int64)
        makers = np.flatnonzero((table["sequence"] >= 0) & ((table["kind"] == OP) | (table["kind"] == CUSTOM)))
        nodes = np.flatnonzero((table["sequence"] >= 0) & (table["kind"] == NODE))
        if not len(makers) or not len(nodes):
            return found
        numbers = table["sequence"][makers]
        order = np.argsort(numbers, kind="stable")
        place = (
            np.searchsorted(numbers[order], table["sequence"][nodes], side="right") - 1
        )  # the innermost: it began last
        candidates = makers[order[np.maximum(place, 0)]]
        same = (place >= 0) & (table["sequence"][candidates] == table["sequence"][nodes])
        found[nodes[same]] = candidates[same]
        return found

    def is_kind(self, kind: int) -> np.ndarray[Any, Any]:
        """Which events are of a kind."""
        found: np.ndarray[Any, Any] = self.table["kind"] == kind
        return found

    def arguments(self) -> dict[int, str]:
        """The texts that were given with labels, by the number of the event."""
        labels = np.flatnonzero(self.is_kind(LABEL))
        found = {i: getattr(self.recording.kept.get(int(self.table["what"][i])), "args", None) for i in labels.tolist()}
        return {i: text for i, text in found.items() if text is not None}


def decode_shapes(words: list[int], other: Any = ()) -> list[Any]:
    """The arguments that words describe: see write_shape in engine/observe/argument_shapes.pyx.

    other: what stands for what is no tensor: a copy of a sequence as a list, or None.

    >>> decode_shapes([2, 3, 4, -1, -4, 1, 5, 0])
    [[3, 4], [], [[5], []]]
    """
    found: list[Any] = []
    inside: list[Any] | None = None
    missing = at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word < -1:
            inside, missing = [], -word - 2
            found.append(inside)
            continue
        target = found if inside is None else inside
        target.append(words[at : at + word] if word >= 0 else list(other) if other is not None else None)
        at += max(word, 0)
        if inside is not None:
            missing -= 1
            inside = inside if missing else None
    return found
