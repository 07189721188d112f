"""Products of few rows with a transposed matrix: values, bits that depend on two rows alone, threads, memory."""

from __future__ import annotations

import ctypes
import mmap
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest
import wengert_core as wc

use_tiles = import_module("wengert_core.drivers.linalg.gemm").use_tiles
TOLERANCE = {"float32": 1e-4, "float64": 1e-12}
linear = wc.TABLE.ops["nn.functional.linear"]


@pytest.fixture(params=["wide", "usual"])
def tiles(request: pytest.FixtureRequest) -> Iterator[bool]:
    """The widest registers of this machine, and those that most machines have; False where BLAS computes everything."""
    yield use_tiles(request.param == "wide")
    use_tiles(True)


def numbers(*shape: int, dtype: str) -> Any:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(dtype)


def check(found: Any, want: Any, dtype: str) -> None:
    assert found.numpy().dtype == dtype
    np.testing.assert_allclose(found.numpy(), want, TOLERANCE[dtype], TOLERANCE[dtype])


def product(x: Any, weight: Any) -> Any:
    return x.astype(np.float64) @ np.swapaxes(weight, -1, -2).astype(np.float64)


@pytest.mark.usefixtures("tiles")
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("n", [15, 16, 17, 31, 40, 100])
def test_values_for_any_number_of_rows_and_columns(dtype: str, n: int) -> None:
    for rows in (1, 2, 3, 4, 5, 6, 7, 16, 17, 23, 64, 65):
        for columns in (1, 3, 4, 5, 6, 7, 8, 9, 11, 33):
            x, weight = numbers(rows, n, dtype=dtype), numbers(columns, n, dtype=dtype)
            check(linear(wc.from_numpy(x), wc.from_numpy(weight)), product(x, weight), dtype)
    x, weight = numbers(2, n, dtype=dtype), numbers(600, n, dtype=dtype)
    check(linear(wc.from_numpy(x), wc.from_numpy(weight)), product(x, weight), dtype)


@pytest.mark.usefixtures("tiles")
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_operands_with_gaps_and_batches(dtype: str) -> None:
    x, weight = numbers(3, 9, 50, dtype=dtype), numbers(3, 24, 60, dtype=dtype)
    a, b, first = wc.from_numpy(x), wc.from_numpy(weight), wc.from_numpy(weight)[0]
    bias = wc.from_numpy(numbers(24, dtype=dtype))
    part, columns = weight[:, :, 7:47], weight[0, 5:17, 10:60]
    check(linear(a[1, ::2, 3:43], first[:, 20:]), product(x[1, ::2, 3:43], weight[0, :, 20:]), dtype)
    check(linear(a, first[5:17, 10:]), product(x, columns), dtype)
    check(a[:, :, 5:45] @ b[:, :, 7:47].mT, product(x[:, :, 5:45], part), dtype)
    check(a[:1, :, 5:45] @ b[:, :, 7:47].mT, product(x[:1, :, 5:45], part), dtype)
    check(a[2] @ first[:, 10:].T, product(x[2], weight[0, :, 10:]), dtype)
    check(wc.addmm(bias, a[2], first[:, 10:].T), product(x[2], weight[0, :, 10:]) + bias.numpy(), dtype)
    check(a[2].flip(0).T @ a[1], x[2][::-1].T @ x[1], dtype)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_a_row_of_a_batch_has_the_bits_that_it_has_in_another_batch(tiles: bool, dtype: str) -> None:
    if not tiles:
        pytest.skip("BLAS promises no bits")
    x, weight = wc.from_numpy(numbers(16, 70, dtype=dtype)), wc.from_numpy(numbers(21, 70, dtype=dtype))
    whole = linear(x, weight)
    for first, last in ((0, 3), (1, 5), (4, 9), (9, 16)):
        assert linear(x[first:last], weight).tolist() == whole[first:last].tolist()
        assert linear(x, weight[first:last + 2]).tolist() == whole[:, first:last + 2].tolist()


@pytest.mark.usefixtures("tiles")
def test_the_same_bits_from_any_number_of_threads() -> None:
    x, weight = wc.from_numpy(numbers(16, 513, dtype="float32")), wc.from_numpy(numbers(1037, 513, dtype="float32"))
    before, found = wc.get_num_threads(), []
    try:
        for count in (1, 2, 5):
            wc.set_num_threads(count)
            found.append(linear(x, weight))
    finally:
        wc.set_num_threads(before)
    assert found[0].equal(found[1])
    assert found[0].equal(found[2])


@pytest.mark.usefixtures("tiles")
@pytest.mark.skipif(sys.platform != "linux", reason="mprotect as Linux has it")
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_nothing_is_read_behind_the_end_of_memory(dtype: str) -> None:
    page, size = mmap.PAGESIZE, np.dtype(dtype).itemsize
    memory = mmap.mmap(-1, 3 * page)
    whole = np.frombuffer(memory, np.uint8)
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.mprotect(ctypes.c_void_p(whole.ctypes.data + 2 * page), ctypes.c_size_t(page), 0) == 0
    for rows, columns, n in ((3, 5, 17), (5, 9, 21), (4, 8, 16)):
        operands = []
        for count in (rows, columns):
            at_end = whole[2 * page - count * n * size:2 * page].view(dtype).reshape(count, n)
            at_end[:] = numbers(count, n, dtype=dtype)
            operands.append(at_end)
        x, weight = operands
        check(linear(wc.from_numpy(x), wc.from_numpy(weight.copy())), product(x, weight), dtype)
        check(linear(wc.from_numpy(x.copy()), wc.from_numpy(weight)), product(x, weight), dtype)
