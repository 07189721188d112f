"""Invariants that hold for every tensor after every call, however it ended."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from wengert import Tensor


def tensors(value: Any, depth: int = 0) -> Iterator[Tensor]:
    """The tensors in a value."""
    if isinstance(value, Tensor):
        yield value
    elif type(value) in (list, tuple, dict) and depth < 3:
        for item in list(value.values() if isinstance(value, dict) else value)[:20]:
            yield from tensors(item, depth + 1)


def facts(tensor: Tensor) -> tuple[list[int], list[int], int, int, int, int] | None:
    """Shape, strides, offset, bytes of an element and of the storage, numel; None where they may not be asked."""
    try:
        return (
            list(tensor.shape), list(tensor.stride()), tensor.storage_offset(), tensor.element_size(),
            tensor.untyped_storage().nbytes(), tensor.numel(),
        )  # fmt: skip
    except (RuntimeError, TypeError, NotImplementedError, ValueError):
        return None  # batched, half-made


def find_violation(tensor: Tensor) -> str:
    """Return what is wrong with a tensor, '' for nothing."""
    known = facts(tensor)
    if known is None:
        return ""
    shape, strides, offset, itemsize, nbytes, numel = known
    if len(shape) > 64 or len(shape) != len(strides) or any(n < 0 for n in shape):
        return f"shape {shape}, strides {strides}"
    if numel != math.prod(shape):
        return f"numel {numel} of shape {shape}"
    if numel and (offset + sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) + 1) * itemsize > nbytes:
        return f"shape {shape}, strides {strides}, offset {offset} of {nbytes} bytes"
    if offset < 0 or any(s < 0 for s in strides):
        return f"offset {offset}, strides {strides}"
    return ""


def check(values: Any) -> str:
    """The first thing wrong with the tensors in the values."""
    return next(filter(None, map(find_violation, tensors(values))), "")
