"""Refusal: why a recording is not replayed; Miss: where a replay has stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wengert_replay.programs.program import Program


OWN_LEAF = "a result is a leaf that the function has made"
OWN_GRADIENT = f"{OWN_LEAF}, and has a gradient"
RETAINED = "a result keeps its gradient (retain_grad()), and has hooks, which change that"
NO_TURN = "another thread was in Python code of the function, which may wait for this call"
THAWED = "requires_grad of tensors from outside is changed"
"""A reason why a program does not fit: it may fit again."""
NO_HISTORY = "a result is a view made under no_grad, whose base has got a history since"

# Reasons that several places find
ARGUMENT_IS_WRITTEN = "an argument is written to, and a result has a graph"
BACKWARD_AND_GRAPH = "the function runs backward, and a result has a graph"
REENTRANT = "a result has a graph with a checkpoint that has use_reentrant=True"
OLD_GRAPH = "backward runs through a graph that was made outside of the function"
OTHER_WRITES = "the function writes to other tensors than before"
NESTED_RESULT = "the result is nested too deeply, or contains itself"
SHARED_ARGUMENTS = "two arguments share memory"
SHARED_RESULTS = "two results or gradients share memory"
SHARED_OUTSIDE = "an argument shares memory with a tensor from outside"
# ... of constructs, which stay as they are then
WRITES_ARGUMENTS = "it writes to its arguments"
WRITES_OUTSIDE = "it writes to a tensor from outside"
RANDOM_BACKWARD = "it draws random numbers"
RANDOM_GRADIENT = f"{RANDOM_BACKWARD}, and has a gradient"
CARRY_STRIDES = "the carry has other strides in each iteration"
GRADIENT_STRIDES = "its gradients have other strides in each iteration"
OUTSIDE_AND_SOURCE = "a tensor from outside is computed from another one that it uses, too"
SHARED_PARTS = "two of its results share memory"


class Refusal(Exception):
    """A recording cannot be replayed; the message says why.

    transient: another one may be.   begins_anew: so may the next one, which is of a program and not of a branch.
    """

    def __init__(self, reason: str, transient: bool = False, begins_anew: bool = False) -> None:
        super().__init__(reason)
        self.transient: bool = transient
        self.begins_anew: bool = begins_anew


def unknown_object(kind: object) -> str:
    """Return a reason: a result has something in it that has no value to compare. kind: the name of its type."""
    return f"the result has an object of type {kind} in it"


def class_words(result: object) -> str:
    """Return a reason: a result is a tensor of a class of its own."""
    return f"a result is of the class {type(result).__name__}"


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
