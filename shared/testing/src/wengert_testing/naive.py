"""A naive engine: reverse mode in a hundred lines of NumPy, to compare the real one with.

A tensor is an array of positions (``at``) in a flat memory, so a view is an index map and knows no geometry. Every
rule of history is written out in the simplest way that is right; speed and memory do not matter. Names and key phrases
of errors are torch's, so that a program of `wengert_testing.programs` runs on either.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import numpy as np

NUMBERS = count()
RULES: dict[str, Any] = {  # value of (a, b); gradients of a and b from (g, a, b, out); what each of the two needs
    "add": (lambda a, b: a + b, lambda g, a, b, o: (g, g), ("", "")),
    "sub": (lambda a, b: a - b, lambda g, a, b, o: (g, -g), ("", "")),
    "mul": (lambda a, b: a * b, lambda g, a, b, o: (g * b, g * a), ("b", "a")),
    "copy": (lambda a, b: b + 0 * a, lambda g, a, b, o: (0 * g, g), ("", "")),
    "zero": (lambda a, b: 0 * a, lambda g, a, b, o: (0 * g, None), ("", "")),
    "sin": (lambda a, b: np.sin(a), lambda g, a, b, o: (g * np.cos(a), None), ("a", "")),
    "tanh": (lambda a, b: np.tanh(a), lambda g, a, b, o: (g * (1 - o * o), None), ("o", "")),
    "clone": (lambda a, b: a + 0, lambda g, a, b, o: (g, None), ("", "")),
    "sum": (lambda a, b: a.sum(), lambda g, a, b, o: (g + 0 * a, None), ("", "")),
}


class Memory:
    """Numbers, and how often they were written to."""

    def __init__(self, values: Any) -> None:
        self.values, self.version = np.array(values, float).ravel(), 0

    def scattered(self, at: Any, g: Any) -> Any:
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


class Tensor:
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
                self.move(Node([base.node], lambda g: [self.memory.scattered(at, g)[base.at]]))
            self.seen = self.memory.version
        return self.node

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
            nodes = [t and t.history() for t in (self, other)]
            self.check_origin(any(nodes))
        if np.unique(self.at).size != self.at.size:
            raise RuntimeError("more than one element of the written-to tensor")
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
        whole = self.memory.scattered((self.base or self).at, g)
        whole[self.at], others = run(whole[self.at])
        return [whole[(self.base or self).at], others]

    # ---- backward

    def backward(self, retain_graph: bool = False) -> None:
        root = self.needed("does not require grad and does not have a grad_fn")
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

    def needed(self, phrase: str) -> Node:
        node = self.history()
        if not node:
            raise RuntimeError(phrase)
        return node

    def retain_grad(self) -> None:
        self.needed("can't retain_grad").keeper = self

    def register_hook(self, hook: Callable[[Any], Any]) -> None:
        self.needed("cannot register a hook").hooks.append(hook)

    # ---- torch's names of the steps

    add = lambda self, b: self.apply("add", b)  # noqa: E731
    sub = lambda self, b: self.apply("sub", b)  # noqa: E731
    mul = lambda self, b: self.apply("mul", b)  # noqa: E731
    sin = lambda self: self.apply("sin")  # noqa: E731
    tanh = lambda self: self.apply("tanh")  # noqa: E731
    clone = lambda self: self.apply("clone")  # noqa: E731
    sum = lambda self: self.apply("sum")  # noqa: E731
    add_ = lambda self, b: self.write("add", b)  # noqa: E731
    mul_ = lambda self, b: self.write("mul", b)  # noqa: E731
    copy_ = lambda self, b: self.write("copy", b)  # noqa: E731
    sin_ = lambda self: self.write("sin")  # noqa: E731
    tanh_ = lambda self: self.write("tanh")  # noqa: E731
    zero_ = lambda self: self.write("zero")  # noqa: E731
    t = lambda self: self.view(lambda at: at.T)  # noqa: E731
    select = lambda self, d, i: self.view(lambda at: np.take(at, i, d))  # noqa: E731
    narrow = lambda self, d, i, n: self.view(lambda at: np.take(at, range(i, i + n), d))  # noqa: E731
    unsqueeze = lambda self, d: self.view(lambda at: np.expand_dims(at, d))  # noqa: E731
    expand = lambda self, *shape: self.view(lambda at: np.broadcast_to(at, shape))  # noqa: E731
    tolist = lambda self: self.value.tolist()  # noqa: E731

    def unbind(self, d: int) -> list[Tensor]:
        def part(i: int) -> Tensor:
            return self.view(lambda at: np.take(at, i, d), several=True)

        return [part(i) for i in range(self.shape[d])]


def rule(name: str, a: Any, b: Any, out: Any) -> Callable[[Any], list[Any]]:
    """The gradients of a step's operands, each summed to the operand's shape."""
    def run(g: Any) -> list[Any]:
        grads = zip(RULES[name][1](g, a, b, out), (a, b), strict=True)
        return [None if x is None else np.sum(d).reshape(()) if np.ndim(x) < np.ndim(d) else d for d, x in grads]

    return run


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
