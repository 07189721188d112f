"""Ops of collectives. Each is one node of the graph and is computed by the functions of ``wengert.distributed``.

Note [Collectives in the graph]
    An op returns a new tensor and leaves its input as it is. Tensors of several ranks are stacked: ``all_gather`` gives
    ``[ranks, *shape]``. Only ranks that take part in the forward call and record it take part in its backward call, so
    an input requires grad on all ranks or on none, on a rank whose values are not read (a receiver of ``broadcast``) as
    well. The same holds for tangents and for the batches of vmap.

Note [Order of collectives in backward]
    The engine runs nodes in the reverse order of their creation: a node becomes ready only after all that use its
    outputs, and these are younger; of those that are ready it takes the youngest. So every rank runs the adjoints of
    its collectives exactly in the reverse order of the calls, whatever lies between them and however many paths are
    independent of each other. Ranks that call the same collectives in the same order and use each result in the loss
    agree in backward as well. A result that a rank does not need is added to its loss with the factor 0.

Note [Adjoints]
    The gradient is that of the sum of the losses of all ranks, as in PyTorch: the adjoint of a sum that all ranks get
    is the sum of the gradients of all ranks. ``tensor_parallel`` has the ops for a loss that all ranks compute alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor

import wengert_distributed as dist
from wengert_distributed.functional.table import TABLE

CONTIGUOUS = wc.contiguous_format


def collective(schema: str, stages: Callable[..., Any], doc: str) -> Callable[..., Tensor]:
    """Add the row of a collective, which is no function of ``wengert`` itself."""
    op: Any = TABLE.staged(schema, stages=stages, reference=None, out=False, method=False, doc=doc)
    TABLE.hidden.add(op.name)
    return op  # type: ignore[no-any-return]


def own_copy(tensor: Tensor) -> Tensor:
    """Return a contiguous copy, which a collective may write to."""
    return tensor.clone(memory_format=CONTIGUOUS)


def new_stack(tensor: Tensor, group: Any) -> Tensor:
    """Return memory for a tensor of each rank."""
    return tensor.new_empty((group.size(), *tensor.shape))


def is_here(rank: int, group: Any) -> bool:
    """Return whether this process is a rank of the world."""
    return bool(group.ranks[group.rank()] == rank)


# ---- stages


def run_all_reduce(self: Tensor, op: Any, group: Any) -> Tensor:
    """Reduce a copy on all ranks."""
    result = own_copy(self)
    dist.all_reduce(result, op, group)
    return result


def run_reduce(self: Tensor, dst: int, op: Any, group: Any) -> Tensor:
    """Reduce a copy; what a transport leaves on the ranks that get nothing is replaced by zeros."""
    result = own_copy(self)
    dist.reduce(result, dst, op, group)
    return result if is_here(dst, group) else result.zero_()


def run_broadcast(self: Tensor, src: int, group: Any) -> Tensor:
    """Copy the tensor of src; the values of another rank's tensor are not read."""
    result = own_copy(self) if is_here(src, group) else wc.empty_like(self, memory_format=CONTIGUOUS)
    dist.broadcast(result, src, group)
    return result


def run_all_gather(self: Tensor, group: Any) -> Tensor:
    """Stack the tensors of all ranks."""
    result = new_stack(self, group)
    dist.all_gather_into_tensor(result, self.contiguous().unsqueeze(0), group)
    return result


def run_reduce_scatter(self: Tensor, op: Any, group: Any) -> Tensor:
    """Reduce stacks and return this rank's row."""
    result = self.new_empty(self.shape[1:])
    dist.reduce_scatter_tensor(result.unsqueeze(0), self.contiguous(), op, group)
    return result


def run_gather(self: Tensor, dst: int, group: Any) -> Tensor:
    """Stack the tensors of all ranks on dst; the other ranks get zeros, as in PyTorch."""
    if not is_here(dst, group):
        dist.gather(self.contiguous(), None, dst, group)
        return new_stack(self, group).zero_()
    result = new_stack(self, group)
    dist.gather(self.contiguous(), list(result.unbind(0)), dst, group)
    return result


def run_scatter(self: Tensor, src: int, group: Any) -> Tensor:
    """Return this rank's row of the stack of src; the values of another rank's stack are not read."""
    result = self.new_empty(self.shape[1:])
    rows = list(self.contiguous().unbind(0)) if is_here(src, group) else None
    dist.scatter(result, rows, src, group)
    return result


def run_all_to_all_single(
    self: Tensor, output_split_sizes: Sequence[int], input_split_sizes: Sequence[int], group: Any
) -> Tensor:
    """Send rows to all ranks and return the rows received."""
    result = self.new_empty((sum(output_split_sizes), *self.shape[1:]))
    dist.all_to_all_single(result, self.contiguous(), list(output_split_sizes), list(input_split_sizes), group)
    return result


# ---- rows

all_reduce = collective(
    "all_reduce(Tensor self, object op, object group) -> Tensor", run_all_reduce,
    "Return the sum, average or scaled sum of the tensors of all ranks.",
)  # fmt: skip
all_reduce_nonlinear = collective(
    "all_reduce_nonlinear(Tensor self, object op, object group) -> Tensor", run_all_reduce,
    "Return the product, minimum, maximum or a bitwise reduction of the tensors of all ranks.",
)  # fmt: skip
reduce = collective(
    "reduce(Tensor self, int dst, object op, object group) -> Tensor", run_reduce,
    "Return the sum, average or scaled sum of the tensors of all ranks on dst, zeros elsewhere.",
)  # fmt: skip
broadcast = collective(
    "broadcast(Tensor self, int src, object group) -> Tensor", run_broadcast, "Return the tensor of src."
)
all_gather = collective(
    "all_gather(Tensor self, object group) -> Tensor", run_all_gather, "Return the stacked tensors of all ranks."
)
reduce_scatter = collective(
    "reduce_scatter(Tensor self, object op, object group) -> Tensor", run_reduce_scatter,
    "Return this rank's row of the sum, average or scaled sum of the stacks of all ranks.",
)  # fmt: skip
gather = collective(
    "gather_stacked(Tensor self, int dst, object group) -> Tensor", run_gather,
    "Return the stacked tensors of all ranks on dst, zeros elsewhere.",
)  # fmt: skip
scatter = collective(
    "scatter_stacked(Tensor self, int src, object group) -> Tensor", run_scatter,
    "Return this rank's row of the stack of src.",
)  # fmt: skip
all_to_all_single = collective(
    "all_to_all_single(Tensor self, int[] output_split_sizes, int[] input_split_sizes, object group) -> Tensor",
    run_all_to_all_single, "Return the rows that all ranks have for this one.",
)  # fmt: skip
