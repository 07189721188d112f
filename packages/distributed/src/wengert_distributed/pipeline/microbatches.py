"""Micro-batches: the parts of a batch along dim 0, and the whole that their outputs make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor


def split_value(value: Any, count: int) -> list[Any]:
    """Return the parts of a tensor along dim 0; another value is the same for all micro-batches.

    Raises ValueError where the parts would differ in size: the mean of their losses would not be that of the batch.
    """
    if not isinstance(value, Tensor):
        return [value] * count
    if value.dim() == 0 or value.shape[0] % count:
        raise ValueError(
            f"a tensor of shape {tuple(value.shape)} cannot be divided into {count} micro-batches of one size along "
            f"dim 0"
        )
    return list(value.chunk(count)) if value.shape[0] else [value] * count


def split_arguments(
    args: Sequence[Any], kwargs: Mapping[str, Any], count: int
) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Return the arguments of each micro-batch."""
    columns = [split_value(value, count) for value in args]
    named = {name: split_value(value, count) for name, value in kwargs.items()}
    return [
        (tuple(column[number] for column in columns), {name: parts[number] for name, parts in named.items()})
        for number in range(count)
    ]


def merge(outputs: Sequence[tuple[Tensor, ...]]) -> Any:
    """Return the outputs of a batch, a tensor or a tuple, from those of its micro-batches.

    Outputs without dims, one a micro-batch, become a tensor with one dim.
    """
    join = [wc.cat if first.dim() else wc.stack for first in outputs[0]]
    merged = tuple(way(list(parts)) for way, parts in zip(join, zip(*outputs, strict=True), strict=True))
    return merged[0] if len(merged) == 1 else merged
