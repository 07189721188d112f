"""Graphs of results: a walk over their nodes, and whether a backward from them would still compute something."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from wengert_core.extend import Tensor
from wengert_engine import Node
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


MOST_OBJECTS = 10_000
"""Objects that are looked at for tensors which hooks refer to."""


def tensors_referred_to(node: Any, seen: set[int]) -> Iterator[Tensor]:
    """Yield the tensors that a node refers to beside those that it has saved, once for each reference.

    Hooks refer to them by variables, defaults and attributes; a context has what its Function was told, and attributes.
    seen: addresses of objects that have been looked at.
    """
    pending = [one for one in gc.get_referents(node) if type(one) in (dict, tuple) or isinstance(one, type)]
    while pending and len(seen) < MOST_OBJECTS:
        holder = pending.pop()
        if id(holder) in seen:
            continue
        seen.add(id(holder))
        for one in referents_of(holder):
            if isinstance(one, Tensor):
                yield one
            elif gc.is_tracked(one) and not isinstance(one, NO_HOLDERS) \
                    and (not isinstance(one, type) or is_local(one)):  # fmt: skip
                pending.append(one)


NO_HOLDERS = (Node, ModuleType, CodeType, FrameType)


def is_local(kind: type) -> bool:
    """Return whether a class was made by a function, whose variables its methods may refer to."""
    return "<locals>" in kind.__qualname__


def referents_of(holder: Any) -> Iterable[Any]:
    """Return what an object refers to; of a function without its globals, of a class what stands in it."""
    if isinstance(holder, FunctionType):
        return [one for one in (holder.__closure__, holder.__defaults__, holder.__kwdefaults__, holder.__dict__) if one]
    return list(vars(holder).values()) if isinstance(holder, type) else gc.get_referents(holder)
