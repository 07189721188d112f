"""Derivatives and batching rules of collectives: see Note [Adjoints] in ``ops.py``."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_distributed.functional import ops
from wengert_distributed.functional.table import FORMULAS
from wengert_distributed.reduce_op import RedOpType, ReduceOp, kind_of

SUM = ReduceOp.SUM


def scale_gradient(grad: Tensor, op: Any, group: Any) -> Tensor:
    """Return the gradient of this rank's term of a sum, average or scaled sum from that of the sum."""
    kind, result = kind_of(op), grad
    if kind is RedOpType.AVG:
        result = grad / group.size()
    elif kind is RedOpType.PREMUL_SUM:
        result = grad * op.factor
    return result


def slope(self: Tensor, op: Any, group: Any) -> Tensor:
    """Return d result / d self of a product, a minimum or a maximum over ranks; ranks that tie share the latter."""
    if kind_of(op) is RedOpType.PRODUCT:
        rank, factors = group.rank(), ops.all_gather(self, group)
        return wc.cat((factors[:rank], factors[rank + 1 :])).prod(0)
    values = self.detach()
    chosen = (values == ops.all_reduce_nonlinear(values, op, group)).to(self.dtype)
    return chosen / ops.all_reduce(chosen, SUM, group)


def all_reduce_adjoint(grad: Tensor, op: Any, group: Any) -> Tensor:
    """Return the sum of the gradients of all ranks; an average is rounded once, as that of values is."""
    if kind_of(op) is RedOpType.AVG:
        return ops.all_reduce(grad, op, group)
    return scale_gradient(ops.all_reduce(grad, SUM, group), op, group)


FORMULAS.linear("all_reduce", self=all_reduce_adjoint, node="_AllReduceBackward")
FORMULAS.derivative(
    "all_reduce_nonlinear",
    self=lambda grad, self, op, group: ops.all_reduce(grad, SUM, group) * slope(self, op, group),
    jvp=lambda self_t, self, op, group: ops.all_reduce(self_t * slope(self, op, group), SUM, group),
    node="_AllReduceBackward",
)
FORMULAS.linear(
    "reduce",
    self=lambda grad, dst, op, group: scale_gradient(ops.broadcast(grad, dst, group), op, group),
    node="_ReduceBackward",
)
FORMULAS.linear("broadcast", self=lambda grad, src, group: ops.reduce(grad, src, SUM, group), node="_BroadcastBackward")
FORMULAS.linear("all_gather", self=lambda grad, group: ops.reduce_scatter(grad, SUM, group), node="_AllGatherBackward")
FORMULAS.linear(
    "reduce_scatter",
    self=lambda grad, op, group: scale_gradient(ops.all_gather(grad, group), op, group),
    node="_Reduce_ScatterBackward",
)
FORMULAS.linear("gather_stacked", self=lambda grad, dst, group: ops.scatter(grad, dst, group), node="_GatherBackward")
FORMULAS.linear("scatter_stacked", self=lambda grad, src, group: ops.gather(grad, src, group), node="_ScatterBackward")
FORMULAS.linear(
    "all_to_all_single",
    self=lambda grad, output_split_sizes, input_split_sizes, group: ops.all_to_all_single(
        grad, input_split_sizes, output_split_sizes, group
    ),
    node="_AlltoAllSingleBackward",
)


# ---- batches


def batch_stacked(call: Any) -> Any:
    """Run a collective whose input or output has dim 0 of its own: the batch becomes dim 1 of the message."""
    return call.run(self=call["self"].movedim(0, 1)).movedim(1, 0)


def batch_to_stack(call: Any) -> Any:
    """Run a collective that stacks tensors: the batch is in front of them."""
    return call.run().movedim(1, 0)


def batch_from_stack(call: Any) -> Any:
    """Run a collective that returns a row of a stack."""
    return call.run(self=call["self"].movedim(0, 1))


for NAME in ("all_reduce", "all_reduce_nonlinear", "reduce", "broadcast"):
    FORMULAS.batch(NAME, lambda call: call.run())
for NAME in ("all_gather", "gather_stacked"):
    FORMULAS.batch(NAME, batch_to_stack)
for NAME in ("reduce_scatter", "scatter_stacked"):
    FORMULAS.batch(NAME, batch_from_stack)
FORMULAS.batch("all_to_all_single", batch_stacked)
