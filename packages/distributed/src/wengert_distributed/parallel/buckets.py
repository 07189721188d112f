"""Buckets: flat memory that the gradients of several parameters are reduced in, by one collective.

Note [Order of buckets]
    Collectives are matched by their order, so every rank launches the same buckets in the same order: the first one
    first, however early another one is full. Gradients arrive roughly in the reverse order of the parameters, which is
    the first guess. After the first backward the order of arrival on rank 0 is broadcast and the buckets are made anew
    from it. A small first bucket lets the communication begin early.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import wengert
from wengert import Tensor

MEBIBYTE = 1024 * 1024


class Bucket:
    """The flat memory of some gradients. index: its number in the order in which buckets are reduced.

    numbers: the numbers of its parameters.   views: one view of ``flat`` for each, with the parameter's shape.
    missing: how many of its gradients have not arrived.   pending: the Work or Future of its reduction.
    """

    __slots__ = ("flat", "index", "missing", "numbers", "offsets", "parameters", "pending", "views")

    def __init__(self, index: int, numbers: Sequence[int], parameters: Sequence[Tensor]) -> None:
        self.index: int = index
        self.numbers: list[int] = list(numbers)
        self.parameters: list[Tensor] = list(parameters)
        self.missing: int = len(self.numbers)
        self.pending: Any = None
        self.offsets: list[int] = []
        size = 0
        for parameter in self.parameters:
            self.offsets.append(size)
            size += parameter.numel()
        first = self.parameters[0]
        self.flat: Tensor = wengert.zeros(size, dtype=first.dtype, device=first.device)
        self.views: list[Tensor] = [
            view_like(self.flat, offset, parameter)
            for offset, parameter in zip(self.offsets, self.parameters, strict=True)
        ]


def view_like(flat: Tensor, offset: int, parameter: Tensor) -> Tensor:
    """Return the part of a flat tensor from an offset on that has a parameter's shape, and its strides if dense."""
    if parameter.is_contiguous() or not is_dense(parameter):
        return flat[offset : offset + parameter.numel()].view(parameter.shape)
    return flat.as_strided(parameter.shape, parameter.stride(), offset)


def is_dense(tensor: Tensor) -> bool:
    """Return whether a tensor's elements fill a stretch of memory, in any order of its dims."""
    expected = 1
    for stride, size in sorted((stride, size) for stride, size in zip(tensor.stride(), tensor.shape, strict=True)):
        if size != 1 and stride != expected:
            return False
        expected *= size
    return True


def assign_to_buckets(parameters: Sequence[Tensor], order: Sequence[int], limits: Sequence[float]) -> list[list[int]]:
    """Return the numbers of the parameters of each bucket, in the order in which buckets are filled.

    order: the numbers of the parameters in the order in which their gradients arrive.   limits: bytes of the first
    bucket, of the second, ...; the last one holds for all further buckets. A bucket is closed by the parameter that
    reaches its limit. Parameters of different dtypes or devices are in different buckets.

    >>> import wengert as wg
    >>> parameters = [wg.ones(4), wg.ones(4), wg.ones(4)]
    >>> assign_to_buckets(parameters, [2, 1, 0], [16, 1000])
    [[2], [1, 0]]
    """
    closed: list[list[int]] = []
    open_buckets: dict[Any, tuple[list[int], int]] = {}
    number_closed: dict[Any, int] = {}
    for number in order:
        parameter = parameters[number]
        key = (parameter.dtype, parameter.device)
        members, size = open_buckets.get(key, ([], 0))
        members.append(number)
        size += parameter.numel() * parameter.element_size()
        count = number_closed.get(key, 0)
        if size >= limits[min(count, len(limits) - 1)]:
            closed.append(members)
            number_closed[key] = count + 1
            open_buckets.pop(key, None)
        else:
            open_buckets[key] = (members, size)
    position = {number: place for place, number in enumerate(order)}
    return closed + sorted((members for members, _ in open_buckets.values()), key=lambda one: position[one[-1]])


def make_buckets(parameters: Sequence[Tensor], assignment: Sequence[Sequence[int]]) -> list[Bucket]:
    """Return buckets with the parameters of an assignment."""
    return [Bucket(i, numbers, [parameters[n] for n in numbers]) for i, numbers in enumerate(assignment)]


def check_bucket_bytes(name: str, value: float) -> float:
    """Return a size of buckets in bytes.

    Raises TypeError where it is no number, and ValueError where it is negative or NaN.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} has to be a number of bytes, but got {type(value).__name__}")
    if math.isnan(value) or value < 0:
        raise ValueError(f"{name} has to be at least 0 bytes, but got {value}; 0 gives every parameter its own bucket")
    return value


class GradBucket:
    """A bucket as a communication hook sees it, as ``torch.distributed.GradBucket``.

    The hook reads the local gradients from it and returns a future of the reduced ones, a flat tensor of the size of
    ``buffer()``.

    >>> import wengert as wg
    >>> weight = wg.ones(2, 2, requires_grad=True)
    >>> bucket = GradBucket(Bucket(0, [0], [weight]), 1)
    >>> bucket.index(), bucket.is_last(), bucket.buffer(), [grad.shape for grad in bucket.gradients()]
    (0, True, tensor([0., 0., 0., 0.]), [torch.Size([2, 2])])
    """

    def __init__(self, bucket: Bucket, count: int) -> None:
        self._bucket = bucket
        self._count = count
        self._buffer = bucket.flat

    def index(self) -> int:
        """Return the number of the bucket. Buckets are made anew after the first backward."""
        return self._bucket.index

    def is_last(self) -> bool:
        """Return whether no bucket is reduced after this one in a backward."""
        return self._bucket.index == self._count - 1

    def buffer(self) -> Tensor:
        """Return the gradients of the bucket as one tensor with one dim."""
        return self._buffer

    def set_buffer(self, buffer: Tensor) -> None:
        """Replace the tensor that ``buffer`` returns, for hooks that wrap other hooks."""
        self._buffer = buffer

    def gradients(self) -> list[Tensor]:
        """Return a view of the buffer for each parameter, with its shape."""
        if self._buffer is self._bucket.flat:
            return list(self._bucket.views)
        pairs = zip(self._bucket.offsets, self._bucket.parameters, strict=True)
        return [view_like(self._buffer, offset, parameter) for offset, parameter in pairs]

    def parameters(self) -> list[Tensor]:
        """Return the parameters whose gradients are in the bucket."""
        return list(self._bucket.parameters)
