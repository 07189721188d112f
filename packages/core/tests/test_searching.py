"""searchsorted, bucketize and bincount by their kernels, against their references and NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wengert_core as wg
from wengert_core.exchange.arrays import from_array, to_array
from wengert_core.ops.index.searching import binary_search, insertion_points

DTYPES = ["uint8", "int8", "int32", "int64", "uint64", "float16", "float32", "float64"]


def data(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray[Any, Any]:
    """Whole numbers, many of them equal."""
    return np.round(np.random.default_rng(seed).uniform(0, 40, shape)).astype(dtype)


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(0, 5), (1, 1), (7, 30), (300, 1000), (50, 40_000)], ids=str)
def test_one_row_of_boundaries(sizes: tuple[int, int], dtype: str, right: bool) -> None:
    boundaries, values = np.sort(data((sizes[0],), dtype)), data((sizes[1],), dtype, 1)
    want = np.searchsorted(boundaries, values, "right" if right else "left")
    found = wg.searchsorted(from_array(boundaries), from_array(values), right=right)
    assert found.dtype is wg.int64
    np.testing.assert_array_equal(to_array(found), want)
    np.testing.assert_array_equal(to_array(wg.bucketize(from_array(values), from_array(boundaries), right=right)), want)
    pairs = from_array(np.repeat(values, 2).reshape(-1, 2))
    found = wg.searchsorted(from_array(np.repeat(boundaries, 3))[::3], pairs[:, 1], out_int32=True, right=right)
    assert found.dtype is wg.int32
    np.testing.assert_array_equal(to_array(found), want)


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("dtype", ["int64", "float32", "float64"])
def test_a_row_for_each(dtype: str, right: bool) -> None:
    boundaries, values = np.sort(data((3, 4, 9), dtype), -1), data((3, 4, 5), dtype, 1)
    if dtype != "int64":
        boundaries[..., 7:] = np.nan
        values[..., 2] = np.nan
    want = binary_search(np, boundaries, values, right)
    found = wg.searchsorted(from_array(boundaries), from_array(values), right=right)
    np.testing.assert_array_equal(to_array(found), want)


def test_not_a_number_goes_last() -> None:
    boundaries, values = np.array([0.0, 1, np.inf, np.nan, np.nan]), np.array([np.nan, -1, 1, np.inf, 5])
    for right in (False, True):
        for n in (3, 5):
            want = insertion_points(np, boundaries[:n], values, right, None)
            found = wg.searchsorted(from_array(boundaries[:n]), from_array(values), right=right)
            np.testing.assert_array_equal(to_array(found), want)


def test_rows_that_do_not_fit() -> None:
    boundaries = wg.arange(12).reshape(3, 4)
    for shape in ((2, 4), (5,)):
        with pytest.raises((RuntimeError, ValueError)):
            wg.TABLE.ops["_searchsorted"](boundaries, wg.zeros(shape, dtype=wg.int64), False)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32", "int64", "uint64"])
@pytest.mark.parametrize("size", [1, 7, 1000, 50_000])
def test_counts(size: int, dtype: str) -> None:
    x = data((size,), dtype)
    counts = wg.bincount(from_array(x))
    assert counts.dtype is wg.int64
    np.testing.assert_array_equal(to_array(counts), np.bincount(x.astype(np.int64)))
    np.testing.assert_array_equal(to_array(wg.bincount(from_array(x), minlength=70)), np.bincount(x, minlength=70))
    np.testing.assert_array_equal(to_array(wg.bincount(from_array(x)[::2])), np.bincount(x[::2]))


def test_values_without_counts() -> None:
    for value in (-1, -(2**63), 2**62, 2**63 - 1):
        with pytest.raises(RuntimeError):
            wg.bincount(wg.tensor([1, value]))
    with pytest.raises(RuntimeError, match="minlength should be >= 0"):
        wg.bincount(wg.tensor([1]), minlength=-1)
    with pytest.raises(NotImplementedError):
        wg.bincount(wg.tensor([1.0]))
    assert wg.bincount(wg.tensor([], dtype=wg.int64), minlength=2).tolist() == [0, 0]
    assert wg.bincount(wg.tensor([3]).expand(10**6)[: 2**12]).tolist() == [0, 0, 0, 4096]
