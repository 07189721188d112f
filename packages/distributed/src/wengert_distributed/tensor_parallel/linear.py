"""Affine maps whose weight is divided among ranks, as in Megatron-LM (arXiv:1909.08053, section 3)."""

from __future__ import annotations

from typing import Any

from wengert.nn.functional import linear
from wengert_core.extend import Tensor

from wengert_distributed.groups.world import member_group
from wengert_distributed.tensor_parallel.replicated import (
    copy_to_ranks,
    gather_from_ranks,
    reduce_from_ranks,
    scatter_to_ranks,
)


def column_parallel_linear(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, *, gather_output: bool = True, group: Any = None
) -> Tensor:
    """Compute ``input @ weight.T + bias`` of which each rank has a part of the output's features.

    input: ``[*, in_features]``, replicated. weight: ``[out_features / ranks, in_features]``, this rank's rows;
    bias: ``[out_features / ranks]``. Returns ``[*, out_features]``, replicated, or this rank's part of the last dim
    without gather_output, as ``row_parallel_linear`` takes it.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.tensor_parallel.column_parallel_linear(wg.ones(1, 2), wg.ones(3, 2))
    tensor([[2., 2., 2.]])
    >>> wg.distributed.destroy_process_group()
    """
    group = member_group(group)
    part = linear(copy_to_ranks(input, group), weight, bias)
    return gather_from_ranks(part, -1, group) if gather_output else part


def row_parallel_linear(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, *, input_is_parallel: bool = False, group: Any = None
) -> Tensor:
    """Compute ``input @ weight.T + bias`` of which each rank has a part of the input's features.

    input: ``[*, in_features]``, replicated, or this rank's part of the last dim with input_is_parallel.
    weight: ``[out_features, in_features / ranks]``, this rank's columns; bias: ``[out_features]``, replicated.
    Returns ``[*, out_features]``, replicated.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.tensor_parallel.row_parallel_linear(wg.ones(1, 2), wg.ones(3, 2))
    tensor([[2., 2., 2.]])
    >>> wg.distributed.destroy_process_group()
    """
    group = member_group(group)
    part = input if input_is_parallel else scatter_to_ranks(input, -1, group)
    total = reduce_from_ranks(linear(part, weight), group)
    return total if bias is None else total + bias
