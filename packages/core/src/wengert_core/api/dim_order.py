"""Questions about a tensor's shape that few programs ask: the order of its dims in memory; and what PyTorch gave up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert_core.messages.short_repr import short_repr
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.memory_format import contiguous_format, memory_format
from wengert_core.tensors.tensor import Tensor


def dim_order(self: Tensor, *, ambiguity_check: bool | Sequence[memory_format] = False) -> tuple[int, ...]:
    """The dims from the outermost in memory, whose elements lie farthest apart, to the innermost.

    ambiguity_check: True: RuntimeError for a tensor whose strides name more than one order; a list of memory formats:
    RuntimeError unless the tensor has exactly one of these.

    >>> from wengert_core import ones
    >>> ones(2, 3).dim_order(), ones(2, 3).t().dim_order()
    ((0, 1), (1, 0))
    """
    formats = ambiguity_check if isinstance(ambiguity_check, (list, tuple)) else []
    if not isinstance(ambiguity_check, (bool, list, tuple)) or not all(isinstance(f, memory_format) for f in formats):
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    if self.dim() == 0:
        return ()
    sizes, strides = self.shape, self.stride()
    if (ambiguity_check is True and has_other_orders(sizes, strides)) or (
        formats and sum(self.is_contiguous(memory_format=f) for f in formats) != 1
    ):
        raise RuntimeError("The tensor does not have unique dim order, or cannot map to exact one of the given memory "
                           f"formats. It has sizes {list(sizes)} and strides {list(strides)}")
    if self.is_contiguous(memory_format=contiguous_format):
        return tuple(range(self.dim()))
    order: list[int] = []  # from the innermost outwards
    for dim in reversed(range(self.dim())):
        order.append(dim)
        at = len(order) - 1
        for inner in reversed(range(at)):
            a, b = order[inner], order[at]
            if strides[a] == 0 or strides[b] == 0:
                continue  # an expanded dim stays where it is
            if (strides[a], sizes[a]) <= (strides[b], sizes[b]):
                break
            order[inner], order[at], at = b, a, inner
    return tuple(reversed(order))


def has_other_orders(sizes: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether two dims may change places in memory: one of size 1 may lie anywhere, and so may two of one stride."""
    return len(sizes) > 1 and (1 in sizes or len(set(strides)) < len(strides))


def resize(self: Tensor, *sizes: Any) -> Tensor:
    """The tensor with another shape of as many elements; deprecated, ``reshape`` says it better.

    RuntimeError where the number of elements is another.
    """
    warn_user("non-inplace resize is deprecated")
    return resize_checked(self, sizes)


def resize_as(self: Tensor, tensor: Tensor) -> Tensor:
    """The tensor in the shape of another one of as many elements; deprecated, ``reshape`` says it better."""
    warn_user("non-inplace resize_as is deprecated")
    return resize_checked(self, tuple(tensor.shape))


def resize_checked(t: Tensor, sizes: tuple[Any, ...]) -> Tensor:
    shape = tuple(sizes[0]) if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes
    count = 1
    for size in shape:
        count *= size
    if count != t.numel():
        wanted, had = ("x".join(short_repr(size, str) for size in s) for s in (shape, t.shape))
        raise RuntimeError(
            f"requested resize to {wanted} ({short_repr(count, str)} elements in total), but the given tensor "
            f"has a size of {had} ({t.numel()} elements). autograd's resize can only change the shape "
            "of a given tensor, while preserving the number of elements. "
        )
    return t.reshape(shape)
