"""Results of collectives, computed from the arrays of all ranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from wengert_distributed.extend import RedOpType

UFUNCS = {
    RedOpType.SUM: np.add, RedOpType.PRODUCT: np.multiply, RedOpType.MIN: np.minimum, RedOpType.MAX: np.maximum,
    RedOpType.BAND: np.bitwise_and, RedOpType.BOR: np.bitwise_or, RedOpType.BXOR: np.bitwise_xor,
}  # fmt: skip
Results = list[Any]
"""For each rank, the contents of its output, or None."""


def reduce_arrays(arrays: list[Any], op: RedOpType) -> Any:
    """Return the reduction of arrays, in the order of ranks."""
    result = arrays[0].copy()
    for array in arrays[1:]:
        UFUNCS[op](result, array, out=result)
    return result


def all_reduce(inputs: list[Any], op: RedOpType) -> Results:
    result = reduce_arrays(inputs, op)
    return [result] * len(inputs)


def reduce(inputs: list[Any], root: int, op: RedOpType) -> Results:
    result = reduce_arrays(inputs, op)
    return [result if rank == root else poison_like(result) for rank in range(len(inputs))]


def broadcast(inputs: list[Any], root: int) -> Results:
    result = inputs[root].copy()
    return [None if rank == root else result for rank in range(len(inputs))]


def all_gather(inputs: list[Any]) -> Results:
    result = np.concatenate(inputs)
    return [result] * len(inputs)


def gather(inputs: list[Any], root: int) -> Results:
    result = np.concatenate(inputs)
    return [result if rank == root else None for rank in range(len(inputs))]


def scatter(inputs: list[Any], root: int) -> Results:
    return list(np.split(inputs[root].copy(), len(inputs)))


def reduce_scatter(inputs: list[Any], op: RedOpType) -> Results:
    return list(np.split(reduce_arrays(inputs, op), len(inputs)))


def all_to_all(inputs: list[Any], counts: list[Any]) -> Results:
    """Return the parts that each rank gets, behind each other. counts: how many elements each rank sends to each."""
    parts = [np.split(array, np.cumsum(numbers)[:-1]) for array, numbers in zip(inputs, counts, strict=True)]
    return [np.concatenate([part[rank] for part in parts]) for rank in range(len(inputs))]


def barrier(inputs: list[Any]) -> Results:
    return [None] * len(inputs)


COLLECTIVES: dict[str, Callable[..., Results]] = {
    one.__name__: one
    for one in (all_reduce, reduce, broadcast, all_gather, gather, scatter, reduce_scatter, all_to_all, barrier)
}


def poison_like(array: Any) -> Any:
    """Return an array of values that no program expects: NaN, or the largest integer."""
    made = np.empty_like(array)
    poison(made)
    return made


def poison(array: Any) -> None:
    """Fill an array with values that no program expects."""
    array[...] = np.nan if array.dtype.kind in "fc" else np.iinfo(array.dtype).max if array.dtype.kind in "iu" else True


def same_bytes(array: Any, other: Any) -> bool:
    """Return whether two arrays have the same bytes; NaN equals NaN."""
    return bool(np.array_equal(array.view(np.uint8), other.view(np.uint8)))
