"""Edges: where the graph of a function's results leads to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert_core import empty
from wengert_core.extend import Tensor
from wengert_engine import enable_grad
from wengert_engine.extend import gradient_edge, reachable_leaves

OUTSIDE = "a tensor from outside has a history: give it to the function as an argument"


def graph_clock() -> int:
    """Return a number that is larger than those of all nodes there are, and smaller than those of nodes to come."""
    with enable_grad():
        mark: Any = empty(0, requires_grad=True).clone().grad_fn
    return 0 if mark is None else int(mark._sequence_nr())  # None: nothing is recorded in inference mode


def outer_leaves(results: Sequence[Tensor], arguments: Sequence[Tensor], clock: int) -> tuple[list[Tensor], str]:
    """Return the leaves that results depend on, arguments left out; and why their graph cannot be one node: "" or why.

    clock: what ``graph_clock`` gave before the function ran. An older node belongs to a tensor from outside.
    """
    stops = [edge[0] for edge in map(gradient_edge, arguments) if edge is not None]
    leaves, has_older = reachable_leaves([result.grad_fn for result in results], stops, clock)
    return ([], OUTSIDE) if has_older else (leaves, "")
