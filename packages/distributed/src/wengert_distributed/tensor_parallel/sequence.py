"""Attention over sequences that are divided among ranks, as in DeepSpeed-Ulysses (arXiv:2309.14509).

Every rank has a part of the sequence and all heads. An all_to_all gives it the whole sequence of a part of the heads,
for which it computes attention; another one returns to parts of the sequence. Each moves ``1 / ranks`` of what
gathering the sequence would.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.nn.functional import scaled_dot_product_attention
from wengert_core.extend import Tensor

from wengert_distributed.functional import ops
from wengert_distributed.groups.world import member_group
from wengert_distributed.tensor_parallel.replicated import part_size


def exchange_dims(tensor: Tensor, split_dim: int, join_dim: int, group: Any = None) -> Tensor:
    """Return a tensor that is divided among ranks along another dim, by an all_to_all.

    tensor: this rank's part along join_dim of a whole; the result is its part along split_dim. The dims differ; the
    size of split_dim is a multiple of the number of ranks, otherwise ValueError is raised. The adjoint is the exchange
    back.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.tensor_parallel.exchange_dims(wg.ones(2, 3), 1, 0).shape
    torch.Size([2, 3])
    >>> wg.distributed.destroy_process_group()
    """
    group = member_group(group)
    count, split, join = group.size(), split_dim % tensor.dim(), join_dim % tensor.dim()
    if split == join:
        raise ValueError(f"exchange_dims: the dims must differ, got {split_dim} and {join_dim} of {tensor.dim()} dims")
    size = part_size(tensor.shape[split], group, f"dim {split} of a tensor of shape {tuple(tensor.shape)}")
    parts = tensor.unflatten(split, (count, size)).movedim(split, 0)
    ones = [1] * count
    return ops.all_to_all_single(parts, ones, ones, group).movedim(0, join).flatten(join, join + 1)


def sequence_parallel_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    group: Any = None,
    attention: Callable[..., Tensor] = scaled_dot_product_attention,
    **options: Any,
) -> Tensor:
    """Return attention over a whole sequence of which each rank has a part.

    query, key, value: ``[*, heads, length / ranks, features]``, this rank's part of the sequences; the number of heads
    is a multiple of the number of ranks, otherwise ValueError is raised. attention: a function of query, key and value
    of whole sequences and some heads. options: its further arguments, as ``is_causal=True``.
    Returns ``[*, heads, length / ranks, features]``, this rank's part.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> q = wg.ones(1, 4, 3, 2)
    >>> wg.distributed.tensor_parallel.sequence_parallel_attention(q, q, q, is_causal=True).shape
    torch.Size([1, 4, 3, 2])
    >>> wg.distributed.destroy_process_group()
    """
    group = member_group(group)
    heads = [exchange_dims(tensor, -3, -2, group) for tensor in (query, key, value)]
    return exchange_dims(attention(*heads, **options), -2, -3, group)
