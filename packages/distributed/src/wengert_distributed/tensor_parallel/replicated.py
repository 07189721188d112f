"""Ops between tensors that all ranks hold alike and tensors of which each rank holds a part.

Note [Replicated gradients]
    Here all ranks compute the same loss from the same replicated tensors, and the gradient of a replicated tensor is
    replicated, too: the gradient of the one loss, not of the sum of equal ones. So each op has the adjoint of what one
    process would compute: a replicated tensor that parts are computed from gets the sum of what they contribute
    (copy_to_ranks), and a sum that all ranks get passes its gradient on (reduce_from_ranks). The adjoints are these ops
    again, so that derivatives of all orders are those of one process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert_core.extend import Tensor

from wengert_distributed.functional.ops import collective, run_all_gather, run_all_reduce
from wengert_distributed.functional.table import FORMULAS, TABLE
from wengert_distributed.groups.world import member_group
from wengert_distributed.reduce_op import ReduceOp


def run_sum(self: Tensor, group: Any) -> Tensor:
    """Sum a copy over all ranks."""
    return run_all_reduce(self, ReduceOp.SUM, group)


def same(sizes: Sequence[int], strides: Sequence[int], offset: int, group: Any) -> Any:
    """Return the geometry of the whole tensor."""
    return sizes, strides, offset


def own_row(sizes: Sequence[int], strides: Sequence[int], offset: int, group: Any) -> Any:
    """Return the geometry of this rank's row."""
    return sizes[1:], strides[1:], offset + group.rank() * strides[0]


copy_op: Callable[..., Tensor] = TABLE.view(
    "copy_to_ranks(Tensor self, object group) -> Tensor", geometry=same, method=False,
    doc="Return the replicated tensor, from which each rank computes a part.",
)  # fmt: skip
row_op: Callable[..., Tensor] = TABLE.view(
    "row_of_rank(Tensor self, object group) -> Tensor", geometry=own_row, method=False,
    doc="Return this rank's row of a replicated stack.",
)  # fmt: skip
TABLE.hidden.update(("copy_to_ranks", "row_of_rank"))
reduce_op = collective("reduce_from_ranks(Tensor self, object group) -> Tensor", run_sum,
                       "Return the replicated sum of the parts of all ranks.")  # fmt: skip
stack_op = collective("stack_from_ranks(Tensor self, object group) -> Tensor", run_all_gather,
                      "Return the replicated stack of the parts of all ranks.")  # fmt: skip

FORMULAS.linear("copy_to_ranks", self=lambda grad, group: reduce_op(grad, group))
FORMULAS.linear("reduce_from_ranks", self=lambda grad, group: copy_op(grad, group))
FORMULAS.linear("row_of_rank", self=lambda grad, group: stack_op(grad, group))
FORMULAS.linear("stack_from_ranks", self=lambda grad, group: row_op(grad, group))
FORMULAS.batch("copy_to_ranks", lambda call: call.run())
FORMULAS.batch("reduce_from_ranks", lambda call: call.run())
FORMULAS.batch("row_of_rank", lambda call: call.run(self=call["self"].movedim(0, 1)))
FORMULAS.batch("stack_from_ranks", lambda call: call.run().movedim(1, 0))


def copy_to_ranks(tensor: Tensor, group: Any = None) -> Tensor:
    """Return a replicated tensor, a view, for computing a part on each rank; backward sums the gradients of all ranks.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.tensor_parallel.copy_to_ranks(wg.ones(2))
    tensor([1., 1.])
    >>> wg.distributed.destroy_process_group()
    """
    return copy_op(tensor, member_group(group))


def reduce_from_ranks(tensor: Tensor, group: Any = None) -> Tensor:
    """Return the sum of the tensors of all ranks, on all ranks; backward passes the replicated gradient on.

    tensor: of the same shape and dtype on all ranks.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.tensor_parallel.reduce_from_ranks(wg.ones(2))
    tensor([1., 1.])
    >>> wg.distributed.destroy_process_group()
    """
    return reduce_op(tensor, member_group(group))


def scatter_to_ranks(tensor: Tensor, dim: int = -1, group: Any = None) -> Tensor:
    """Return this rank's part of a replicated tensor, along a dim; backward concatenates the gradients of all ranks.

    The size of the dim is a multiple of the number of ranks, otherwise ValueError is raised. The result is a view.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.tensor_parallel.scatter_to_ranks(wg.ones(2))
    tensor([1., 1.])
    >>> wg.distributed.destroy_process_group()
    """
    group = member_group(group)
    dim %= tensor.dim()
    part = part_size(tensor.shape[dim], group, f"dim {dim} of a tensor of shape {tuple(tensor.shape)}")
    return row_op(tensor.unflatten(dim, (group.size(), part)).movedim(dim, 0), group)


def gather_from_ranks(tensor: Tensor, dim: int = -1, group: Any = None) -> Tensor:
    """Concatenate the tensors of all ranks along a dim, on all ranks; backward returns this rank's part.

    tensor: of the same shape and dtype on all ranks.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.tensor_parallel.gather_from_ranks(wg.ones(2))
    tensor([1., 1.])
    >>> wg.distributed.destroy_process_group()
    """
    dim %= tensor.dim()
    return stack_op(tensor, member_group(group)).movedim(0, dim).flatten(dim, dim + 1)


def part_size(size: int, group: Any, what: str) -> int:
    """Return the size of a rank's part. Raises ValueError where the ranks do not get parts of one size."""
    count = group.size()
    if size % count:
        raise ValueError(f"{what}: the size {size} is not divisible by the {count} ranks of the group")
    return int(size // count)
