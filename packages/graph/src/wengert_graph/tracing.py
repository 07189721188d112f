"""A gradient followed through the nodes between an output and an input, one node after the other."""

from __future__ import annotations

from typing import Any

from wengert_core import ones_like
from wengert_engine import Node, no_grad
from wengert_engine.extend import gradient_edge, node_gradients, zero_inputs

from wengert_graph.walking import Step, walk

Edge = tuple[Any, int]
"""A node, or None, and the number of one of its outputs."""


class Trace:
    """The graph behind an output, and what of it leads to an input.

    steps: all nodes.   needed: those that lead to the target, the output's first.   path: one way there, the shortest.
    After run(), stopped: the node where the gradient became zero or None; blown_up: where it became infinite or NaN;
    failed: the one whose derivative raised an error.
    """

    def __init__(self, steps: list[Step], start: Edge, target: Edge) -> None:
        self.steps, self.start, self.target = steps, start, target
        self._leading = self._find_leading()
        self.needed = [step for step in steps if step.node in self._leading and step.node is not target[0]]
        self.path = self._find_path()
        self.stopped: Step | None = None
        self.blown_up: Step | None = None
        self.failed: Step | None = None

    def leads(self, edge: Edge) -> bool:
        """Whether a gradient sent along an edge can reach the target."""
        node, number = edge
        if node is self.target[0]:
            return number == self.target[1]
        return node in self._leading

    def _find_leading(self) -> set[Node]:
        leading: set[Node] = set()
        for step in reversed(self.steps):  # those below come first
            for node, number in step.node.next_functions:
                if node is self.target[0]:
                    reached = number == self.target[1]
                else:
                    reached = node in leading
                if reached:
                    leading.add(step.node)
        return leading

    def _find_path(self) -> list[Step]:
        if not self.leads(self.start):
            return []
        steps = {step.node: step for step in self.steps}
        length: dict[Node, int] = {self.target[0]: 0}
        following: dict[Node, Node] = {}
        for step in reversed(self.needed):
            ways: list[Any] = [edge[0] for edge in step.node.next_functions if self.leads(edge)]
            following[step.node] = min(ways, key=lambda node: length[node])
            length[step.node] = length[following[step.node]] + 1
        path, node = [], self.start[0]
        while node is not self.target[0]:
            path.append(steps[node])
            node = following[node]
        return [*path, steps[node]]

    # ---- running

    def run(self, output: Any, grad_output: Any) -> Any:
        """The gradient that arrives at the target; None where none does."""
        waiting: dict[Edge, Any] = {self.start: ones_like(output) if grad_output is None else grad_output}
        with no_grad():
            for step in self.needed:
                grads = [waiting.pop((step.node, i), None) for i in range(len(step.outputs))]
                if any(grad is not None for grad in grads):
                    self.failed = step
                    self._send(step, grads, waiting)
                    self.failed = None
        return waiting.get(self.target)

    def _send(self, step: Step, grads: list[Any], waiting: dict[Edge, Any]) -> None:
        edges: tuple[Edge, ...] = step.node.next_functions
        sent = []
        for edge, grad in zip(edges, node_gradients(step.node, grads), strict=True):
            if grad is None or not self.leads(edge):
                continue
            sent.append(grad)
            waiting[edge] = waiting[edge] + grad if edge in waiting else grad
        if not any(_has(grad) for grad in sent) and any(_has(grad) for grad in grads if grad is not None):
            self.stopped = self.stopped or step
        if self.blown_up is None and not all(_finite(grad) for grad in sent) and all(_finite(grad) for grad in grads):
            self.blown_up = step

    def always_zero(self, step: Step) -> bool:
        """Whether the operation's derivative is zero whatever the values are."""
        zeros = zero_inputs(step.node)
        leading = [zero for zero, edge in zip(zeros, step.node.next_functions, strict=True) if self.leads(edge)]
        return all(leading)


def _has(grad: Any) -> bool:
    return bool((grad != 0).any())


def _finite(grad: Any) -> bool:
    return grad is None or bool((grad - grad == 0).all())


def trace(output: Any, target: Edge) -> Trace:
    """Follow the graph from a tensor to (node, output number).

    >>> import wengert_core as wc, wengert_engine
    >>> x = wc.ones(2, requires_grad=True)
    >>> found = trace(x.exp() * 2, gradient_edge(x))
    >>> [step.name for step in found.path], found.run(wc.ones(2), None)
    (['MulBackward0', 'ExpBackward0', 'AccumulateGrad'], tensor([5.4366, 5.4366]))
    """
    start: Any = gradient_edge(output)
    return Trace(list(walk(output)), start, target)
