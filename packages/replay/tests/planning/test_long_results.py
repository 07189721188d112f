"""Results that no cache holds, which groups copy past the caches: a replay's bits are those of an eager call."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import wengert as wg

LENGTH = (1 << 22) + 3  # float32 of more than 16 MiB; the last block is a short one
OUTSIDE = wg.zeros(LENGTH + 5)


def chain(x: Any) -> list[Any]:
    """A gradient, by many members."""
    leaf = x.detach().requires_grad_()
    loss = (leaf * 0.5 + 0.1).tanh().exp().sum()
    return [loss.detach(), *wg.autograd.grad(loss, [leaf])]


def with_readers(x: Any) -> list[Any]:
    """Results that other members read, and sum."""
    y = x * 2 + 1
    z = y * y
    return [y, z, z.sum(), (y - z).sum()]


def in_place(x: Any) -> list[Any]:
    """A result that takes the place of an operand, twice."""
    y = x + 1
    y.mul_(x).add_(y)
    return [y, (y - x).sum()]


def to_outside(x: Any) -> list[Any]:
    """Writes to memory from outside, whose first byte begins no line, and to the argument."""
    part = OUTSIDE[3 : 3 + len(x)]
    part.mul_(0.5).add_(x)
    x.add_(part)
    return [part.sum()]


def with_small_items(x: Any) -> list[Any]:
    """Results whose items have other sizes than their operands'."""
    y = x * 3
    return [y.gt(1).logical_not(), y.double() + 1, y.half() * 2]


def with_gaps(x: Any) -> list[Any]:
    """A result with gaps, and a dense one."""
    whole = wg.zeros(2 * len(x))
    y = x * 3
    wg.add(y, 1, out=whole[::2])
    return [whole, y + whole[::2]]


FUNCTIONS = [chain, with_readers, in_place, to_outside, with_small_items, with_gaps]


def bytes_of(function: Callable[[Any], list[Any]], x: Any, calls: int) -> list[bytes]:
    """Call a function some times on one argument; return what the last call returns, and all that it writes to."""
    OUTSIDE.zero_()
    for _ in range(calls - 1):
        function(x)
    found = [*function(x), OUTSIDE, x]
    return [one.contiguous().numpy().tobytes() for one in found]


def numbers_of(*shape: int) -> Any:
    return np.random.default_rng(len(shape)).uniform(-1, 1, shape).astype("float32")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_long_results_are_the_same_bits(function: Callable[[Any], list[Any]], dtype: str) -> None:
    captured = wg.capture(function)
    numbers = numbers_of(LENGTH).astype(dtype)
    expected = bytes_of(function, wg.tensor(numbers), 3)
    assert bytes_of(captured, wg.tensor(numbers), 3) == expected
    assert wg.replay.explain(captured).replays >= 1
    gc.collect()


@pytest.mark.parametrize("columns", [1031, 1024, 7, 5000])
def test_long_matrices_with_sums_are_the_same_bits(columns: int) -> None:
    def sums(matrix: Any, row: Any) -> list[Any]:
        value = matrix * row + 1
        square = value * value
        return [value, square, square.sum(0), value.sum(1), matrix.mul_(row), (matrix + square).sum(1)]

    def call(function: Callable[..., list[Any]]) -> list[bytes]:
        matrix, row = wg.tensor(numbers_of(LENGTH // columns + 9, columns)), wg.tensor(numbers_of(columns))
        return [one.numpy().tobytes() for _ in range(2) for one in function(matrix, row)]

    captured = wg.capture(sums)
    assert call(captured) == call(captured) == call(sums)
    assert wg.replay.explain(captured).replays == 3


def test_long_results_do_not_depend_on_the_number_of_threads() -> None:
    x = wg.tensor(numbers_of(LENGTH))
    threads = wg.get_num_threads()
    try:
        found = []
        for n in (1, 2, 3):
            wg.set_num_threads(n)
            captured = wg.capture(with_readers)
            captured(x)
            found.append([one.numpy().tobytes() for one in captured(x)])
    finally:
        wg.set_num_threads(threads)
    assert found[0] == found[1] == found[2]
