"""Counts: how much a program does, and how much memory it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wengert_replay.programs.program import Program


@runtime_checkable
class SizedCall(Protocol):
    """A call with memory of its own: a loop."""

    nbytes: int
    stream_nbytes: int


class Counts(NamedTuple):
    """Numbers of a program's parts, and bytes."""

    operations: int
    """Operations that were recorded."""
    launches: int
    """Calls of kernels before they were fused, guards, and all that ``calls`` counts."""
    calls: int
    """What a replay calls: drivers of operations, which takes Python, Python functions, loops, ``cond``."""
    views: int
    """Operations that cost a replay nothing."""
    stores: int
    """Operations whose results are stored values."""
    guards: int
    """Numbers that Python read."""
    branches: int
    """Ways to go on from guards, beside the first."""
    arena_bytes: int
    """Memory for values."""
    instruction_bytes: int
    """Memory for what runs: rows, plans, numbers."""
    step_bytes: int
    """Memory for what is printed: names, lines, types."""


def count_program(program: Program) -> Counts:
    """Return the counts of a program; bytes are those of its branches, too."""
    ways = [step.way for step in program.steps]
    nodes = [program, *branches_of(program)]
    loops: list[Any] = [call for node in nodes for call in node.calls.values() if isinstance(call, SizedCall)]
    parts = [*loops, *nodes]
    return Counts(
        len(ways), program.n_launches, program.n_calls, ways.count("view"), ways.count("store"), ways.count("guard"),
        program.n_branches, sum(one.nbytes for one in parts),
        sum(one.stream_nbytes for one in parts), sum(node.steps.nbytes for node in nodes),
    )  # fmt: skip


def count(n: int, one: str, several: str = "") -> str:
    """Return a number and a noun: "1 operation", "2 branches"."""
    return f"{n} {one}" if n == 1 else f"{n:,} {several or one + 's'}"


def branches_of(program: Program) -> Iterator[Program]:
    """Yield the branches of a program, and theirs."""
    left = [*reversed(program.branches)]
    while left:
        branch = left.pop()
        yield branch
        left += reversed(branch.branches)
