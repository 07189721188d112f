"""Batch normalization by the mean and the variance of the batches of all ranks, as SyncBatchNorm computes it."""

from __future__ import annotations

from math import prod
from typing import Any

import wengert
from wengert import Tensor

from wengert_distributed.groups.group import ProcessGroup
from wengert_distributed.groups.world import member_group
from wengert_distributed.nn.functional import all_reduce

HALVES: tuple[Any, ...] = (wengert.float16, wengert.bfloat16)


def sync_batch_norm(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None,
    bias: Tensor | None = None, momentum: float = 0.1, eps: float = 1e-5, group: Any = None,
) -> Tensor:  # fmt: skip
    """Normalize each channel by the mean and the variance over the batches of all ranks.

    input: ``[N, C, ...]``, floating point; N may differ between ranks and be 0. running_mean, running_var: ``[C]``,
    moved towards the mean and the unbiased variance by momentum, or None. weight, bias: ``[C]`` or None.
    float16 and bfloat16 are averaged in float32. It has derivatives of all orders; its backward has collectives, so all
    ranks run it. Raises ValueError where all ranks together have one value for a channel, and before
    init_process_group. PyTorch's ``torch.nn.SyncBatchNorm`` while training.

    >>> import wengert as wg
    >>> from wengert_distributed.nn.batch_norm import sync_batch_norm
    >>> wg.distributed.init_process_group("self")
    >>> sync_batch_norm(wg.tensor([[1.0], [3.0]]), None, None)
    tensor([[-1.0000],
            [ 1.0000]])
    >>> wg.distributed.destroy_process_group()
    """
    channels = input.shape[1]
    shape = [1, channels] + [1] * (input.dim() - 2)
    values = input.float() if input.dtype in HALVES else input
    mean, var, count = shared_statistics(values, member_group(group))
    follow(running_mean, mean, momentum)
    follow(running_var, var * (count / (count - 1)), momentum)
    result = (values - mean.reshape(shape)) * (var + eps).rsqrt().reshape(shape)
    if weight is not None:
        result = result * weight.to(values.dtype).reshape(shape)
    if bias is not None:
        result = result + bias.to(values.dtype).reshape(shape)
    return result.to(input.dtype)


def shared_statistics(values: Tensor, group: ProcessGroup) -> tuple[Tensor, Tensor, float]:
    """Return mean and biased variance of each channel over all ranks, and how many values a channel has there.

    The variance is that of differences to the mean, by a second collective: that of squares would lose digits.
    """
    dims = [dim for dim in range(values.dim()) if dim != 1]
    own = prod(values.shape[dim] for dim in dims)
    sums = all_reduce(wengert.cat([values.sum(dims), values.new_full((1,), own)]), group=group)
    count = float(sums[-1].detach())
    if count == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {values.shape} on this "
                         f"rank and 1 value on {group.size()} ranks")  # fmt: skip
    mean = sums[:-1] / count
    shape = [1, -1] + [1] * (values.dim() - 2)
    return mean, all_reduce(((values - mean.reshape(shape)) ** 2).sum(dims), group=group) / count, count


def follow(running: Tensor | None, value: Tensor, momentum: float) -> None:
    """Move a running estimate towards a value."""
    if running is not None:
        with wengert.no_grad():
            running.mul_(1 - momentum).add_(value.detach().to(running.dtype), alpha=momentum)
