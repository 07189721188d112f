"""The levels of ``wengert.func``: how deep the transforms are nested, and which graphs lie inside of them.

A transform hands its function aliases of the inputs, so that what it differentiates with respect to is its own: leaves
where the inputs do not require grad, connected views where they do (an outer transform, or tensors of the user). Inside
another transform derivatives are recorded, too. What leaves the outermost one loses a graph that ends at nothing but
such leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from wengert_core.extend import Tensor
from wengert_engine.extend import (
    DualLevelTaken,
    Transform,
    gradient_edge,
    is_dual_level_open,
    lift_to_levels,
    tangent_of,
    transforms_of_thread,
    unwrap_batched,
)
from wengert_engine.namespaces.forward_ad import make_dual

from wengert_functional import trees

STATE = transforms_of_thread


def by_either(in_a_level: Callable[[bool], Any]) -> Any:
    """The result of a transform of forward mode. Its argument: whether another dual level is open already.

    Of all threads one can have a level; where another one is faster this asks again.
    """
    while True:
        try:
            return in_a_level(is_dual_level_open())
        except DualLevelTaken:
            continue


class Level(Transform):
    """A transform that is running: a context, in which inference mode is off. leaves: those of an earlier level whose
    graph is used again.

    computes_gradients: inside of vmap tensors then say that they require grad.   inputs: what the function that is
    called may write to, beside what it makes itself; None: no function is called, or it may write to anything.
    """

    def __init__(self, leaves: Iterable[Any] = (), computes_gradients: bool = True, inputs: Any = None) -> None:
        super().__init__(computes_gradients, None if inputs is None else trees.flatten(inputs)[0], leaves)


def is_nested() -> bool:
    """Whether a transform runs inside of another one."""
    return STATE.depth > 1


def track_input(value: Any) -> Any:
    """An alias of an input that requires grad, for the level that is running; forward-mode tangents stay with it.

    It is batched in each vmap that is running, so that its gradient is one for each element of the batch; but not in
    those in which tangents alone are: there its gradient is the same for all, and a function may write it into a tensor
    of its own.
    """
    check_tensor(value)
    value = lift_to_levels(value, STATE.of_tangents)
    if value.requires_grad:
        return value.view_as(value)
    if not (value.is_floating_point() or value.is_complex()):
        raise RuntimeError(f"only Tensors of floating point dtype can require gradients, got {value.dtype}")
    return own_leaf(value)


def pass_constant(tree: Any) -> Any:
    """An argument that is not differentiated, as the function gets it: writes to it leave no history outside."""
    return trees.tree_map(lambda leaf: leaf if not isinstance(leaf, Tensor) or leaf.requires_grad
                          else without_graph(leaf), tree)


def own_leaf(value: Any) -> Any:
    """An alias that is a leaf of the level that is running."""
    leaf = value.clone() if value.is_inference() else without_graph(value)  # an inference tensor gets no gradient
    unwrap_batched(leaf).requires_grad_()
    STATE.leaves.add(node_of(leaf))
    return leaf


def node_of(tensor: Any) -> Any:
    """The node that a tensor which requires grad comes from, or that accumulates the gradient of a leaf."""
    edge = gradient_edge(tensor)
    assert edge is not None
    return edge[0]


def check_tensor(value: Any) -> None:
    if not isinstance(value, Tensor):
        raise ValueError(f"Thing passed to transform API must be Tensor, got {type(value)}")


def reaches_out(tensors: Iterable[Any]) -> bool:
    """Whether the graph of one of these tensors or of their tangents ends at a leaf that no running level has made."""
    found = [tensor for tensor in tensors if isinstance(tensor, Tensor)]
    if is_dual_level_open():
        found += [tangent for tangent in map(tangent_of, found) if tangent is not None]
    return graphs_reach_out(found)


def graphs_reach_out(tensors: Iterable[Any]) -> bool:
    edges = [gradient_edge(tensor) for tensor in tensors]  # also where vmap hides requires_grad
    waiting = [edge[0] for edge in edges if edge is not None]
    seen = set(waiting)
    while waiting:
        node = waiting.pop()
        following = node.next_functions
        if not following and node not in STATE.leaves:
            return True
        for inner, _ in following:
            if inner is not None and inner not in seen:
                seen.add(inner)
                waiting.append(inner)
    return False


def leave_level(tree: Any) -> Any:
    """A result as the level that is running gives it away: without graph, when it is the outermost level and the graph
    ends inside.
    """
    return tree if is_nested() else trees.tree_map(detach_from_level, tree)


def detach_from_level(value: Any) -> Any:
    if isinstance(value, Tensor) and gradient_edge(value) is not None and not graphs_reach_out((value,)):
        return without_graph(value, detach_from_level)
    return value


def without_graph(value: Any, of_tangent: Callable[[Any], Any] = lambda tangent: tangent) -> Any:
    """The tensor detached from its graph. A tangent of an open forward-mode level, which detach would drop, stays, with
    its own graph: it may be what somebody differentiates with respect to.
    """
    tangent = tangent_of(value) if is_dual_level_open() else None
    detached = value.detach()
    return detached if tangent is None else make_dual(detached, of_tangent(tangent))
