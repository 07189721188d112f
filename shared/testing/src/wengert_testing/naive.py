"""A naive engine: reverse mode in about a hundred lines of NumPy, to compare the real one with.

A tensor is an array of positions (``at``) in a flat memory, so a view is an index map and knows no geometry. Every
rule of history is written out in the simplest way that is right; speed and memory do not matter. Names and key phrases
of errors are torch's, so that a program of `wengert_testing.programs` runs on either. What the steps compute, and their
names, are in `wengert_testing.naive_steps`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import numpy as np

from wengert_testing.naive_steps import RULES, Steps, rule

NUMBERS = count()


class Memory:
    """Numbers, and how often they were written to."""

    def __init__(self, values: Any) -> None:
        self.values, self.version = np.array(values, float).ravel(), 0

    def scatter(self, at: Any, g: Any) -> Any:
        """Zeros of this memory's size with ``g`` added at some positions."""
        whole = np.zeros(self.values.shape)
        np.add.at(whole, at, g)
        return whole


class Node:
    """A step of the tape. run: the gradients of the inputs from that of the output; None for a leaf."""

    def __init__(self, inputs: Any, run: Callable[[Any], Any] | None, saved: Any = (), frees: bool = False) -> None:
        self.inputs, self.run, self.saved, self.frees, self.number = inputs, run, saved, frees, next(NUMBERS)
        self.hooks: list[Any] = []
        self.keeper: Tensor | None = None  # the tensor whose grad this node's gradient is added to
        self.freed = False


def meet(a: Any, b: Any) -> bool:
    """Return whether positions of two tensors without gaps are partly the same ones, or in another order.

    Of tensors with gaps torch does not say.
    """
    gaps = [np.ptp(at) + 1 != at.size or np.unique(at).size != at.size for at in (a, b)]
    return not any(gaps) and np.intersect1d(a, b).size > 0 and not np.array_equal(a, b)


class Tensor(Steps):
    """Positions in a memory, and a history."""

    enabled = True

    def __init__(self, memory: Memory, at: Any, base: Tensor | None = None, origin: str = "") -> None:
        self.memory, self.at, self.base, self.origin, self.seen = memory, at, base, origin, memory.version
        self.node: Node | None = None
        self.grad: Any = None

    shape = property(lambda self: self.at.shape)
    value = property(lambda self: self.memory.values[self.at])

    def history(self) -> Node | None:
        """The node, made anew for a view whose memory was written to."""
        if self.base and self.seen != self.memory.version and (self.node or self.base.node):
            if self.origin:
                raise RuntimeError(f"its base or another view of its base has been modified inplace ({self.origin})")
            at, base = self.at, self.base
            if base.node:
                self.move(Node([base.node], lambda g: [self.memory.scatter(at, g)[base.at]]))
            self.seen = self.memory.version
        return self.node

    def requires_grad(self) -> bool:
        """Whether there is a history, or will be once somebody asks for it."""
        return bool(self.node or (self.base and self.seen != self.memory.version and self.base.node))

    def move(self, node: Node) -> None:
        """Continue the history; a retained gradient follows."""
        if self.node and self.node.keeper is self:
            self.node.keeper, node.keeper = None, self
        self.node = node

    # ---- views

    def view(self, change: Callable[[Any], Any], several: bool = False) -> Tensor:
        mine = change(np.arange(self.at.size).reshape(self.shape))
        origin = ("several" if several else self.origin) if Tensor.enabled else "no_grad"
        out = Tensor(self.memory, self.at.ravel()[mine], self.base or self, origin)

        def run(g: Any) -> list[Any]:
            whole = np.zeros(self.at.size)
            np.add.at(whole, mine, g)
            return [whole.reshape(self.shape)]

        if Tensor.enabled and self.history():
            out.node = Node([self.node], run)
        return out

    def detach(self) -> Tensor:
        return Tensor(self.memory, self.at)

    # ---- steps

    def apply(self, name: str, other: Tensor | None = None) -> Tensor:
        out = tensor(RULES[name][0](self.value, other and other.value))
        nodes = [t and t.history() if Tensor.enabled else None for t in (self, other)]
        kinds = {"a": self, "b": other, "o": out}
        if any(nodes):
            wanted = [kinds[want] for node, want in zip(nodes, RULES[name][2], strict=True) if node and want]
            saved = [(t, t.memory.version) for t in wanted if t]
            out.node = Node(nodes, rule(name, self.value, other and other.value, out.value), saved, bool(saved))
        return out

    def write(self, name: str, other: Tensor | None = None) -> Tensor:
        base = self.base or self
        nodes: list[Any] = [None, None]
        if Tensor.enabled:
            self.check_origin(base.node)
            if self.history() and base.node and not base.node.run:
                raise RuntimeError(("a leaf" if base is self else "a view of a leaf") + " Variable that requires grad")
            self.check_origin(self.requires_grad() or (other and other.requires_grad()))
            nodes = [t and t.history() for t in (self, other)]
        if np.unique(self.at).size != self.at.size:
            raise RuntimeError("more than one element of the written-to tensor")
        if other and other.memory is self.memory and meet(self.at, other.at):
            raise RuntimeError("some elements of the input tensor and the written-to tensor are the same")
        old, value = self.value, other and other.value
        new, before = RULES[name][0](old, value), other and other.memory.version
        self.memory.values[self.at] = new
        self.memory.version += 1
        if any(nodes):
            wants = [want for node, want in zip(nodes, RULES[name][2], strict=True) if node and want]
            kinds = {"b": (other, before), "o": (self, self.memory.version)}
            saved = [kinds[want] for want in wants if want in kinds]  # an "a" is a copy, which nobody writes to
            run = rule(name, old, value, new)
            if base is self:
                self.move(Node(nodes, run, saved, bool(wants)))
            else:
                base.move(Node([base.node, nodes[1]], lambda g: self.around(run, g), saved, True))
                self.history()
        return self

    def check_origin(self, matters: Any) -> None:
        if matters and self.origin:
            raise RuntimeError(f"is being modified inplace ({self.origin})")

    def around(self, run: Any, g: Any) -> list[Any]:
        """The gradients of a write to a view: outside it the base's passes, inside it goes through the step."""
        whole = self.memory.scatter((self.base or self).at, g)
        whole[self.at], others = run(whole[self.at])
        return [whole[(self.base or self).at], others]

    # ---- backward

    def backward(self, retain_graph: bool = False) -> None:
        root = self.find_needed("does not require grad and does not have a grad_fn")
        waiting = {root: np.ones(self.shape)}
        while waiting:
            node = max(waiting, key=lambda n: n.number)
            g = waiting.pop(node)
            for hook in node.hooks:
                g = g if (changed := hook(g)) is None else changed
            if node.keeper:
                node.keeper.grad = g if node.keeper.grad is None else node.keeper.grad + g
            if not node.run:
                continue
            if node.freed:
                raise RuntimeError("Trying to backward through the graph a second time")
            for t, version in node.saved:
                if t.memory.version != version and (t.history() or True):
                    raise RuntimeError("modified by an inplace operation")
            for source, part in zip(node.inputs, node.run(g), strict=True):
                if source:
                    waiting[source] = waiting.get(source, 0) + part
            node.freed = node.frees and not retain_graph

    def find_needed(self, phrase: str) -> Node:
        node = self.history()
        if not node:
            raise RuntimeError(phrase)
        return node

    def retain_grad(self) -> None:
        self.find_needed("can't retain_grad").keeper = self

    def register_hook(self, hook: Callable[[Any], Any]) -> None:
        self.find_needed("cannot register a hook").hooks.append(hook)

def tensor(values: Any, requires_grad: bool = False) -> Tensor:
    """A tensor of its own memory."""
    out = Tensor(Memory(values), np.arange(np.size(values)).reshape(np.shape(values)))
    if requires_grad:
        out.node = Node([], None)
        out.node.keeper = out
    return out


@contextlib.contextmanager
def no_grad() -> Iterator[None]:
    """Nothing is recorded inside."""
    before, Tensor.enabled = Tensor.enabled, False
    try:
        yield
    finally:
        Tensor.enabled = before
