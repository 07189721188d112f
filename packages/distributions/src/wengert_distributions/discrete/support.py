"""The values of discrete distributions."""

from __future__ import annotations

from typing import Any

import wengert as wg
from wengert import Size, Tensor


def enumerate_integers(count: int, like: Tensor, batch_shape: Size, expand: bool, dtype: Any = None) -> Tensor:
    """Return 0, 1, ..., count - 1 along a new first dimension.

    like: a tensor of the dtype, unless another one is said, and of the device.   expand: whether to expand the values
    over the batch shape, which otherwise has sizes 1.
    """
    values = wg.arange(count, dtype=dtype or like.dtype, device=like.device).view(-1, *(1,) * len(batch_shape))
    return values.expand(-1, *batch_shape) if expand else values


def uniform_count(counts: Tensor, method: str) -> int:
    """Return the number of trials that all distributions of a batch have; NotImplementedError where they differ."""
    count = int(counts.max())
    if not counts.min() == count:
        raise NotImplementedError(f"Inhomogeneous total count not supported by `{method}`.")
    return count
