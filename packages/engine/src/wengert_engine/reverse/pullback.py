"""Gradients for tools: of one output again and again, and of one node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert_core.tensors.tensor import Tensor

from wengert_engine.graph.fit import fit
from wengert_engine.graph.node import Node
from wengert_engine.record.node_probe import outputs
from wengert_engine.reverse.launch import run_backward
from wengert_engine.reverse.roots import input_edges, root_edges


def pullback(output: Tensor, inputs: Sequence[Tensor]) -> Callable[..., list[Tensor | None]]:
    """Return the function ``(grad_output, create_graph=False)`` that gives the gradient of each input.

    It keeps the graph, so it may be called again, and checks nothing: grad_output has the shape and the dtype of the
    output. None stands for the gradient of an input that the output does not depend on.
    Raises RuntimeError for an output or an input that does not require grad.

    >>> import wengert as wg
    >>> x = wg.tensor([1.0, 2.0], requires_grad=True)
    >>> pull = pullback(x * x, [x])
    >>> pull(wg.tensor([1.0, 0.0])), pull(wg.tensor([0.0, 1.0]))
    ([tensor([2., 0.])], [tensor([0., 4.])])
    """
    starts, ends = root_edges((output,)), input_edges(inputs)

    def gradients(grad_output: Tensor, create_graph: bool = False) -> list[Tensor | None]:
        return run_backward(starts, [grad_output], True, create_graph, ends, False)

    return gradients


def node_gradients(node: Node, grads: Sequence[Tensor | None]) -> list[Tensor | None]:
    """Run one node: return what it sends along each of ``next_functions`` for the gradients of its outputs.

    Each has the shape and the dtype of what its edge leads to; None: no gradient. The node's hooks are not called, and
    what it has saved stays.

    >>> import wengert as wg
    >>> x = wg.ones(2, requires_grad=True)
    >>> node_gradients((x * wg.ones(3, 2)).grad_fn, [wg.ones(3, 2)])
    [tensor([3., 3.]), None]
    """
    edges = node.next_functions
    found = node(*grads)
    return [None if grad is None or target is None else fit_to_target(grad, target, number, node, i)
            for i, ((target, number), grad) in enumerate(zip(edges, (found,) if len(edges) == 1 else found,
                                                             strict=True))]


def fit_to_target(grad: Tensor, target: Node, number: int, node: Node, i: int) -> Any:
    """The gradient for input i of a node, summed and converted as output ``number`` of another node needs it."""
    dtype, shape = outputs(target)[number]
    return fit(grad, shape, dtype, type(node).__name__, i)
