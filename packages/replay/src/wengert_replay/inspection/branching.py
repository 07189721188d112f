"""Branches in words: where Python reads a number that leads to other operations, and which numbers it has read."""

from __future__ import annotations

from itertools import islice
from typing import Any

from wengert_replay.inspection.counting import branches_of, count
from wengert_replay.inspection.printing import format_step
from wengert_replay.inspection.signatures import number_words

MOST_LINES = 4
"""Lines of a program in which Python reads numbers, and numbers of each of them, that are shown."""
MOST_STEPS = 100_000
"""Operations that are compared to find where branches begin."""


def describe_branches(program: Any) -> list[str]:
    """Return a line for each place where branches of a program begin, with the numbers that Python has read there."""
    found: dict[str, tuple[int, dict[str, None]]] = {}
    left = MOST_STEPS
    for node in (program, *branches_of(program)):
        known: dict[int, int] = {}  # where branches begin, by launch: the step
        for (launch, _), branch in node.fork_table.copy().items():
            if launch not in known and left > 0:
                known[launch] = first_difference(node, branch)
                left -= known[launch]
            if known.get(launch, -1) < 0:
                continue
            steps = [one.steps[known[launch]] for one in (node, branch)]
            n, words = found.get(steps[1].line, (0, {}))
            words.update({number_words(step): None for step in steps if step.way == "guard"})
            found[steps[1].line] = n + 1, words
    lines = [branches_at(line, n, list(words)) for line, (n, words) in islice(found.items(), MOST_LINES)]
    return [*lines, f"... and at {len(found) - MOST_LINES} more lines"] if len(found) > MOST_LINES else lines


def first_difference(program: Any, branch: Any) -> int:
    """Return the number of the first operation that a branch does not share with its trunk; -1 for none."""
    n = min(len(program.steps), len(branch.steps))
    for number in range(n):
        one, other = program.steps[number], branch.steps[number]
        if one.way == "guard" and format_step(one) != format_step(other):
            return number
    return -1


def branches_at(line: str, n: int, words: list[str]) -> str:
    """Return the words for n branches that begin at a line, where Python has read some numbers."""
    what = count(n, "branch", "branches")
    at = f" at {line}" if line else ""
    numbers = ", ".join(words[:MOST_LINES]) + (", ..." if len(words) > MOST_LINES else "")
    return f"{what}{at}, where Python reads {numbers}" if numbers else f"{what}{at}"
