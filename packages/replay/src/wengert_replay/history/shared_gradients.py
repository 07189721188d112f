"""Gradients that share memory: with each other, or with those that the results get.

Note [Gradients that share memory]
    A sum hands the gradient of its result on to both operands, so eager gradients of two ends are one tensor, and may
    be the one that the caller has given; that of a view is a view of it. A program computes such a gradient once.
    ``Origins`` says what all of them are. A gradient that overlaps another one in any other way, or lies in the memory
    of an argument, a leaf or a result, is a copy.
"""

from __future__ import annotations

from collections.abc import Sequence

from wengert_core.extend import Tensor

from wengert_replay.history.outside import shares_memory
from wengert_replay.history.runs import Origins

MOST_GAPS = 2
"""Elements between the first and the last one of a gradient that is copied with its gaps, for each of its own."""


def reach_of(tensor: Tensor) -> int:
    """Return the number of elements from the first to the last one of a tensor that has elements."""
    return 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))


def copy_with_layout(gradient: Tensor) -> Tensor:
    """Return a copy that repeats the elements which the gradient repeats, and has its gaps, where these are few.

    A leaf copies such a gradient, and counts that.
    """
    layout = list(zip(gradient.shape, gradient.stride(), strict=True))
    repeats = [stride == 0 and size > 1 for size, stride in layout]
    if any(repeats):
        once = gradient[tuple(slice(0, 1) if one else slice(None) for one in repeats)]
        return once.clone().expand(gradient.shape)
    n = gradient.numel()
    if not n or not n < reach_of(gradient) <= MOST_GAPS * n:
        return gradient.clone()
    flat = gradient.as_strided((reach_of(gradient),), (1,), gradient.storage_offset()).clone()
    return flat.as_strided(gradient.shape, gradient.stride())


def is_part_of(gradient: Tensor, other: Tensor) -> bool:
    """Return whether all elements of a gradient are elements of another tensor with the same memory."""
    if type(gradient) is not Tensor or type(other) is not Tensor or gradient.dtype is not other.dtype:
        return False
    n, layout = gradient.numel(), zip(other.shape, other.stride(), strict=True)
    once = [(size, stride) for size, stride in layout if stride != 0 and size > 1]
    dense = 1
    for size, stride in sorted(once, key=lambda pair: pair[1]):
        if stride != dense:
            return bool(n) and has_layout_of(gradient, other)
        dense *= size
    first = gradient.storage_offset() - other.storage_offset()
    return n > 0 and other.numel() > 0 and first >= 0 and first + reach_of(gradient) <= dense


def has_layout_of(gradient: Tensor, other: Tensor) -> bool:
    """Return whether two tensors with the same memory have the same elements in the same order."""
    return all(getter(gradient) == getter(other) for getter in (Tensor.size, Tensor.stride, Tensor.storage_offset))


def base_of(gradient: Tensor, others: Sequence[Tensor | None]) -> Tensor | None:
    """Return the one of others that a gradient is, or whose elements it has; None where there is none."""
    there = [one for one in others if one is not None]
    for one in there:
        if one is gradient:
            return one
    return next((one for one in there if shares_memory(gradient, [one]) and is_part_of(gradient, one)), None)


def with_own_memory(
    found: Sequence[Tensor | None], others: Sequence[Tensor], given: Sequence[Tensor], create_graph: bool = False
) -> list[Tensor | None]:
    """Return gradients, copied where they share memory. Note [Gradients that share memory]

    others: arguments, leaves and results.   given: gradients of the results.   create_graph: gradients are results of
    a function then, where two may be one tensor, and that is all.
    """
    gradients: list[Tensor | None] = []
    for one in found:
        if one is None or any(one is known for known in gradients):
            gradients.append(one)
            continue
        if create_graph or base_of(one, [*given, *gradients]) is None:
            known = [*others, *given, *(other for other in gradients if other is not None)]
            one = copy_with_layout(one) if shares_memory(one, known) else one
        gradients.append(one)
    return gradients


def find_origins(found: Sequence[Tensor | None], given: Sequence[Tensor]) -> tuple[Origins, list[Tensor]]:
    """Return where the gradients of ends are, as ``with_own_memory`` gives them, and those that a program computes."""
    computed: list[Tensor] = []
    for one in found:
        if one is not None and base_of(one, [*given, *computed]) is None:
            computed.append(one)
    known = [*given, *computed]
    numbers: list[int | None] = []
    parts: list[tuple[int, tuple[int, ...], tuple[int, ...], int]] = []
    for one in found:
        base = None if one is None else base_of(one, known)
        number = next((i for i, other in enumerate(known) if other is base), None)
        if one is not None and number is not None and one is not base:
            assert base is not None
            offset = one.storage_offset() - base.storage_offset()
            parts.append((number, tuple(one.shape), one.stride(), offset))
            number = len(known) + len(parts) - 1
        numbers.append(number)
    return Origins(numbers, len(given), parts), computed
