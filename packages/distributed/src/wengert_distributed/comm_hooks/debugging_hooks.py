"""Communication hooks for measurements."""

from __future__ import annotations

from typing import Any

from wengert_distributed.interface.future import Future
from wengert_distributed.parallel.buckets import GradBucket

__all__ = ["noop_hook"]


def noop_hook(_: Any, bucket: GradBucket) -> Future:
    """Reduce nothing: each rank keeps its own gradients. For measuring what the communication costs."""
    future = Future()
    future.set_result(bucket.buffer())
    return future
