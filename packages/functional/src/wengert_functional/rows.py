"""Jacobians row by row, a backward pass each, and column by column, a forward pass with tangents each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from wengert_core import TABLE
from wengert_engine import forward, no_grad
from wengert_engine.autograd import input_edges, root_edges
from wengert_engine.namespaces.forward_ad import dual_level, make_dual, unpack_dual
from wengert_engine.starting import run_backward

stack, zeros, zeros_like = TABLE.ops["stack"], TABLE.ops["zeros"], TABLE.ops["zeros_like"]
BLOCK = 65536
"""Elements of the unit vectors that are made at a time."""


def units(like: Any) -> Iterator[Any]:
    """The unit vectors of the space of a tensor, in its shape."""
    count = like.numel()
    step = max(1, min(count, BLOCK // max(count, 1)))
    for start in range(0, count, step):
        rows = min(step, count - start)
        with no_grad():
            block = zeros((rows, count), dtype=like.dtype)
            block.narrow(1, start, rows).diagonal().fill_(1)
            found = block.view((rows, *like.shape)).unbind(0)
        yield from found


def reverse_rows(output: Any, inputs: Sequence[Any], create_graph: bool) -> list[list[Any]]:
    """For each element of an output its gradients with respect to the inputs; None where there are none."""
    if not output.requires_grad:
        return [[None] * len(inputs)] * output.numel()
    edges, targets = root_edges((output,)), input_edges(inputs)
    return [run_backward(edges, [unit], True, create_graph, targets, False) for unit in units(output)]


def stacked(column: Sequence[Any], output: Any, value: Any) -> Any:
    """The Jacobian of an output for one input, of the gradients of the output's elements."""
    shape = (*output.shape, *value.shape)
    if all(gradient is None for gradient in column):
        return zeros(shape, dtype=value.dtype)
    rows = [zeros_like(value.detach()) if gradient is None else gradient for gradient in column]
    return stack(rows).view(shape)


def reverse_jacobian(output: Any, inputs: Sequence[Any], create_graph: bool) -> list[Any]:
    """The Jacobian of one output for each input, by a backward pass for each of its elements."""
    rows = reverse_rows(output, inputs, create_graph)
    return [stacked([row[index] for row in rows], output, value) for index, value in enumerate(inputs)]


def forward_columns(func: Callable[..., Sequence[Any]], inputs: Sequence[Any]) -> tuple[list[Any], list[list[Any]]]:
    """What a function gives, and for each output its Jacobian for each input: func is called once for each element of
    the inputs, with tangents. No forward-mode level may be open.
    """
    outputs: list[Any] = []
    columns: list[list[list[Any]]] = []  # for each input, for each of its elements, for each output
    with dual_level():
        for index, value in enumerate(inputs):
            columns.append([])
            for unit in units(value):
                duals = [make_dual(value, unit) if other == index else given for other, given in enumerate(inputs)]
                found = func(*duals)
                outputs = outputs or [unpack_dual(output).primal for output in found]
                columns[-1].append([forward.get(output) for output in found])
    if not outputs:
        outputs = list(func(*inputs))
    return outputs, [[beside([column[index] for column in columns[place]], output, value)
                      for place, value in enumerate(inputs)] for index, output in enumerate(outputs)]


def beside(tangents: Sequence[Any], output: Any, value: Any) -> Any:
    """The Jacobian of an output for one input, of the tangents that the input's elements gave."""
    shape = (*output.shape, *value.shape)
    if all(tangent is None for tangent in tangents):
        return zeros(shape, dtype=output.dtype)
    columns = [zeros_like(output.detach()) if tangent is None else tangent for tangent in tangents]
    return stack(columns, -1).reshape(shape)
