"""Functional collectives of several tensors, which are one message: the tensors of each dtype are joined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_distributed.functional import ops, reductions
from wengert_distributed.functional.group_argument import named_group, rows_for_ranks


def run_joined(rows: Sequence[Tensor], collective: Callable[[Tensor], Tensor]) -> list[Tensor]:
    """Return the results of a collective for tensors that are joined along their last dim and divided again."""
    results: list[Any] = [None] * len(rows)
    for dtype in dict.fromkeys(row.dtype for row in rows):
        places = [place for place, row in enumerate(rows) if row.dtype is dtype]
        sizes = [rows[place].shape[-1] for place in places]
        parts = collective(wc.cat([rows[place] for place in places], -1)).split(sizes, -1)
        for place, part in zip(places, parts, strict=True):
            results[place] = part
    return results


def all_reduce_coalesced(self: list[Tensor], reduceOp: str, group: Any, tag: str = "") -> list[Tensor]:
    """Return the reductions of several tensors, as ``all_reduce`` does of one, by one message for each dtype.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed._functional_collectives.all_reduce_coalesced([wg.ones(1)], "sum", [0])
    [tensor([1.])]
    >>> wg.distributed.destroy_process_group()
    """
    op, group = reductions.reduction_named(reduceOp), named_group(group)
    sums = run_joined([one.reshape(-1) for one in self], lambda flat: reductions.all_reduce(flat, op, group))
    return [result.reshape(one.shape) for result, one in zip(sums, self, strict=True)]


def all_gather_single_coalesced(self: list[Tensor], group: Any, tag: str = "") -> list[Tensor]:
    """Return the concatenations along dim 0 of several tensors of all ranks, by one message for each dtype.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed._functional_collectives.all_gather_single_coalesced([wg.ones(1), wg.ones(2)], [0])
    [tensor([1.]), tensor([1., 1.])]
    >>> wg.distributed.destroy_process_group()
    """
    group = named_group(group)
    stacks = run_joined([one.reshape(-1) for one in self], lambda flat: ops.all_gather(flat, group))
    return [
        stack.reshape(group.size() * (one.shape[0] if one.dim() else 1), *one.shape[1:])
        for stack, one in zip(stacks, self, strict=True)
    ]


def reduce_scatter_single_coalesced(
    inputs: list[Tensor], reduceOp: str, scatter_dim: list[int], group: Any, tag: str = ""
) -> list[Tensor]:
    """Return this rank's parts of the reductions of several tensors, by one message for each dtype.

    scatter_dim: the dim of each tensor along which ranks get parts. Raises AssertionError where there is not one for
    each tensor, or the number of ranks does not divide a size, as PyTorch does.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed._functional_collectives.reduce_scatter_single_coalesced([wg.ones(2)], "sum", [0], [0])
    [tensor([1., 1.])]
    >>> wg.distributed.destroy_process_group()
    """
    op, group = reductions.reduction_named(reduceOp), named_group(group)
    if len(scatter_dim) != len(inputs):
        raise AssertionError(f"Length of scatter_dim ({len(scatter_dim)}) must equal length of inputs ({len(inputs)})")
    stacks = [rows_for_ranks(one, dim, group) for one, dim in zip(inputs, scatter_dim, strict=True)]
    parts = run_joined([stack.flatten(1) for stack in stacks], lambda rows: reductions.reduce_scatter(rows, op, group))
    return [part.reshape(stack.shape[1:]) for part, stack in zip(parts, stacks, strict=True)]


all_gather_into_tensor_coalesced = all_gather_single_coalesced
reduce_scatter_tensor_coalesced = reduce_scatter_single_coalesced
