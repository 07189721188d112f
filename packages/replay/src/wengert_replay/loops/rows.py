"""Rows: parts of a tensor at numbers that differ between iterations, as copies with the strides of a view.

Note [Windows have one length]
    The recorded part ``xs[i:i + 2]`` is read at the numbers ``i`` and ``i + 1``. A slice that has another length in
    another iteration, that begins below 0 or is cut short at the end of its dim, is read at a number that is out of
    range, which is an error. In a replay such a call runs as usual then; in a recording the construct is no loop.
"""

from __future__ import annotations

from typing import Any

from wengert_core import TABLE, int64
from wengert_core.extend import Tensor
from wengert_engine import Function, is_grad_enabled

from wengert_replay.recording.watch import number_of

arange, where = TABLE.ops["arange"], TABLE.ops["where"]


def read_part(tensor: Any, dim: int, index: Any, step: int) -> Any:
    """Return the part of a tensor at indices along a dim, which are ``step`` apart."""
    if tensor.requires_grad and is_grad_enabled():
        return PartRead.apply(tensor, dim, index, step)
    return pick(tensor, dim, index, step)


def pick(tensor: Any, dim: int, index: Any, step: int) -> Any:
    """Return a copy of a tensor at indices along a dim, with the strides of a view."""
    part = tensor[(slice(None),) * dim + (index,)]
    strides = tuple([one * step if k == dim else one for k, one in enumerate(tensor.stride())])
    if part.stride() == strides:
        return part
    last = sum((size - 1) * one for size, one in zip(part.shape, strides, strict=True))
    room = part.new_empty(1 + last if part.numel() else 0)
    return room.as_strided(tuple(part.shape), strides).copy_(part)


class PartRead(Function):
    """The part of a tensor at indices. Its gradient is put into zeros, as that of a view is."""

    _inside_transforms = True

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, dim: int, index: Tensor, step: int) -> Any:
        ctx.dim, ctx.shape = dim, tuple(tensor.shape)
        ctx.save_for_backward(index)
        return pick(tensor, dim, index, step)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        made = grads[0].new_zeros(ctx.shape)
        made[(slice(None),) * ctx.dim + ctx.saved_tensors] = grads[0]
        return made, None, None, None


def window_indices(bounds: slice, size: int) -> Any:
    """Return the indices of a slice between two numbers of the loop, along a dim of a size; None where it is cut short
    or empty. Note [Windows have one length]
    """
    first, last = bounds.start, bounds.stop
    start, stop = number_of(first), number_of(last)
    if not 0 <= start < stop <= size:
        return None
    is_other = (first < 0) | (last - first != stop - start) | (last > size)
    return where(is_other, size, first) + arange(0, stop - start, bounds.step or 1, dtype=int64)
