"""Communication hooks that reduce gradients as they are, or in a smaller dtype, as PyTorch's default_hooks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import wengert
from wengert import Tensor

import wengert_distributed as dist
from wengert_distributed.groups.world import member_group
from wengert_distributed.interface.future import Future
from wengert_distributed.parallel.buckets import GradBucket

__all__ = [
    "allreduce_hook",
    "bf16_compress_hook",
    "bf16_compress_wrapper",
    "fp16_compress_hook",
    "fp16_compress_wrapper",
]

CommHook = Callable[[Any, GradBucket], Future]


def _allreduce_fut(process_group: Any, tensor: Tensor) -> Future:
    """Return a future of a tensor that is averaged in place."""
    work = dist.all_reduce(tensor, op=dist.ReduceOp.AVG, group=member_group(process_group), async_op=True)
    future: Future = work.get_future()
    return future.then(lambda done: tensor)


def allreduce_hook(process_group: Any, bucket: GradBucket) -> Future:
    """Average the gradients of a bucket, as without a hook.

    process_group: the ranks; None for all.   Returns a future of the flat gradients.

    >>> import wengert as wg
    >>> from wengert_distributed.comm_hooks.default_hooks import allreduce_hook
    >>> wg.distributed.init_process_group("self")
    >>> weight = wg.ones(3, requires_grad=True)
    >>> gradients = wg.distributed.DistributedGradients([weight], comm_hook=allreduce_hook)
    >>> (weight * 2).sum().backward()
    >>> weight.grad
    tensor([2., 2., 2.])
    >>> wg.distributed.destroy_process_group()
    """
    return _allreduce_fut(process_group, bucket.buffer())


def _compress_hook(dtype: Any, process_group: Any, bucket: GradBucket) -> Future:
    """Average the gradients of a bucket in another dtype."""
    buffer = bucket.buffer()

    def decompress(done: Future) -> Tensor:
        return buffer.copy_(done.value())

    return _allreduce_fut(process_group, buffer.to(dtype)).then(decompress)


def fp16_compress_hook(process_group: Any, bucket: GradBucket) -> Future:
    """Average the gradients of a bucket in float16, which halves what is sent of float32.

    The average is computed in float32 and rounded once; a gradient beyond 65504 becomes infinite.
    process_group: the ranks; None for all.   Returns a future of the flat gradients, in their own dtype.
    """
    return _compress_hook(wengert.float16, process_group, bucket)


def bf16_compress_hook(process_group: Any, bucket: GradBucket) -> Future:
    """Average the gradients of a bucket in bfloat16, which halves what is sent of float32.

    It has float32's range and 8 bits of precision. process_group: the ranks; None for all.
    Returns a future of the flat gradients, in their own dtype.
    """
    return _compress_hook(wengert.bfloat16, process_group, bucket)


def _compress_wrapper(dtype: Any, hook: CommHook, name: str) -> CommHook:
    """Return a hook that calls another one with a bucket of another dtype."""

    def reduce_compressed(hook_state: Any, bucket: GradBucket) -> Future:
        buffer = bucket.buffer()
        bucket.set_buffer(buffer.to(dtype))
        return hook(hook_state, bucket).then(lambda done: buffer.copy_(done.value()))

    reduce_compressed.__name__ = name
    return reduce_compressed


def fp16_compress_wrapper(hook: CommHook) -> CommHook:
    """Return a hook that calls another one with gradients in float16, and converts its result back."""
    return _compress_wrapper(wengert.float16, hook, "fp16_compress_wrapper_hook")


def bf16_compress_wrapper(hook: CommHook) -> CommHook:
    """Return a hook that calls another one with gradients in bfloat16, and converts its result back."""
    return _compress_wrapper(wengert.bfloat16, hook, "bf16_compress_wrapper_hook")
