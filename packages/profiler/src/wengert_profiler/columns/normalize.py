"""From what was recorded to what is shown: as torch shows it.

Note [Doubled events]
    ``nn.functional.relu`` is a function of one operation which has its name: one event. As in torch, an event that is
    all that ran inside of an event with its name is left out. Labels are not: each is one that the program has set.

Note [Parts of operations]
    ``linear`` is one operation here, and a product with a sum inside of a function in torch. Programs look for
    ``aten::addmm`` (``aten::mm`` without a bias), so it is shown inside, with all that the operation took.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_profiler.columns.event_names import FUNCTION, OP, dotted_names, event_name

Column = np.ndarray[Any, Any]
LINEAR = "linear"
FIRST_ENTRY = 1 << 31
"""Entries of shapes that are made here, beyond those of the recording."""


def without_doubles(table: Column, kept: dict[int, Any]) -> tuple[Column, Column]:
    """The events but those that are doubled, and for each event its new index: the outer one's where it is gone."""
    positions = np.arange(len(table))
    parents, kinds = table["parent"], table["kind"]
    inside = np.flatnonzero((parents >= 0) & (kinds <= FUNCTION))
    inside = inside[kinds[parents[inside]] == FUNCTION]
    only = np.bincount(parents[parents >= 0], minlength=len(table)) == 1
    inside = inside[only[parents[inside]]]
    if not len(inside):
        return table, positions
    outer = parents[inside]
    doubled = inside[numbers_of_names(table[inside], kept) == numbers_of_names(table[outer], kept)]
    if not len(doubled):
        return table, positions
    gone = np.zeros(len(table), bool)
    gone[doubled] = True
    stands_for = positions.copy()
    stands_for[doubled] = parents[doubled]
    while gone[stands_for].any():  # one inside of another that is gone as well
        stands_for = stands_for[stands_for]
    for one in doubled[::-1].tolist():
        for name in ("what", "kind", "sequence", "result"):  # the outer one is the operation now
            table[name][parents[one]] = table[name][one]
    new = np.cumsum(~gone) - 1
    new_positions = new[stands_for]
    kept_events = table[~gone]
    return renest_events(kept_events, new_positions), new_positions


NUMBERS: dict[str, int] = {}
"""A number for each name that was compared."""


def numbers_of_names(events: Column, kept: dict[int, Any]) -> Column:
    """A number for each event's name."""
    dotted = dotted_names()
    codes = events["what"] << np.uint64(3) | events["kind"]
    distinct, first, which = np.unique(codes, return_index=True, return_inverse=True)
    found = np.empty(len(distinct), np.int64)
    for i, at in enumerate(first.tolist()):
        name = event_name(int(events["kind"][at]), kept.get(int(events["what"][at])), dotted)
        found[i] = NUMBERS.setdefault(name, len(NUMBERS))
    return found[which.reshape(-1)]


def renest_events(events: Column, new_positions: Column) -> Column:
    """The events with the new indices of their parents, and the depths that follow."""
    inside = events["parent"] >= 0
    events["parent"][inside] = new_positions[events["parent"][inside]]
    depths = events["depth"].copy()
    for depth in range(1, int(depths.max(initial=0)) + 1):
        here = np.flatnonzero((depths == depth) & inside)
        events["depth"][here] = events["depth"][events["parent"][here]] + 1
    return events


def with_parts(table: Column, recording: Any, records: Any) -> tuple[Column, Column]:
    """The events, with a part inside of each ``linear``; for each event its new index, a part's for its whole's.

    records: has shapes_of(entry), and a dict ``shapes`` that gets those of parts.
    """
    positions = np.arange(len(table))
    linear = [address for address, what in recording.kept.items() if getattr(what, "name", None) == LINEAR]
    whole = np.flatnonzero(np.isin(table["what"], np.array(linear, np.uint64)) & (table["kind"] == OP))
    has_parent = table["parent"] >= 0
    whole = whole[np.bincount(table["parent"][has_parent], minlength=len(table))[whole] == 0]
    if not len(whole):
        return table, positions
    new_positions = positions + np.searchsorted(whole, positions)  # a part stands behind its whole
    parts = parts_of(table[whole], recording, records)
    parts["parent"], parts["depth"] = new_positions[whole], parts["depth"] + 1
    table["result"][whole], table["kind"][whole] = 0, FUNCTION
    table["parent"][has_parent] = new_positions[table["parent"][has_parent]]
    mixed = np.empty(len(table) + len(parts), table.dtype)
    mixed[new_positions], mixed[new_positions[whole] + 1] = table, parts
    new_positions[whole] += 1
    return mixed, new_positions


def parts_of(parts: Column, recording: Any, records: Any) -> Column:
    """Copies of events of ``linear`` as those of the operation they consist of, with the shapes of its arguments."""
    from wengert_core import TABLE

    for biased in (False, True):
        op = TABLE.ops["addmm" if biased else "mm"]
        recording.kept[id(op)] = op
        parts["what"][(parts["third"] != 0) == biased] = id(op)
    for entry in np.unique(parts["shapes"]).tolist():
        given = records.shapes_of(entry) if entry else []
        if len(given) < 2:
            continue
        weight = given[1][::-1]
        for biased in (False, True):
            new = FIRST_ENTRY + 2 * entry + biased
            records.shapes[new] = [given[2], given[0], weight, [], []] if biased else [given[0], weight]
            parts["shapes"][(parts["shapes"] == entry) & ((parts["third"] != 0) == biased)] = new
    return parts
