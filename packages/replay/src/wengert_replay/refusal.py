"""Refusal: why a recording is not replayed; Miss: where a replay has stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wengert_replay.programs.program import Program


OWN_LEAF = "a result is a leaf that the function has made"
OWN_GRADIENT = f"{OWN_LEAF}, and has a gradient"
RETAINED = "a result keeps its gradient (retain_grad()), and has hooks, which change that"
NO_HISTORY = "a result is a view made under no_grad, whose base has got a history since"


class Refusal(Exception):
    """A recording cannot be replayed; the message says why.

    transient: another one may be.   begins_anew: so may the next one, which is of a program and not of a branch.
    """

    def __init__(self, reason: str, transient: bool = False, begins_anew: bool = False) -> None:
        super().__init__(reason)
        self.transient: bool = transient
        self.begins_anew: bool = begins_anew


def stored_words(n: int, where: str) -> str:
    """Return a reason: a function has stored n tensors. where: the operation that has made one of them, or ""."""
    what = "1 tensor that it made, or its graph," if n == 1 else f"{n} tensors that it made, or their graph,"
    return f"the function has stored {what} somewhere else than in its results{where and f' ({where})'}"


class ReplacedOutside(Refusal):
    """The function would find another tensor from outside in the place of one that it has used."""


class HasGraph(Refusal):
    """A result has a graph that leads to arguments or leaves: the function may become one node of a graph."""


class NoLoop(Exception):
    """A construct that runs cannot be a loop: it is to be run from its start.

    why: in words; "" where whoever runs the construct says it.
    """

    def __init__(self, why: str = "") -> None:
        super().__init__()
        self.why: str = why


class Miss:
    """A run that stopped, with nothing outside changed.

    node: the program that ran then.   number: of the launch.   seen: the number or the shapes that differ; the error,
    where an operation raised one (number -1); why it did not run (number -2).   where: the operation and its line.
    """

    node: Program
    number: int
    seen: Any
    where: str

    def __init__(self, node: Program, number: int, seen: Any, where: str) -> None:
        self.node, self.number, self.seen, self.where = node, number, seen, where
