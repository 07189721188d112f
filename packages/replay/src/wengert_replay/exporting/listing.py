"""Text of a program from a file: one line for each operation, as of a recorded program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wengert_replay.exporting.values import decode_value

MOST_LINES = 60
"""Operations of a node that are written out."""


class SlotName:
    """The place of a tensor, as it is written."""

    def __init__(self, kind: str, number: Any) -> None:
        self.words = f"generator {number}" if kind == "generator" else f"{kind}{number}"

    def __repr__(self) -> str:
        return self.words


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


def list_step(text: dict[str, Any], step: list[Any], number: int) -> str:
    """Return the line of a step; number: of its first result."""
    op, arguments, types, line = step
    names = ", ".join(f"%{number + i}" for i in range(len(types)))
    kinds = ", ".join(f"{text['types'][i][0]}{list(text['types'][i][1])}" for i in types)
    values = [repr(decode_value(one, SlotName)) for one in arguments if one is not None]
    where = f"  # {text['lines'][line]}" if text["lines"][line] else ""
    return f"{f'{names} = ' if names else ''}{text['ops'][op]['name']}({', '.join(values)}): {kinds}{where}"
