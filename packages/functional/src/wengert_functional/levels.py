"""The levels of ``wengert.func``: how deep the transforms are nested, and which graphs lie inside of them.

A transform hands its function aliases of the inputs, so that what it differentiates with respect to is its own: leaves
where the inputs do not require grad, connected views where they do (an outer transform, or tensors of the user). Inside
another transform derivatives are recorded, too. What leaves the outermost one loses a graph that ends at nothing but
such leaves.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any

from wengert_core.extend import Tensor
from wengert_engine import inference_mode, is_inference_mode_enabled
from wengert_engine.forward import dual
from wengert_engine.graph.tensor_attributes import edge_of
from wengert_engine.modes.transforms import count_transforms
from wengert_engine.namespaces.forward_ad import make_dual

from wengert_functional import trees
from wengert_functional.captures import Guard

batching: Any = None
"""The engine's module of batched tensors, once vmap has been imported."""


class State(threading.local):
    """The transforms that are running in this thread."""

    depth = 0

    def __init__(self) -> None:
        self.leaves: set[Any] = set()
        self.of_tangents: set[int] = set()
        """The levels of vmap in which tangents alone are batched."""


STATE = State()


class LevelTaken(Exception):
    """Another thread has opened a dual level since this one looked; nothing has been called yet."""


class OwnDualLevel:
    """A dual level of a transform: a context. LevelTaken where one is open."""

    def __enter__(self) -> None:
        if not dual.enter():
            raise LevelTaken

    def __exit__(self, *error: object) -> None:
        dual.leave()


def by_either(in_a_level: Callable[[bool], Any]) -> Any:
    """The result of a transform of forward mode. Its argument: whether another dual level is open already.

    Of all threads one can have a level; where another one is faster this asks again.
    """
    while True:
        try:
            return in_a_level(dual.is_open())
        except LevelTaken:
            continue


class Level:
    """A transform that is running: a context, in which inference mode is off. leaves: those of an earlier level whose
    graph is used again.

    computes_gradients: inside of vmap tensors then say that they require grad.   inputs: what the function that is
    called may write to, beside what it makes itself; None: no function is called, or it may write to anything.
    """

    def __init__(self, leaves: Iterable[Any] = (), computes_gradients: bool = True, inputs: Any = None) -> None:
        self.leaves = leaves
        self.guard = None if inputs is None else Guard(trees.flatten(inputs)[0])
        self.batching = batching if computes_gradients else None
        self.recording = inference_mode(False) if is_inference_mode_enabled() else None

    def __enter__(self) -> None:
        if self.recording is not None:
            self.recording.__enter__()
        if self.guard is not None:
            self.guard.begin()
        STATE.depth += 1
        count_transforms(1)
        STATE.leaves.update(self.leaves)
        if self.batching is not None:
            self.batching.count_transforms(1)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        STATE.depth -= 1
        if self.guard is not None:
            self.guard.end()
        count_transforms(-1)
        if self.batching is not None:
            self.batching.count_transforms(-1)
        if not STATE.depth:
            STATE.leaves = set()
        if self.recording is not None:
            self.recording.__exit__(kind, error, trace)


def is_nested() -> bool:
    """Whether a transform runs inside of another one."""
    return STATE.depth > 1


def tracked(value: Any) -> Any:
    """An alias of an input that requires grad, for the level that is running; forward-mode tangents stay with it."""
    check_tensor(value)
    if batching is not None and batching.depth():
        value = whole(value, batching.depth())  # so that its gradient is one for each element of the batch
    if value.requires_grad:
        return value.view_as(value)
    if not (value.is_floating_point() or value.is_complex()):
        raise RuntimeError(f"only Tensors of floating point dtype can require gradients, got {value.dtype}")
    return own_leaf(value)


def passed(tree: Any) -> Any:
    """An argument that is not differentiated, as the function gets it: writes to it leave no history outside."""
    return trees.tree_map(lambda leaf: leaf if not isinstance(leaf, Tensor) or leaf.requires_grad
                          else without_graph(leaf), tree)


def own_leaf(value: Any) -> Any:
    """An alias that is a leaf of the level that is running."""
    leaf = own = value.clone() if value.is_inference() else without_graph(value)  # an inference tensor gets no gradient
    while batching is not None and batching.is_batched(own):
        own = batching.physical_of(own)
    own.requires_grad_()
    STATE.leaves.add(node_of(leaf))
    return leaf


def whole(value: Any, level: int) -> Any:
    """A tensor as one that is batched in each vmap that is running, expanded where it was not; but for those in which
    tangents alone are: there its gradient is the same for all, and a function may write it into a tensor of its own.
    """
    if not level:
        return value
    if level in STATE.of_tangents and batching.level_of(value) < level:
        return whole(value, level - 1)
    if batching.level_of(value) == level:
        physical = batching.physical_of(value)
        inner = whole(physical, level - 1)
        return value if inner is physical else batching.batched(inner, level)
    return whole(batching.lifted(value, level), level)


def node_of(tensor: Any) -> Any:
    """The node that a tensor which requires grad comes from, or that accumulates the gradient of a leaf."""
    edge = edge_of(tensor)
    assert edge is not None
    return edge[0]


def check_tensor(value: Any) -> None:
    if not isinstance(value, Tensor):
        raise ValueError(f"Thing passed to transform API must be Tensor, got {type(value)}")


def reaches_out(tensors: Iterable[Any]) -> bool:
    """Whether the graph of one of these tensors or of their tangents ends at a leaf that no running level has made."""
    found = [tensor for tensor in tensors if isinstance(tensor, Tensor)]
    if dual.is_open():
        found += [tangent for tangent in map(dual.get, found) if tangent is not None]
    return graphs_reach_out(found)


def graphs_reach_out(tensors: Iterable[Any]) -> bool:
    edges = [edge_of(tensor) for tensor in tensors]  # also where vmap hides requires_grad
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


def leaving(tree: Any) -> Any:
    """A result as the level that is running gives it away: without graph, when it is the outermost level and the graph
    ends inside.
    """
    return tree if is_nested() else trees.tree_map(loosened, tree)


def loosened(value: Any) -> Any:
    if isinstance(value, Tensor) and edge_of(value) is not None and not graphs_reach_out((value,)):
        return without_graph(value, loosened)
    return value


def without_graph(value: Any, of_tangent: Callable[[Any], Any] = lambda tangent: tangent) -> Any:
    """The tensor detached from its graph. A tangent of an open forward-mode level, which detach would drop, stays, with
    its own graph: it may be what somebody differentiates with respect to.
    """
    tangent = dual.get(value) if dual.is_open() else None
    detached = value.detach()
    return detached if tangent is None else make_dual(detached, of_tangent(tangent))
