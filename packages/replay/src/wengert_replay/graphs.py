"""Graphs of results: a walk over their nodes, and whether a backward from them would still compute something."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from wengert_engine.extend import accumulated_leaf, is_released, saved_values


def walk(
    roots: Iterable[Any], goes_on: Callable[[Any, Any], bool] = lambda node, leaf: True
) -> Iterator[tuple[Any, Any]]:
    """Yield the nodes that roots lead to, each once, with the leaf that it accumulates into, or None.

    roots: nodes, or None.   goes_on: of a node and its leaf, whether what it leads to is looked at.
    """
    pending, seen = list(roots), set()
    while pending:
        node = pending.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        leaf = accumulated_leaf(node)
        if goes_on(node, leaf):
            pending += [following for following, _ in node.next_functions]
        yield node, leaf


def is_spent(grad_fn: Any, inputs: list[Any]) -> bool:
    """Return whether a graph holds no values and leads to no argument: a replay may give the same graph again."""
    for node, leaf in walk([grad_fn]):
        if any(kind != "plain" for _, kind, _ in saved_values(node)):
            return False
        if leaf is not None and any(leaf is tensor for tensor in inputs):
            return False
    return True


def is_freed(grad_fn: Any) -> bool:
    """Return whether a backward has freed a graph: its node, or all behind nodes that save nothing (``-loss``)."""
    found = False
    for node, leaf in walk([grad_fn], lambda node, _: not is_released(node)):
        if is_released(node):
            found = True
        elif leaf is not None or any(kind != "plain" for _, kind, _ in saved_values(node)):
            return False
    return found
