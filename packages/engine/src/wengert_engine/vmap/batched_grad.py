"""Gradients and tangents inside of vmap: graphs are of physical tensors.

Note [Levels of a graph and of what goes through it]
    A batched tensor is *peeled* to the plain tensor below all its levels, whose first dims are those of the levels,
    the outermost first. The graph of a backward has the levels that its outputs and inputs have. Its cotangents may
    have others: those stay batched tensors, of the shape of the graph's tensors, and formulas' operations batch them.
    So it is with tangents.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert_core.tensors.tensor import Tensor

from wengert_engine.forward import dual
from wengert_engine.graph.gradient_edge import GradientEdge
from wengert_engine.graph.tensor_attributes import edge_of
from wengert_engine.reverse.launch import run_backward
from wengert_engine.vmap.batched_tensor import is_batched, level_of, physical_of, wrap_batched
from wengert_engine.vmap.level_stack import enter, leave, outside, size_of

Levels = list[int]


def peel_levels(t: Any) -> tuple[Any, Levels]:
    """The tensor below all levels, and these, the outermost first: its first dims."""
    found = []
    while is_batched(t):
        found.append(level_of(t))
        t = physical_of(t)
    return t, found[::-1]


def arrange_dims(t: Any, levels: Levels, wanted: Levels) -> Any:
    """A peeled tensor with the dims of other levels in front: moved, and expanded where one is missing."""
    if levels == wanted:
        return t
    with outside():
        missing = [level for level in wanted if level not in levels]
        if missing:
            t = t.expand(*[size_of(level) for level in missing], *t.shape)
        have = missing + levels
        return t.permute([have.index(level) for level in wanted] + list(range(len(have), t.ndim)))


def wrap_levels(t: Any, levels: Levels) -> Any:
    """A tensor with the dims of these levels in front, as a batched tensor."""
    for level in levels:
        t = wrap_batched(t, level)
    return t


def for_graph(t: Any, graph: Levels) -> Any:
    """A tensor as it goes through a graph of these levels: batched by its other levels alone."""
    if dual.is_open():
        for level in graph:
            if has_level(t, level) and level not in peel_levels(t)[1]:
                t = lift(t, level)
    plain, levels = peel_levels(t)
    others = [level for level in levels if level not in graph]
    return wrap_levels(arrange_dims(plain, levels, others + graph), others)


def from_graph(t: Any, graph: Levels) -> Any:
    """What has come through a graph of these levels, as a batched tensor of all its levels."""
    plain, others = peel_levels(t)
    if not graph:
        return t
    return wrap_levels(arrange_dims(plain, others + graph, sorted(others + graph)), sorted(others + graph))


def gradients(roots: Sequence[Any], weights: Sequence[Any], targets: Sequence[Any], keep: bool,
              create_graph: bool) -> list[Any]:
    """The gradients of the inputs, None for one that was not reached."""
    ends = [peel_levels(t) if isinstance(t, Tensor) else (t, []) for t in targets]
    starts = [peel_levels(t) if isinstance(t, Tensor) else (t, []) for t in roots]
    graph = sorted({level for _, levels in ends + starts for level in levels})
    check_inputs(ends, graph)
    edges = [edge_to(arrange_dims(t, levels, graph) if isinstance(t, Tensor) else t) for t, levels in starts]
    given = [for_graph(weight, graph) for weight in weights]
    inputs = [edge_to(t) for t, _ in ends]
    if any(is_batched(weight) for weight in given):
        found = run_backward(edges, given, keep, create_graph, inputs, False)
    else:
        with outside():
            found = run_backward(edges, given, keep, create_graph, inputs, False)
    return [None if gradient is None else from_graph(gradient, graph) for gradient in found]


def edge_to(end: Any) -> Any:
    return (end.node, end.output_nr) if isinstance(end, GradientEdge) else edge_of(end)


def check_inputs(ends: list[tuple[Any, Levels]], graph: Levels) -> None:
    """RuntimeError for an input whose gradient would be summed over the batch."""
    for index, (_, levels) in enumerate(ends):
        if levels != graph:
            raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn inside of vmap: "
                               f"input {index} of grad() is not batched while an output or another input is, so its "
                               "gradient for each element of the batch cannot be told apart. Use wengert.func.grad "
                               "inside of vmap")


def rows_of(roots: Sequence[Any], given: Sequence[Any], targets: Sequence[Any], rows: int, keep: bool,
            create_graph: bool) -> list[Any]:
    """Gradients for cotangents that are numbered by their first dim; so are the results."""
    level = enter(rows, "error")
    try:
        found = gradients(roots, [wrap_batched(weight, level) for weight in given], targets, keep, create_graph)
        return [None if gradient is None else row_tensor(gradient, level, rows) for gradient in found]
    finally:
        leave()


def row_tensor(gradient: Any, level: int, rows: int) -> Any:
    if level_of(gradient) == level:
        return physical_of(gradient)
    return gradient.expand(rows, *gradient.shape)


# ---- tangents

def get_tangent(t: Any) -> Any:
    """The tangent of a batched tensor, or None."""
    plain, levels = peel_levels(t)
    found = dual.get(plain)
    return None if found is None else from_graph(found, levels)


def put_tangent(t: Any, tangent: Any) -> None:
    """Give a batched tensor a tangent, or any tensor a batched one."""
    plain, levels = peel_levels(t)
    dual.put(plain, for_graph(tangent, levels), True)


def primal_of(t: Any, of_transform: bool) -> Any:
    """A batched tensor without its tangent."""
    plain, levels = peel_levels(t)
    return wrap_levels(dual.primal_of(plain, of_transform), levels)


def has_level(t: Any, level: int) -> bool:
    """Whether the tangent of a tensor is another for each element of a level's batch."""
    tangent = dual.get(t)
    return tangent is not None and level in peel_levels(tangent)[1]


def lift(t: Any, level: int) -> Any:
    """A tensor that is not batched in a level as one that is, expanded; its tangent stays with it."""
    tangent = dual.get(t) if dual.is_open() else None
    enabled = dual.is_enabled()
    dual.switch(False)
    try:
        with outside(level - 1):
            physical = t.expand(size_of(level), *t.shape)
            if tangent is not None:
                physical = physical.contiguous()  # a tangent has the layout of its primal
    finally:
        dual.switch(enabled)
    found = wrap_batched(physical, level)
    if tangent is not None:
        put_tangent(found, tangent)
    return found


def with_tangents(values: list[Any], level: int) -> list[Any]:
    """The arguments of an operation that is batched in a level: those that only a tangent of theirs is, lifted."""
    return [lift_output(value, level) for value in values]


def lift_output(value: Any, level: int) -> Any:
    if isinstance(value, Tensor):
        return lift(value, level) if level_of(value) < level and has_level(value, level) else value
    if isinstance(value, (tuple, list)) and any(isinstance(part, Tensor) for part in value):
        return type(value)([lift_output(part, level) for part in value])
    return value
