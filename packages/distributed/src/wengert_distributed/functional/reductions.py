"""Reductions over ranks with derivatives, for every ReduceOp: linear ones are ops, the others are made of ops."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_distributed.functional import ops
from wengert_distributed.reduce_op import RedOpType, kind_of

LINEAR = (RedOpType.SUM, RedOpType.AVG, RedOpType.PREMUL_SUM)
BY_NAME = {kind.name.lower(): kind for kind in RedOpType}


def reduction_named(name: str) -> RedOpType:
    """Return the reduction that a functional collective names: "sum", "avg", ...; upper case is accepted.

    Raises RuntimeError for another name, as PyTorch does.
    """
    kind = BY_NAME.get(name.lower())
    if kind is None or kind is RedOpType.PREMUL_SUM:
        names = ", ".join(one for one, other in BY_NAME.items() if other is not RedOpType.PREMUL_SUM)
        raise RuntimeError(f"Unrecognized reduce_op: {name}: expected one of {names}")
    return kind


def all_reduce(tensor: Tensor, op: Any, group: Any) -> Tensor:
    """Return the reduction of the tensors of all ranks."""
    return (ops.all_reduce if kind_of(op) in LINEAR else ops.all_reduce_nonlinear)(tensor, op, group)


def reduce(tensor: Tensor, dst: int, op: Any, group: Any) -> Tensor:
    """Return the reduction on dst, zeros on the other ranks.

    Ranks other than dst need the result of a nonlinear reduction for its derivative, so that all get it.
    """
    if kind_of(op) in LINEAR:
        return ops.reduce(tensor, dst, op, group)
    result = all_reduce(tensor, op, group)
    return result if ops.is_here(dst, group) else wc.where(wc.zeros_like(result, dtype=wc.bool), result, 0)


def reduce_scatter(stack: Tensor, op: Any, group: Any) -> Tensor:
    """Return this rank's row of the reduction of stacks ``[ranks, *shape]``."""
    if kind_of(op) in LINEAR:
        return ops.reduce_scatter(stack, op, group)
    return all_reduce(stack, op, group)[group.rank()]
