"""Drawing: a program in the language of Graphviz, as data flows through its operations."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any

from wengert_replay.inspection.printing import (
    RETURNED,
    VALUE,
    format_guard,
    format_type,
    is_return_point,
    loops_of,
    name_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wengert_replay.programs.program import Program
    from wengert_replay.trace.steps import Step

COLORS = {"a": "lightblue", "w": "orange", "op": "lightgrey", "more": "white"}
"""Colors of arguments, of tensors from outside, of operations, of what is left out: those of drawn graphs."""


def draw_program(program: Program, limit: int | None = 1000) -> str:
    """Return a program as a digraph: a box for each operation, argument and tensor from outside, arrows between them.

    limit: draw no more operations than these; None: all. Raises TypeError or ValueError for another limit.
    """
    if limit is not None and (type(limit) is not int or limit < 0):
        kind = TypeError if type(limit) is not int else ValueError
        raise kind(f"to_dot(): limit must be None or an int of at least 0, got {limit!r}")
    n = len(program.steps)
    shown = n if limit is None else min(limit, n)
    boxes: dict[str, str] = {}
    arrows: list[str] = []
    makers: dict[str, str] = {}
    loops = loops_of(program)
    for number, step in enumerate(islice(program.steps, shown)):
        key = f"n{number}"
        boxes[key] = box(key, label_of(step, getattr(loops.get(number), "label", step.way)), "op")
        for name in value_names(step.inputs):
            source = makers.get(name)
            if source is None and name[0] != "%":
                source = name
                boxes.setdefault(name, box(name, name, name[0]))
            if source is not None:
                arrows.append(f"  {source} -> {key}")
        for name, _, _ in step.outputs:
            makers[name] = key
    if shown < n:
        boxes["more"] = box("more", f"{n - shown} more operations", "more")
    head = ["digraph {", "  node [shape=box style=filled fontname=monospace fontsize=10]"]
    return "\n".join([*head, *boxes.values(), *dict.fromkeys(arrows), "}"])


def box(key: str, label: str, kind: str) -> str:
    return f"  {key} [label={json.dumps(label, ensure_ascii=False)} fillcolor={COLORS[kind]}]"


def label_of(step: Step, way: str) -> str:
    """Return the lines of an operation's box: its name, the types of its results, how it is replayed."""
    if is_return_point(step):
        return RETURNED
    if step.way == "guard":
        return f"guard\n{format_guard(step)}"
    name = name_of(step) if way == "launches" else f"{name_of(step)} [{way}]"
    return "\n".join([name, *map(format_type, step.outputs)])


def value_names(inputs: Any) -> Iterator[str]:
    """Yield the names of values among the printed arguments of an operation."""
    for one in inputs:
        if isinstance(one, (list, tuple)):
            yield from value_names(one)
        elif isinstance(one, str) and VALUE.fullmatch(one):
            yield one
