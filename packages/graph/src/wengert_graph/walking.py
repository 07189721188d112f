"""walk: every node of a recorded graph once, from the outputs to the leaves."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import Any, NamedTuple

from wengert_core.extend import Tensor
from wengert_engine import Node
from wengert_engine.extend import (
    accumulated_leaf,
    gradient_edge,
    input_names,
    is_released,
    node_outputs,
    saved_values,
)

from wengert_graph.source import line_of


class Edge(NamedTuple):
    """Where the gradient of one input goes. node: None where no gradient is needed."""

    node: Node | None
    output_nr: int
    name: str  # what the operation calls the input; '' where unknown


class Saved(NamedTuple):
    """A value that a node keeps for its formula."""

    name: str
    kind: str  # 'tensor', 'output', 'packed' (by a hook), 'several' (a tuple of these) or 'plain'
    value: Any

    @property
    def tensor(self) -> Tensor | None:
        """The tensor that is kept; None for other values, and for what a hook has packed into something else."""
        return self.value if isinstance(self.value, Tensor) else None


class Step(NamedTuple):
    """One node of a walk; what it holds is read when it is asked for.

    >>> import wengert as wg
    >>> step = next(wg.autograd.graph.walk(wg.ones(2, requires_grad=True).exp()))
    >>> step.name, step.outputs, step.saved[0].tensor.tolist(), step.released
    ('ExpBackward0', ((torch.float32, (2,)),), [2.7182817459106445, 2.7182817459106445], False)
    """

    number: int
    node: Node

    @property
    def name(self) -> str:
        """MulBackward0, AccumulateGrad, ..."""
        return type(self.node).__name__

    @property
    def leaf(self) -> Tensor | None:
        """The leaf whose gradient ends here; None for operations."""
        return accumulated_leaf(self.node)

    @property
    def edges(self) -> tuple[Edge, ...]:
        """One for each differentiable input, in their order."""
        pairs = self.node.next_functions
        return tuple(Edge(node, nr, name) for (node, nr), name in
                     zip(pairs, input_names(self.node), strict=True))

    @property
    def saved(self) -> tuple[Saved, ...]:
        """What is kept for the derivative, as it is stored: nothing is checked, no unpack hook is called."""
        return tuple(Saved(*one) for one in saved_values(self.node))

    @property
    def outputs(self) -> tuple[tuple[Any, tuple[int, ...]], ...]:
        """(dtype, shape) of each output of the operation."""
        return node_outputs(self.node)

    @property
    def released(self) -> bool:
        """Whether backward has freed what was saved."""
        return is_released(self.node)

    @property
    def line(self) -> str | None:
        """The line of the program that recorded the node, where anomaly mode was on."""
        return line_of(self.node)


def root_nodes(root: Any) -> list[Node]:
    """The nodes that a tensor, a node, a gradient edge or a sequence of these begins with.

    Raises TypeError for anything else, RuntimeError for a tensor without history, ValueError for a sequence that
    contains itself.
    """
    try:
        return _nodes_of(root)
    except RecursionError:
        raise ValueError(f"a {type(root).__name__} of roots contains itself, or is nested too deep") from None


def _nodes_of(root: Any) -> list[Node]:
    if isinstance(root, Node):
        return [root]
    if isinstance(root, Tensor):
        edge = gradient_edge(root)
        if edge is None:
            raise RuntimeError("the tensor does not require grad and has no grad_fn: nothing is recorded. "
                               "wengert.autograd.graph.explain_grad(output, input) says why")
        return [edge[0]]
    if isinstance(getattr(root, "node", None), Node):
        return [root.node]
    if isinstance(root, list | tuple):
        return [node for one in root for node in _nodes_of(one)]
    raise TypeError(f"expected a tensor, a node, a GradientEdge or a sequence of these, got {type(root).__name__}")


def walk(root: Any) -> Iterator[Step]:
    """Every node of the graph behind ``root`` once; a node comes before those its edges lead to, leaves come last.

    root: a tensor, a node (``grad_fn``), a gradient edge, or a sequence of these.
    Yields steps with ``number``, ``node``, ``name``, ``edges``, ``saved``, ``outputs``, ``leaf``, ``line``. The walk
    is no recursion and looks only: no hook runs, nothing is checked or changed.
    Raises RuntimeError for a tensor that nothing was recorded for.

    >>> import wengert as wg
    >>> x = wg.ones(2, requires_grad=True)
    >>> for step in wg.autograd.graph.walk((x * 3).exp().sum()):
    ...     print(step.number, step.name, [edge.name for edge in step.edges], [saved.name for saved in step.saved])
    0 SumBackward0 ['self'] ['dim', 'keepdim']
    1 ExpBackward0 ['self'] ['result']
    2 MulBackward0 ['self', 'other'] ['other']
    3 AccumulateGrad [] []
    """
    return _steps(root_nodes(root))


def _steps(roots: list[Node]) -> Iterator[Step]:
    # An edge leads to a smaller sequence number, so the largest that waits has no unseen predecessor.
    seen: set[Node] = set()
    waiting: list[tuple[int, int, Node]] = []
    leaves: list[Node] = []
    found = roots
    index = 0
    while True:
        for node in found:
            if node not in seen:
                seen.add(node)
                if accumulated_leaf(node) is not None:
                    leaves.append(node)
                else:
                    heappush(waiting, (-node._sequence_nr(), len(seen), node))
        if not waiting:
            break
        node = heappop(waiting)[2]
        yield Step(index, node)
        index += 1
        found = [target for target, _ in node.next_functions if target is not None]
    for node in leaves:
        yield Step(index, node)
        index += 1
