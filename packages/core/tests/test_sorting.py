"""Sorting, the k best, medians and distinct values against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wengert_core as wg
from wengert_core.drivers.decomposed import as_dtype
from wengert_core.exchange.arrays import from_array, to_array

DTYPES = ["bool", "uint8", "int8", "int32", "int64", "float16", "bfloat16", "float32", "float64",
          "uint16", "uint32", "uint64"]  # fmt: skip


def data(dtype: str, shape: tuple[int, ...] = (4, 7, 6)) -> Any:
    """A tensor with many ties, and NaN where there can be one."""
    x = np.random.default_rng(7).integers(0, 5, shape)
    if not dtype.startswith(("float", "bfloat")):
        return from_array(x.astype(dtype))
    real = x.astype("float32" if dtype == "bfloat16" else dtype)
    real[0, 0, 0] = real[2, 3, 1] = np.nan
    return as_dtype(from_array(real), dtype) if dtype == "bfloat16" else from_array(real)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("descending", [False, True])
def test_sort_is_stable_and_puts_nan_as_the_largest(dtype: str, dim: int, descending: bool) -> None:
    t = data(dtype)
    x = to_array(t).astype(np.float64)
    values, places = wg.sort(t, dim, descending)
    key = np.where(np.isnan(x), 9, x)
    want = np.argsort(-key if descending else key, axis=dim, kind="stable")
    np.testing.assert_array_equal(to_array(places), want)
    np.testing.assert_array_equal(to_array(values), np.take_along_axis(x, want, dim))
    assert values.dtype == t.dtype
    np.testing.assert_array_equal(to_array(wg.argsort(t, dim, descending)), want)


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d != "bool"])
@pytest.mark.parametrize("k", [0, 1, 2, 5])
@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("dim", [0, 1, 2])
def test_topk(dtype: str, k: int, largest: bool, dim: int) -> None:
    t = data(dtype, (6, 40, 9) if dim == 1 else (6, 7, 9))
    x = to_array(t).astype(np.float64)
    values, places = wg.topk(t, k, dim, largest)
    key = np.where(np.isnan(x), 9, x)
    order = np.sort(-key if largest else key, axis=dim)
    want = np.moveaxis(np.moveaxis(order, dim, 0)[:k], 0, dim) * (-1 if largest else 1)
    got = to_array(values).astype(np.float64)
    np.testing.assert_array_equal(np.where(np.isnan(got), 9, got), want)
    np.testing.assert_array_equal(np.take_along_axis(x, to_array(places), dim), got)


def test_kthvalue_and_msort() -> None:
    x = np.random.default_rng(2).permutation(24).reshape(4, 6).astype(float)
    for k in (1, 3, 6):
        values, places = wg.kthvalue(from_array(x), k, 1)
        np.testing.assert_array_equal(to_array(values), np.sort(x, axis=1)[:, k - 1])
        np.testing.assert_array_equal(to_array(places), np.argsort(x, axis=1)[:, k - 1])
    np.testing.assert_array_equal(to_array(wg.msort(from_array(x))), np.sort(x, axis=0))


def test_median_is_the_lower_of_two() -> None:
    x = np.array([[4.0, 1.0, 3.0, 2.0], [1.0, np.nan, 0.0, 2.0]])
    values, places = wg.median(from_array(x), 1)
    np.testing.assert_array_equal(to_array(values), [2, np.nan])
    np.testing.assert_array_equal(to_array(places), [3, 1])
    values, places = wg.nanmedian(from_array(x), 1)
    np.testing.assert_array_equal(to_array(values), [2, 1])
    np.testing.assert_array_equal(to_array(places), [3, 0])
    assert float(wg.median(from_array(x[:1]))) == 2


def test_unique_with_everything() -> None:
    x = np.array([[3, 1], [3, 2]])
    values, inverse, counts = wg.unique(from_array(x), return_inverse=True, return_counts=True)
    np.testing.assert_array_equal(to_array(values), [1, 2, 3])
    np.testing.assert_array_equal(to_array(values)[to_array(inverse)], x)
    np.testing.assert_array_equal(to_array(counts), [1, 1, 2])


def test_results_have_names() -> None:
    result = wg.sort(from_array(np.array([2.0, 1.0])))
    assert (type(result).__name__, result.__match_args__) == ("sort", ("values", "indices"))
    assert result.indices is result[1]
