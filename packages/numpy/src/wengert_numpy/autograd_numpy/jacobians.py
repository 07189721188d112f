"""Jacobians: all rows in one backward pass, over a batch of unit vectors, or one after the other."""

from __future__ import annotations

from typing import Any

import numpy
import wengert as wg
from wengert import Tensor

from wengert_numpy.autograd_numpy.arrays.faces import DisableTorchFunctionSubclass
from wengert_numpy.autograd_numpy.containers import call_plain, to_plain
from wengert_numpy.autograd_numpy.depth import STATE
from wengert_numpy.autograd_numpy.tracing import Point, conjugate, differentiate, gradients, warn_independent

FEW = 4
"""Up to so many rows, one backward pass for each is faster than a batch."""


def jacobian_rows(point: Point) -> Any:
    """Return the Jacobians by each leaf of the argument, in its form, as tensors."""
    y = point.y
    if isinstance(y, (list, tuple, dict)) or not isinstance(y, (Tensor, numpy.ndarray, numpy.generic, float, complex)):
        raise TypeError(
            f"jacobian: the function must return an array or a number, not {type(y).__name__}: join the "
            "parts with concatenate or stack"
        )
    t = to_plain(y)
    shape = tuple(t.shape)
    if not t.requires_grad:
        warn_independent()
        blocks = [None] * len(point.variables)
    elif t.is_complex() and not any(call_plain(Tensor.is_complex, one) for one in point.variables):
        parts = [blocks_of(part, point.variables, point.nested or STATE.depth > 0) for part in (wg.real(t), wg.imag(t))]
        blocks = [complex_block(*both) for both in zip(*parts, strict=True)]
    else:
        blocks = blocks_of(t, point.variables, point.nested or STATE.depth > 0)
    found = []
    for block, leaf in zip(blocks, point.variables, strict=True):
        of_leaf = (*shape, *leaf.shape)
        if block is None:
            block = wg.zeros(of_leaf, dtype=call_plain(getattr, leaf, "dtype"))
        found.append(block.reshape(of_leaf))
    return point.rebuild(found)


def complex_block(real: Any, imag: Any) -> Any:
    """Return the derivatives of complex numbers by real ones; None where they do not depend on them."""
    if real is None and imag is None:
        return None
    zeros = call_plain(wg.zeros_like, imag if real is None else real)
    return call_plain(wg.complex, zeros if real is None else real, zeros if imag is None else imag)


def blocks_of(y: Any, inputs: list[Any], create: bool) -> list[Any]:
    """Return the derivatives of each element of a tensor, along the first axis; None for unused inputs."""
    n = y.numel()
    units = call_plain(lambda: wg.eye(n, dtype=y.dtype).reshape(n, *y.shape))
    if n > FEW:
        batched = batched_blocks(y, inputs, units, create)
        if batched is not None:
            return batched
    rows = [gradients([y], inputs, [units[i]], True, create) for i in range(n)]
    return [stack([row[i] for row in rows], one) for i, one in enumerate(inputs)]


def batched_blocks(y: Any, inputs: list[Any], units: Any, create: bool) -> list[Any] | None:
    """Return the blocks by one backward pass; None where an operation, as the user's own, cannot run on batches."""
    with DisableTorchFunctionSubclass():
        try:
            found = differentiate(
                [y], inputs, [units], retain_graph=True, create_graph=create, allow_unused=True, is_grads_batched=True
            )
            return [None if one is None else conjugate(one) for one in found]
        except (RuntimeError, TypeError, NotImplementedError):
            return None


def stack(rows: list[Any], leaf: Any) -> Any:
    """Return the rows of a block as a tensor; None where all are None."""
    if all(row is None for row in rows):
        return None
    filled = [call_plain(wg.zeros_like, leaf) if row is None else row for row in rows]
    return call_plain(wg.stack, filled)
