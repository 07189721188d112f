"""Text of a program from a file: one line for each operation, as of a recorded program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wengert_replay.exporting.pseudo_ops import PARAMETERS
from wengert_replay.exporting.values import decode_value

MOST_LINES = 60
"""Operations of a node that are written out."""


class Words:
    """Words that are written without quotes."""

    def __init__(self, words: str) -> None:
        self.words = words

    def __repr__(self) -> str:
        return self.words


class SlotName(Words):
    """The place of a tensor, as it is written."""

    def __init__(self, kind: str, number: Any) -> None:
        super().__init__(f"generator {number}" if kind == "generator" else f"{kind}{number}")


def list_program(text: dict[str, Any]) -> Iterator[str]:
    """Give the lines of the text of a program: its operations, and those of its branches behind them."""
    counts: list[int] = []
    for node in text["nodes"]:
        trunk, at, steps = node["trunk"], node["at"], node["steps"]
        number = 0
        if trunk is not None:
            begin = text["nodes"][trunk]["at"]
            number = counts[trunk] + sum(len(step[2]) for step in text["nodes"][trunk]["steps"][: at - begin])
            yield f"branch of {trunk} at operation {at}:"
        counts.append(number)
        for step in steps[:MOST_LINES]:
            yield list_step(text, step, number)
            number += len(step[2])
        if len(steps) > MOST_LINES:
            yield f"... {len(steps) - MOST_LINES} more operations"
    for place, body in enumerate(text.get("bodies", ())):
        yield from list_body(text, place, body)


def list_body(text: dict[str, Any], place: int, body: dict[str, Any]) -> Iterator[str]:
    """Give the lines of a loop's body: its steps, and what it gives."""
    inputs = ", ".join(f"a{i}: {type_words(text, one)}" for i, one in enumerate(one for one in body["inputs"]
                                                                                if one is not None))  # fmt: skip
    results = ", ".join(str(one) for one in body["results"] if one is not None)
    yield f"body {place} of ({inputs}), gives ({results}):"
    number = 0
    for step in body["steps"][:MOST_LINES]:
        yield f"    {list_step(text, step, number)}"
        number += len(step[2])
    if len(body["steps"]) > MOST_LINES:
        yield f"    ... {len(body['steps']) - MOST_LINES} more operations"


def list_step(text: dict[str, Any], step: list[Any], number: int) -> str:
    """Return the line of a step; number: of its first result."""
    op, arguments, types, line = step
    names = ", ".join(f"%{number + i}" for i in range(len(types)))
    kinds = ", ".join(type_words(text, i) for i in types)
    values = [decode_value(one, SlotName) for one in arguments]
    name = text["ops"][op]["name"]
    if not text["ops"][op]["table"] and "bodies" in PARAMETERS[name]:
        name, values = loop_words(dict(zip(PARAMETERS[name], values, strict=True)))
    words = ", ".join(repr(one) for one in values if one is not None)
    where = f"  # {text['lines'][line]}" if text["lines"][line] else ""
    return f"{f'{names} = ' if names else ''}{name}({words}): {kinds}{where}"


def loop_words(values: dict[str, Any]) -> tuple[str, list[Any]]:
    """Return the name of a loop or a cond, and what it works on: tensors, and its bodies with what they read beside."""
    operands = [values.get(name) for name in ("predicate", "carry", "rows", "bounds", "into") if values.get(name) != []]
    named = [("test", one) for one in values.get("tests", ())] + [("body", one) for one in values["bodies"]]
    bodies = [Words(f"{kind} {number}{f' with {outside}' if outside else ''}") for kind, (number, outside) in named]
    return values["name"], [*operands, *bodies]


def type_words(text: dict[str, Any], number: int) -> str:
    """Return dtype and sizes of a type, as they are written."""
    dtype, sizes, _ = text["types"][number]
    return f"{dtype}{list(sizes)}"
