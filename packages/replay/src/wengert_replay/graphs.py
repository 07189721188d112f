"""Graphs of results: whether a backward from them would still compute something."""

from __future__ import annotations

from typing import Any

from wengert_engine.extend import accumulated_leaf, saved_values


def is_spent(grad_fn: Any, inputs: list[Any]) -> bool:
    """Return whether a graph holds no values and leads to no argument: a replay may give the same graph again."""
    pending, seen = [grad_fn], set()
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if any(kind != "plain" for _, kind, _ in saved_values(node)):
            return False
        leaf = accumulated_leaf(node)
        if leaf is not None and any(leaf is tensor for tensor in inputs):
            return False
        pending += [following for following, _ in node.next_functions if following is not None]
    return True
