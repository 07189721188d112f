"""Arguments in a recorded graph that carry no gradient: where a path may have broken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from wengert_core import equal
from wengert_engine import Node

from wengert_graph.labels import short
from wengert_graph.walking import Saved, Step

COMPARED = 1 << 20
"""Elements up to which two tensors are compared by value."""


class DeadEnd(NamedTuple):
    """An argument that no gradient goes to."""

    op: str
    argument: str  # its name in quotes, or its number
    what: str
    node: Node
    line: str | None
    tensor: Any  # where it was saved

    def __str__(self) -> str:
        return f"{self.argument} of {self.op}: {self.what}" + (f" (at {self.line})" if self.line else "")


def dead_ends(steps: Iterable[Step]) -> Iterator[DeadEnd]:
    """Every tensor argument without gradient of these nodes; numbers are left out where the record tells."""
    for step in steps:
        saved = {one.name: one for one in step.saved}
        needs = getattr(step.node, "needs_input_grad", None)
        tensors = [one.tensor for one in saved.values() if one.kind == "tensor"] if needs is not None else []
        for i, edge in enumerate(step.edges):
            if edge.node is not None:
                continue
            if needs is not None:  # a Function: what it saved need not be its argument
                argument, tensor = f"tensor argument {i}", None
                what = "it does not require grad (needs_input_grad is False)"
                tensor = next((one for one in tensors if one is not None and not one.requires_grad), None)
            else:
                argument = f"'{edge.name}'" if edge.name else f"argument {i}"
                what, tensor = _describe(saved.get(edge.name))
            if what:
                yield DeadEnd(step.name, argument, what, step.node, step.line, tensor)


def _describe(saved: Saved | None) -> tuple[str, Any]:
    """What is known of an argument from what was saved of it; '' for numbers and for arguments that were not given."""
    if saved is None:
        return "a number, or a tensor that does not require grad", None
    if saved.tensor is None:
        return ("a tensor that a hook has packed", None) if saved.kind == "packed" else ("", None)
    return f"{short(saved.tensor.dtype, saved.tensor.shape)} that does not require grad", saved.tensor


def same_memory(one: Any, other: Any) -> bool:
    """Whether two tensors lie in one storage.

    >>> import wengert_core as wc
    >>> x = wc.ones(4)
    >>> same_memory(x, x[1:]), same_memory(x, x.clone())
    (True, False)
    """
    a, b = one.untyped_storage(), other.untyped_storage()
    return bool(a.size() > 0 and a.data_ptr() == b.data_ptr())


def same_values(one: Any, other: Any) -> bool:
    """Whether two tensors have shape, dtype and values in common; never for large ones, nor for single numbers.

    >>> import wengert_core as wc
    >>> same_values(wc.ones(4), wc.ones(4)), same_values(wc.ones(4), wc.ones(2))
    (True, False)
    """
    if one.shape != other.shape or one.dtype != other.dtype or not 1 < one.numel() <= COMPARED:
        return False
    return bool(equal(one.detach(), other.detach()))
