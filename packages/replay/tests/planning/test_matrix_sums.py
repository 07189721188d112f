"""Sums of rows and columns in groups that run block by block: a replay's bits are those of an eager call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st


def parts_of(matrix: Any, row: Any, column: Any) -> list[Any]:
    """Sums of several values of a matrix, one of which is overwritten before the last sum."""
    value = matrix * row + column
    square = value * value
    found = [square.sum(0), square.sum(1), square.sum(), (value * matrix).sum(0), (square - matrix).sum(1, True)]
    value.mul_(matrix)
    return [*found, value.sum(0)]


def with_value(matrix: Any, row: Any, column: Any) -> list[Any]:
    """Sums of a value that stays."""
    value = matrix * row + column
    return [value, value.sum(1), value.sum(0), (value - row).sum(1)]


def with_functions(matrix: Any, row: Any, column: Any) -> list[Any]:
    """Sums of what is not arithmetic: in one group only where rows and blocks end together."""
    value = (matrix * row).exp()
    return [value.sum(1), (value + column).sum(0), value.tanh().sum()]


def arguments_of(rows: int, columns: int, dtype: str, special: bool = False) -> list[Any]:
    numbers = np.random.default_rng(rows * 10007 + columns)
    arrays = [numbers.uniform(-1, 1, shape).astype(dtype) for shape in ((rows, columns), (columns,), (rows, 1))]
    if special:
        arrays[0].reshape(-1)[numbers.integers(0, rows * columns, 9)] = [-0.0, 0.0, np.inf, 1e38, -1e38, 0, 1e-45, 1, 2]
        arrays[0][:, 1], arrays[1][1], arrays[2][:] = -0.0, 1.0, -0.0
    return [wg.tensor(array) for array in arrays]


def assert_same(function: Any, arguments: list[Any]) -> None:
    captured = wg.capture(function)
    expected = function(*arguments)
    captured(*arguments)
    for _ in range(2):
        for one, other in zip(captured(*arguments), expected, strict=True):
            assert one.shape == other.shape
            assert one.numpy().tobytes() == other.numpy().tobytes()
    assert wg.replay.explain(captured).replays == 2


SHAPES = [(4000, 33), (256, 100), (17, 5000), (2049, 1500), (2600, 40), (9000, 50), (5, 4096), (1030, 1024), (300, 256),
          (128, 32), (4097, 128), (2048, 1025)]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", [parts_of, with_value, with_functions])
def test_sums_of_rows_and_columns_are_the_same_bits(function: Any, dtype: str, shape: tuple[int, int]) -> None:
    assert_same(function, arguments_of(*shape, dtype))


@given(st.integers(1, 700), st.integers(32, 3000), st.sampled_from([parts_of, with_value, with_functions]))
@settings(max_examples=25, deadline=None)
def test_any_matrix_has_the_same_sums(rows: int, columns: int, function: Any) -> None:
    assert_same(function, arguments_of(rows, columns, "float32", special=True))


def test_results_do_not_depend_on_the_number_of_threads() -> None:
    arguments = arguments_of(4000, 300, "float32")
    threads = wg.get_num_threads()
    try:
        found = []
        for n in (1, 3):
            wg.set_num_threads(n)
            captured = wg.capture(parts_of)
            captured(*arguments)
            found.append([one.numpy().tobytes() for one in captured(*arguments)])
    finally:
        wg.set_num_threads(threads)
    assert found[0] == found[1]


def test_a_gradient_of_a_row_and_a_column_is_one_group() -> None:
    matrix, row, column = arguments_of(2100, 2500, "float32")
    parameters = [row.requires_grad_(), column.requires_grad_()]

    @wg.capture
    def gradient(matrix: Any) -> list[Any]:
        loss = (matrix * row + column).square().sum()
        return [loss.detach(), *wg.autograd.grad(loss, parameters)]

    gradient(matrix), gradient(matrix)
    with wg.autograd.profiler.profile() as profile:
        gradient(matrix)
    assert [event.name for event in profile.function_events][1:] == ["mul+add+pow+sum+..."]


def with_ones(matrix: Any, row: Any, column: Any) -> list[Any]:
    """Products with one, which are no members where what they read stays."""
    one = wg.ones((), dtype=matrix.dtype)
    value = matrix * row
    same = value * one
    value.add_(column)
    again = one * (value - row)
    return [same.sum(0), same.sum(), again.sum(1), (again * 1.0).sum(0), value.mul_(1.0).sum(0), value * one]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_products_with_one_are_the_same_bits(dtype: str) -> None:
    assert_same(with_ones, arguments_of(300, 130, dtype, special=True))


def test_overflow_and_nan_stay_where_they_are() -> None:
    matrix, row, column = arguments_of(600, 1100, "float32")
    matrix[3, 7], matrix[500, 1099] = float("nan"), float("inf")
    found = wg.capture(with_value)
    found(matrix, row, column)
    _, rows, columns, _ = found(matrix, row, column)
    assert rows.isnan().nonzero().flatten().tolist() == [3]
    assert columns.isnan().nonzero().flatten().tolist() == [7]
    assert rows[500].isinf()
    assert columns[1099].isinf()
