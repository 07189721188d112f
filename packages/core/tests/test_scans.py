"""Running sums, products and extremes against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wengert_core as wg
from wengert_core.drivers.decomposed import as_dtype
from wengert_core.exchange.arrays import from_array, to_array

LAYOUTS = ["contiguous", "transposed", "strided"]


def data(layout: str, dtype: str = "float64") -> np.ndarray[Any, Any]:
    """A cube of small numbers in a layout."""
    x = (np.random.default_rng(5).normal(size=(3, 4, 5)) * 2).astype(dtype)
    if layout == "transposed":
        return x.T.copy().T
    return np.repeat(x, 2, axis=2)[:, :, ::2] if layout == "strided" else x


@pytest.mark.parametrize("dim", [0, 1, 2, -1])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "int64", "bool", "complex128"])
def test_running_sums_and_products(name: str, layout: str, dim: int, dtype: str) -> None:
    x = data(layout, dtype)
    got = getattr(wg, name)(from_array(x), dim)
    wide = np.int64 if x.dtype.kind in "bi" else x.dtype
    assert to_array(got).dtype == wide
    want = getattr(np, name)(
        x.astype("c16" if x.dtype.kind == "c" else "f8" if x.dtype.kind == "f" else wide), axis=dim
    )
    np.testing.assert_allclose(
        to_array(got), want, rtol=1e-5 if dtype == "float32" else 1e-12, atol=1e-6 if dtype == "float32" else 0
    )


def test_dtype_converts_first() -> None:
    x = np.array([100, 100, 100], np.int8)
    np.testing.assert_array_equal(to_array(wg.cumsum(from_array(x), 0)), [100, 200, 300])
    np.testing.assert_array_equal(to_array(wg.cumsum(from_array(x), 0, dtype=wg.int8)), x.cumsum(dtype=np.int8))
    half = from_array(np.array([0.5, 1.5]))
    np.testing.assert_array_equal(to_array(wg.cumsum(half, 0, dtype=wg.int64)), [0, 1])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_low_precision_accumulates_wider(dtype: str) -> None:
    t = as_dtype(from_array(np.ones(4000, np.float32)), dtype)
    assert float(to_array(wg.cumsum(t, 0))[-1]) == 4000
    assert wg.cumsum(t, 0).dtype.name == dtype


@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("largest", [True, False])
def test_running_extremes_give_the_last_place(largest: bool, layout: str, dim: int) -> None:
    x = np.round(data(layout))
    values, places = (wg.cummax if largest else wg.cummin)(from_array(x), dim)
    best = (np.maximum if largest else np.minimum).accumulate(x, axis=dim)
    np.testing.assert_array_equal(to_array(values), best)
    lines, want = np.moveaxis(x, dim, -1), np.moveaxis(best, dim, -1)
    found = np.moveaxis(to_array(places), dim, -1)
    for i, j in np.ndindex(lines.shape[:2]):
        for k in range(lines.shape[2]):
            assert found[i, j, k] == max(n for n in range(k + 1) if lines[i, j, n] == want[i, j, k])


def test_nan_stays_the_extreme() -> None:
    x = from_array(np.array([1.0, np.nan, 3.0, np.nan, 2.0]))
    values, places = wg.cummax(x, 0)
    np.testing.assert_array_equal(to_array(values), [1] + 4 * [np.nan])
    np.testing.assert_array_equal(to_array(places), [0, 1, 1, 3, 3])


def test_logcumsumexp_does_not_overflow() -> None:
    x = np.array([1000.0, 1001.0, -1000.0, 1002.0])
    got = to_array(wg.logcumsumexp(from_array(x), 0))
    np.testing.assert_allclose(got, 1002 + np.log(np.cumsum(np.exp(x - 1002))))


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "cummin", "logcumsumexp"])
@pytest.mark.parametrize("shape", [(), (0,), (2, 0), (0, 2)])
def test_of_nothing_and_of_no_dims(name: str, shape: tuple[int, ...]) -> None:
    got = getattr(wg, name)(from_array(np.ones(shape)), 0)
    assert tuple((got[0] if isinstance(got, tuple) else got).shape) == shape


def test_out() -> None:
    room = from_array(np.zeros(3))
    assert wg.cumsum(from_array(np.ones(3)), 0, out=room) is room
    np.testing.assert_array_equal(to_array(room), [1, 2, 3])
