"""Functional collectives, by the names and arguments of ``torch.distributed._functional_collectives``.

They return new tensors and have derivatives of all orders. They have ended when they return, so that ``wait_tensor``
has nothing to wait for. A group is a ProcessGroup, its name, or the list of its ranks.
"""

from __future__ import annotations

from typing import Any

from wengert_core.extend import Tensor

from wengert_distributed.functional import ops, reductions
from wengert_distributed.functional.coalesced import (
    all_gather_into_tensor_coalesced,
    all_gather_single_coalesced,
    all_reduce_coalesced,
    reduce_scatter_single_coalesced,
    reduce_scatter_tensor_coalesced,
)
from wengert_distributed.functional.group_argument import named_group, rows_for_ranks, split_sizes, wrapped_dim

__all__ = [
    "all_gather_into_tensor_coalesced",
    "all_gather_single",
    "all_gather_single_autograd",
    "all_gather_single_coalesced",
    "all_gather_tensor",
    "all_gather_tensor_autograd",
    "all_reduce",
    "all_reduce_coalesced",
    "all_to_all_single",
    "all_to_all_single_autograd",
    "broadcast",
    "permute_tensor",
    "reduce_scatter_single",
    "reduce_scatter_single_autograd",
    "reduce_scatter_single_coalesced",
    "reduce_scatter_tensor",
    "reduce_scatter_tensor_autograd",
    "reduce_scatter_tensor_coalesced",
    "wait_tensor",
]


def wait_tensor(tensor: Tensor) -> Tensor:
    """Return the tensor: the functional collectives have ended when they return.

    >>> import wengert as wg
    >>> wg.distributed._functional_collectives.wait_tensor(wg.ones(1))
    tensor([1.])
    """
    return tensor


def broadcast(self: Tensor, src: int, group: Any, tag: str = "") -> Tensor:
    """Return the tensor of the rank src of the world on all ranks of the group.

    self: of the same shape and dtype on all ranks.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed._functional_collectives.broadcast(wg.ones(2), 0, [0])
    tensor([1., 1.])
    >>> wg.distributed.destroy_process_group()
    """
    return ops.broadcast(self, src, named_group(group))


def all_reduce(self: Tensor, reduceOp: str, group: Any, tag: str = "") -> Tensor:
    """Return the reduction of the tensors of all ranks.

    self: of the same shape and dtype on all ranks. reduceOp: "sum", "avg", "product", "min", "max", "band", "bor" or
    "bxor". Raises RuntimeError for another one.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed._functional_collectives.all_reduce(wg.ones(2), "sum", [0])
    tensor([1., 1.])
    >>> wg.distributed.destroy_process_group()
    """
    return reductions.all_reduce(self, reductions.reduction_named(reduceOp), named_group(group))


def all_gather_single(self: Tensor, gather_dim: int, group: Any, tag: str = "") -> Tensor:
    """Return the concatenation of the tensors of all ranks along the dim gather_dim.

    self: of the same shape and dtype on all ranks. The gradient is the sum of the gradients of all ranks for this
    rank's part. Raises IndexError for a dim that there is not.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed._functional_collectives.all_gather_single(wg.ones(1, 2), 1, [0])
    tensor([[1., 1.]])
    >>> wg.distributed.destroy_process_group()
    """
    dim = wrapped_dim(self, gather_dim)
    stack = ops.all_gather(self, named_group(group))
    if self.dim() == 0:
        return stack
    return stack.movedim(0, dim).flatten(dim, dim + 1)


def reduce_scatter_single(self: Tensor, reduceOp: str, scatter_dim: int, group: Any, tag: str = "") -> Tensor:
    """Return this rank's part, along the dim scatter_dim, of the reduction of the tensors of all ranks.

    self: of the same shape and dtype on all ranks; the size of the dim is a multiple of the number of ranks, otherwise
    AssertionError is raised, as in PyTorch. reduceOp: as for ``all_reduce``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed._functional_collectives.reduce_scatter_single(wg.ones(2), "sum", 0, [0])
    tensor([1., 1.])
    >>> wg.distributed.destroy_process_group()
    """
    group, op = named_group(group), reductions.reduction_named(reduceOp)
    return reductions.reduce_scatter(rows_for_ranks(self, scatter_dim, group), op, group)


def all_to_all_single(
    self: Tensor,
    output_split_sizes: list[int] | None,
    input_split_sizes: list[int] | None,
    group: Any,
    tag: str = "",
) -> Tensor:
    """Send a part of dim 0 to each rank and return the concatenation of the parts that they have for this one.

    The sizes of the parts are passed for input and output, or None for both: equal parts. Raises AssertionError for one
    without the other, as PyTorch does.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed._functional_collectives.all_to_all_single(wg.ones(2), None, None, [0])
    tensor([1., 1.])
    >>> wg.distributed.destroy_process_group()
    """
    group = named_group(group)
    if output_split_sizes is None or input_split_sizes is None:
        if output_split_sizes is not None or input_split_sizes is not None:
            raise AssertionError(
                "output_split_sizes and input_split_sizes must either be specified together or both set to None"
            )
        output_split_sizes = input_split_sizes = split_sizes(self, None, group)
    return ops.all_to_all_single(self, output_split_sizes, input_split_sizes, group)


def permute_tensor(self: Tensor, src_dst: list[int], group: Any, tag: str = "") -> Tensor:
    """Send the tensor to the rank of the group that src_dst names and return the tensor that this rank gets.

    src_dst: for each rank the one that it sends to, so a permutation. self: of the same number of elements on all
    ranks; the result has its shape. Raises RuntimeError for another number of ranks and ones that are not there.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed._functional_collectives.permute_tensor(wg.ones(2), [0], [0])
    tensor([1., 1.])
    >>> wg.distributed.destroy_process_group()
    """
    group = named_group(group)
    rank, count = group.rank(), self.numel()
    if len(src_dst) != group.size() or not all(0 <= dst < group.size() for dst in src_dst):
        raise RuntimeError("Split sizes doesn't match total dim 0 size: src_dst has to name a rank of the group for "
                           f"each of its {group.size()} ranks, but is {src_dst}")  # fmt: skip
    outgoing = [count if dst == src_dst[rank] else 0 for dst in range(len(src_dst))]
    incoming = [count if dst == rank else 0 for dst in src_dst]
    received = ops.all_to_all_single(self.reshape(-1), incoming, outgoing, group)
    return received.reshape(self.shape) if sum(incoming) == count else received


all_gather_single_autograd = all_gather_tensor = all_gather_tensor_autograd = all_gather_single
reduce_scatter_single_autograd = reduce_scatter_tensor = reduce_scatter_tensor_autograd = reduce_scatter_single
all_to_all_single_autograd = all_to_all_single
