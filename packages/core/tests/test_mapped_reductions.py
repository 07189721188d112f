"""nansum, counts and norms without a tensor of what is added, and extremes with their places, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wengert_core as wg
from wengert_core.drivers.decomposed import as_dtype
from wengert_core.exchange.arrays import from_array, to_array

Array = np.ndarray[Any, Any]
SHAPES: list[tuple[tuple[int, ...], Any]] = [
    ((), None), ((7,), None), ((0,), None), ((3, 0), 1), ((0, 3), 1), ((30, 1200), 1), ((1200, 30), 0),
    ((40, 5, 60), (0, 2)), ((5, 40, 60), (0, 2)), ((6, 7, 8), 1), ((70_000, 3), 0), ((300_000,), None),
]
LAYOUTS = ["contiguous", "transposed", "gaps"]


def lay_out(x: Array, layout: str) -> Any:
    """A tensor of these values that lies otherwise in memory."""
    if layout == "transposed" and x.ndim:
        order = tuple(range(x.ndim))[::-1]
        return from_array(np.ascontiguousarray(x.transpose(order))).permute(order)
    if layout == "gaps" and x.ndim:
        wide = np.zeros((*x.shape[:-1], 3 * x.shape[-1]), x.dtype)
        wide[..., ::3] = x
        return from_array(wide)[..., ::3]
    return from_array(x)


def data(shape: tuple[int, ...], dtype: str = "float64") -> Array:
    """Numbers among which are zeros, negative zeros and NaN, where the dtype has them."""
    r = np.random.default_rng(3)
    x = np.round(r.normal(size=shape) * 2) / 2
    if np.dtype(dtype).kind in "fc":
        x = np.where(r.random(shape) < 0.1, np.nan, np.where(x == 0, -x, x))
    return np.asarray(np.abs(x) if np.dtype(dtype).kind == "u" else x).astype(dtype)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("shape", "dim"), SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32"])
def test_nansum(dtype: str, shape: tuple[int, ...], dim: Any, layout: str) -> None:
    x = data(shape, dtype)
    got = wg.nansum(lay_out(x, layout), dim)
    want = np.nansum(x.astype(np.float64), axis=dim)
    assert got.dtype is (wg.int64 if dtype == "int32" else getattr(wg, dtype))
    np.testing.assert_allclose(to_array(as_dtype(got, "float64")), want, rtol=2e-3 if dtype == "float16" else 1e-5,
                               atol=1e-3)


def test_nansum_of_bfloat16() -> None:
    t = as_dtype(from_array(np.array([1.0, np.nan, 2.5, np.inf])), "bfloat16")
    assert wg.nansum(t).item() == np.inf
    assert wg.nansum(t[:3]).item() == 3.5
    assert wg.nansum(t[:3]).dtype is wg.bfloat16


@pytest.mark.parametrize("ends", [(0, 1), (0, 299_999)])
def test_a_nan_that_comes_of_the_sum_stays(ends: tuple[int, int]) -> None:
    """In one section of a long sum, and of two sections."""
    x = np.ones(300_000)
    x[list(ends)] = np.inf, -np.inf
    assert np.isnan(wg.nansum(from_array(x)).item())
    three = np.ones((20, 3, 20))
    three[0, 0, 0], three[0, 0, 1] = np.inf, -np.inf
    assert to_array(wg.nansum(from_array(three), (0, 2)).isnan()).tolist() == [True, False, False]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("shape", "dim"), SHAPES)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint64", "float16",
                                   "float32", "float64", "complex64", "complex128"])
def test_count_nonzero(dtype: str, shape: tuple[int, ...], dim: Any, layout: str) -> None:
    x = data(shape, dtype)
    got = wg.count_nonzero(lay_out(x, layout), dim)
    assert got.dtype is wg.int64
    np.testing.assert_array_equal(to_array(got), np.count_nonzero(x, axis=dim))


def test_count_nonzero_of_negative_zeros_and_bfloat16() -> None:
    t = as_dtype(from_array(np.array([0.0, -0.0, np.nan, 1e-30])), "bfloat16")
    assert wg.count_nonzero(t).item() == 2
    assert wg.count_nonzero(from_array(np.ones((1, 3))).expand(1 << 20, 3)).item() == 3 << 20


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("shape", "dim"), SHAPES)
@pytest.mark.parametrize("ord", [1, 2, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_norms(dtype: str, ord: float, shape: tuple[int, ...], dim: Any, layout: str) -> None:
    x = np.asarray(data(shape, dtype))
    if np.isinf(ord) and not x.size:
        return                         # an error; test_reductions
    size = np.abs(x)
    want = (size.max(axis=dim) if ord > 0 else size.min(axis=dim)) if np.isinf(ord) \
        else (size.astype(np.float64) ** ord).sum(axis=dim) ** (1 / ord)
    got = wg.linalg_vector_norm(lay_out(x, layout), ord, dim)
    assert got.dtype is (wg.float32 if dtype == "complex64" else getattr(wg, dtype))
    np.testing.assert_allclose(to_array(got), want, rtol=1e-5)
    clean = np.asarray(np.nan_to_num(x))
    size = np.abs(clean)
    want = (size.max(axis=dim) if ord > 0 else size.min(axis=dim)) if np.isinf(ord) \
        else (size.astype(np.float64) ** ord).sum(axis=dim) ** (1 / ord)
    got = wg.linalg_vector_norm(lay_out(clean, layout), ord, dim, keepdim=True)
    np.testing.assert_allclose(to_array(got).reshape(want.shape), want, rtol=1e-5)


@pytest.mark.parametrize("name", ["nansum", "count_nonzero", "norm"])
def test_the_same_from_two_threads(name: str) -> None:
    t = from_array(data((400_000,)).astype(np.float32))
    before = wg.get_num_threads()
    results = []
    for threads in (1, 2):
        wg.set_num_threads(threads)
        t_or_clean = t if name == "nansum" else wg.nan_to_num(t)
        results.append(getattr(wg, name)(t_or_clean, *([1] if name == "norm" else [])).item())
    wg.set_num_threads(before)
    assert results[0] == results[1]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize(("shape", "dim"), [((64, 64), 0), ((64, 64), 1), ((9, 40, 30), 1), ((3000,), 0),
                                            ((2000, 700), 0), ((40, 3), 0)])
@pytest.mark.parametrize("dtype", ["int64", "float16", "float32", "float64"])
def test_extremes_with_their_places(dtype: str, shape: tuple[int, ...], dim: int, keepdim: bool, layout: str) -> None:
    """The values are those at the places, among many elements as among few; NaN comes first."""
    x = data(shape, dtype)
    for name in ("max", "min"):
        values, places = getattr(wg, name)(lay_out(x, layout), dim, keepdim=keepdim)
        at = np.expand_dims(getattr(np, f"arg{name}")(x, axis=dim), dim)
        want = np.take_along_axis(x, at, dim)
        np.testing.assert_array_equal(to_array(places).reshape(at.shape), at)
        np.testing.assert_array_equal(to_array(values).reshape(at.shape), want)
        assert tuple(values.shape) == (want.shape if keepdim else want.squeeze(dim).shape)
        assert values.dtype is getattr(wg, dtype)
        assert values.is_contiguous()


@pytest.mark.parametrize("columns", [4, 40, 600])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dim", [0, 1, 2])
def test_index_select_and_add_along_each_dim(dim: int, layout: str, columns: int) -> None:
    x = np.random.default_rng(1).integers(-9, 9, (20, 30, 50)).astype(np.float32)
    index = np.random.default_rng(2).integers(0, x.shape[dim], columns)
    t = lay_out(x, layout)
    got = t.index_select(dim, from_array(index))
    np.testing.assert_array_equal(to_array(got), np.take(x, index, dim))
    total = x.copy()
    np.add.at(total, (slice(None),) * dim + (index,), np.take(x, index, dim))
    np.testing.assert_array_equal(to_array(t.index_add(dim, from_array(index), got)), total)


@pytest.mark.parametrize("n", [1, 2, 3, 50])
@pytest.mark.parametrize("dim", [0, 1])
def test_trapezoids_of_one_width(n: int, dim: int) -> None:
    x = np.random.default_rng(5).normal(size=(n, 4) if dim == 0 else (4, n))
    got = wg.trapezoid(from_array(x), dx=0.5, dim=dim)
    np.testing.assert_allclose(to_array(got), np.trapezoid(x, dx=0.5, axis=dim), rtol=1e-12, atol=1e-12)
    whole = np.arange(4 * n).reshape(x.shape)
    np.testing.assert_allclose(to_array(wg.trapezoid(from_array(whole), dim=dim)), np.trapezoid(whole, axis=dim))


def test_trapezoids_with_infinite_ends() -> None:
    assert wg.trapezoid(wg.tensor([float("inf"), 1.0, 2.0])).item() == np.inf
    assert wg.trapezoid(wg.tensor([1.0, 1.0, -float("inf")])).item() == -np.inf
