"""Jacobians: rows by a backward pass, columns by a forward pass with tangents; one by one, or together as by vmap."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from wengert_core import TABLE
from wengert_engine import grad, no_grad
from wengert_engine.extend import (
    add_batch_dim,
    batch_level,
    current_vmap_level,
    pullback,
    remove_batch_dim,
    tangent_of,
    vmap_level,
)
from wengert_engine.namespaces.forward_ad import dual_level, make_dual, unpack_dual

from wengert_functional.levels import STATE

cat, stack, zeros, zeros_like = (TABLE.ops[name] for name in ("cat", "stack", "zeros", "zeros_like"))
BLOCK = 65536
"""Elements of the unit vectors that are made at a time."""


def blocks(like: Any, rows_at_a_time: int | None = None) -> Iterator[Any]:
    """The unit vectors of the space of a tensor, some at a time: tensors with one dim more in front."""
    count = like.numel()
    step = rows_at_a_time or max(1, min(count, BLOCK // max(count, 1)))
    for start in range(0, count, step):
        rows = min(step, count - start)
        with no_grad():
            block = zeros((rows, count), dtype=like.dtype, device=like.device)
            block.narrow(1, start, rows).diagonal().fill_(1)
            found = block.view((rows, *like.shape))
        yield found


def units(like: Any) -> Iterator[Any]:
    """The unit vectors of the space of a tensor, in its shape."""
    for block in blocks(like):
        yield from block.unbind(0)


# ---- rows

def reverse_rows(output: Any, inputs: Sequence[Any], create_graph: bool) -> list[list[Any]]:
    """For each element of an output its gradients with respect to the inputs; None where there are none."""
    if not output.requires_grad:
        return [[None] * len(inputs)] * output.numel()
    pull = pullback(output, inputs)
    return [pull(unit, create_graph) for unit in units(output)]


def stack_rows(column: Sequence[Any], output: Any, value: Any) -> Any:
    """The Jacobian of an output for one input, of the gradients of the output's elements."""
    shape = (*output.shape, *value.shape)
    if all(gradient is None for gradient in column):
        return zeros(shape, dtype=value.dtype, device=value.device)
    rows = [zeros_like(value.detach()) if gradient is None else gradient for gradient in column]
    return stack(rows).view(shape)


def reverse_jacobian(output: Any, inputs: Sequence[Any], create_graph: bool,
                     chunk_size: int | None = None) -> list[Any]:
    """The Jacobian of one output for each input: backward passes for many of its elements together.

    chunk_size: for how many; 1: one by one, without batched tensors.
    """
    parts: list[list[Any]] = []
    if output.requires_grad:
        for block in blocks(output, chunk_size):
            single = chunk_size == 1
            found = grad((output,), inputs, (block[0] if single else block,), retain_graph=True,
                         create_graph=create_graph, allow_unused=True, is_grads_batched=not single)
            parts.append([gradient if gradient is None or not single else gradient.unsqueeze(0) for gradient in found])
    return [join_blocks([part[place] for part in parts], output, value) for place, value in enumerate(inputs)]


def join_blocks(parts: Sequence[Any], output: Any, value: Any) -> Any:
    """The Jacobian of an output for one input, of the gradients of blocks of the output's elements."""
    shape = (*output.shape, *value.shape)
    if not parts or any(part is None for part in parts):
        return value.new_zeros(shape)
    return (parts[0] if len(parts) == 1 else cat(list(parts))).reshape(shape)


# ---- columns

def forward_columns(func: Callable[..., Sequence[Any]], inputs: Sequence[Any],
                    randomness: str = "error", dual_level: Callable[[], Any] = dual_level,
                    ) -> tuple[list[Any], list[list[Any]]]:
    """What a function gives, and for each output its Jacobian for each input: func is called once for each input, with
    tangents for all of its elements (or for as many as BLOCK says). No forward-mode level may be open.
    """
    outputs: list[Any] = []
    columns: list[list[list[Any]]] = []  # for each input, for each block of its elements, for each output
    with dual_level():
        for index, value in enumerate(inputs):
            columns.append([])
            for block in blocks(value):
                with vmap_level(len(block), randomness) as level:
                    if randomness == "error":
                        STATE.of_tangents.add(level)
                    try:
                        unit = add_batch_dim(block, 0, level)
                        found = func(*[make_dual(value, unit) if other == index else given
                                       for other, given in enumerate(inputs)])
                        outputs = outputs or [primal_of(output) for output in found]
                        tangents = map(tangent_of, found)
                        columns[-1].append([None if tangent is None else remove_batch_dim(tangent, level, len(block))
                                            for tangent in tangents])
                    finally:
                        STATE.of_tangents.discard(level)
    if not outputs:
        outputs = list(func(*inputs))
    return outputs, [[across([column[index] for column in columns[place]], output, value)
                      for place, value in enumerate(inputs)] for index, output in enumerate(outputs)]


def primal_of(output: Any) -> Any:
    """The primal of an output; of one that is batched as the tangents are (a random one, or a gradient), the first."""
    value, level = unpack_dual(output).primal, current_vmap_level()
    return remove_batch_dim(value, level, 1)[0] if level and batch_level(value) == level else value


def across(parts: Sequence[Any], output: Any, value: Any) -> Any:
    """The Jacobian of an output for one input, of the tangents in rows that blocks of the input's elements gave."""
    shape = (*output.shape, *value.shape)
    if not parts or any(part is None for part in parts):
        return output.new_zeros(shape)
    rows = parts[0] if len(parts) == 1 else cat(list(parts))
    return rows.movedim(0, -1).reshape(shape)


def join_columns(tangents: Sequence[Any], output: Any, value: Any) -> Any:
    """The Jacobian of an output for one input, of the tangents that the input's elements gave one by one."""
    shape = (*output.shape, *value.shape)
    if all(tangent is None for tangent in tangents):
        return zeros(shape, dtype=output.dtype, device=output.device)
    columns = [zeros_like(output.detach()) if tangent is None else tangent for tangent in tangents]
    return stack(columns, -1).reshape(shape)
