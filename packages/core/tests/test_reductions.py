"""Reductions against NumPy in higher precision: dims, layouts, dtypes, out=; means, variances, norms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wengert_core as wg
from wengert_core.drivers.decomposed import as_dtype
from wengert_core.exchange.arrays import from_array, to_array

SHAPES = [(4, 5, 6), (1, 7, 1), (3, 1, 2, 5), (6,), ()]
DIMS: dict[int, list[Any]] = {
    4: [None, 0, -1, (0, 2), (1, 3), (3, 0), (0, 1, 2, 3), [2]],
    3: [None, 0, 1, 2, -1, (0, 2), (0, 1), (1, 2), (0, 1, 2)],
    1: [None, 0, -1, (0,)],
    0: [None, 0, -1],
}
LAYOUTS = ["contiguous", "transposed", "strided", "swapped"]
ORACLES: dict[str, Any] = {
    "sum": np.sum,
    "mean": np.mean,
    "amax": np.max,
    "amin": np.min,
    "any": np.any,
    "all": np.all,
    "var": lambda x, axis, keepdims: np.var(x, axis=axis, keepdims=keepdims, ddof=0),
    "std": lambda x, axis, keepdims: np.std(x, axis=axis, keepdims=keepdims, ddof=0),
    "norm": lambda x, axis, keepdims: np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims)),
    "nansum": np.nansum,
    "count_nonzero": lambda x, axis, keepdims: np.sum(x != 0, axis=axis, keepdims=keepdims),
    "logsumexp": lambda x, axis, keepdims: np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims)),
}
SETTINGS: dict[str, dict[str, Any]] = {"var": {"correction": 0}, "std": {"correction": 0}}
CASES = [
    (name, shape, dim)
    for name in ORACLES
    for shape in SHAPES
    for dim in DIMS[len(shape)]
    if name != "logsumexp" or dim is not None
]


def data(shape: tuple[int, ...], layout: str) -> np.ndarray[Any, Any]:
    """Numbers with some zeros, in a layout."""
    x = np.asarray(np.round(np.random.default_rng(3).normal(size=shape), 1))
    if layout == "transposed":
        return x.T.copy().T
    if layout == "strided":
        return np.repeat(x, 2, axis=-1)[..., ::2] if x.ndim else x
    return np.moveaxis(np.moveaxis(x, 0, -1).copy(), -1, 0) if layout == "swapped" and x.ndim > 1 else x


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("name", "shape", "dim"), CASES)
def test_against_numpy(name: str, shape: tuple[int, ...], dim: Any, layout: str) -> None:
    x = data(shape, layout)
    axis = (tuple(dim) if isinstance(dim, list) else dim) if x.ndim else None
    keeps = [False] if name == "count_nonzero" else [False, True]
    for keepdim in keeps:
        extra = SETTINGS.get(name, {}) | ({"keepdim": keepdim} if name != "count_nonzero" else {})
        if name == "norm":
            got = wg.norm(from_array(x), 2, dim, **extra)
        else:
            got = getattr(wg, name)(from_array(x), dim=dim, **extra)
        want = np.asarray(ORACLES[name](x, axis=axis, keepdims=keepdim))
        np.testing.assert_allclose(to_array(got), want, rtol=1e-12, atol=1e-12)
        assert tuple(got.shape) == want.shape


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"])
def test_integers_sum_and_multiply_in_int64(dtype: str, layout: str) -> None:
    x = (data((4, 5, 6), layout) * 3).astype(dtype)
    for dim in (None, 1, (0, 2)):
        got = wg.sum(from_array(x), dim)
        assert got.dtype.name == "int64"
        np.testing.assert_array_equal(to_array(got), x.sum(axis=dim, dtype=np.int64))
    np.testing.assert_array_equal(to_array(wg.prod(from_array(x), 1)), x.prod(axis=1, dtype=np.int64))
    np.testing.assert_array_equal(to_array(wg.amax(from_array(x), (0, 2))), x.max(axis=(0, 2)))
    np.testing.assert_array_equal(to_array(wg.any(from_array(x), 0)), x.any(axis=0))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_low_precision_accumulates_in_float32(dtype: str) -> None:
    t = as_dtype(from_array(np.full((3, 5000), 0.1, np.float32)), dtype)
    exact = float(to_array(t)[0, 0])
    tolerance = 1e-3 if dtype == "float16" else 8e-3
    np.testing.assert_allclose(to_array(t.sum(1)), exact * 5000, rtol=tolerance)
    np.testing.assert_allclose(to_array(t.mean()), exact, rtol=tolerance)
    np.testing.assert_allclose(to_array(t.sum((0, 1), dtype=wg.float32)), exact * 15000, rtol=1e-6)
    np.testing.assert_allclose(to_array(t.var(1)), 0, atol=1e-6)
    assert t.sum().dtype.name == dtype


@pytest.mark.parametrize("n", [10, 1 << 16, 300_001])
def test_long_sums(n: int) -> None:
    x = np.random.default_rng(1).normal(size=n).astype(np.float32)
    got = float(wg.sum(from_array(x)))
    assert abs(got - float(x.astype(np.float64).sum())) <= 1e-6 * float(np.abs(x).sum())
    wide = from_array(np.ones((n // 5, 5), np.float32))
    np.testing.assert_array_equal(to_array(wide.sum(0)), np.full(5, n // 5))
    np.testing.assert_array_equal(to_array(wide.sum((0, 1))), n // 5 * 5)


def test_out_is_resized_or_converted() -> None:
    t = from_array(np.arange(6.0).reshape(2, 3))
    room = from_array(np.zeros(3, np.float64))
    assert wg.sum(t, 0, out=room) is room
    np.testing.assert_array_equal(to_array(room), [3, 5, 7])
    empty = from_array(np.zeros(0))
    np.testing.assert_array_equal(to_array(wg.amax(t, 1, out=empty)), [2, 5])
    with pytest.raises(RuntimeError, match="can't be cast"):
        wg.mean(t, out=from_array(np.zeros((), np.int64)))
    with pytest.warns(UserWarning, match="was resized"):
        wg.sum(t, 1, out=room)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4)])
def test_of_nothing(shape: tuple[int, ...]) -> None:
    t = from_array(np.zeros(shape))
    for dim in (None, *range(len(shape))):
        np.testing.assert_array_equal(to_array(wg.sum(t, dim)), np.zeros(shape).sum(axis=dim))
        product = wg.prod(t) if dim is None else wg.prod(t, dim)
        np.testing.assert_array_equal(to_array(product), np.zeros(shape).prod(axis=dim))
        np.testing.assert_array_equal(to_array(wg.all(t, dim)), np.zeros(shape).all(axis=dim))
        if dim is not None and shape[dim] == 0:
            with pytest.raises(IndexError, match="to have non-zero size"):
                wg.amax(t, dim)
            with pytest.raises(IndexError, match="to have non-zero size"):
                wg.max(t, dim)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["max", "min"])
def test_extremes_with_places(name: str, layout: str) -> None:
    x = data((4, 5, 6), layout)
    x[1, 2, 3] = np.nan
    for dim in (0, 1, 2, -1):
        values, places = getattr(wg, name)(from_array(x), dim)
        np.testing.assert_array_equal(to_array(values), getattr(np, name)(x, axis=dim))
        np.testing.assert_array_equal(to_array(places), getattr(np, f"arg{name}")(x, axis=dim))
        kept = getattr(wg, name)(from_array(x), dim, keepdim=True)
        assert tuple(kept.values.shape) == getattr(np, name)(x, axis=dim, keepdims=True).shape
    whole = getattr(wg, f"arg{name}")(from_array(x))
    assert int(whole) == getattr(np, f"arg{name}")(x)


@pytest.mark.parametrize("p", [0, 0.5, 1, 2, 3, 4.5, float("inf"), float("-inf")])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_norms(p: float, dtype: str) -> None:
    x = data((4, 5), "contiguous").astype(dtype) + (1j if dtype[0] == "c" else 0.05)
    got = wg.norm(from_array(x), p, 1)
    want = np.linalg.norm(np.abs(x.astype("c16")), p, axis=1)
    np.testing.assert_allclose(to_array(got), want, rtol=1e-5 if dtype == "float32" else 1e-12)


def test_logsumexp_does_not_overflow() -> None:
    x = from_array(np.array([[1000.0, 1000.0], [-1000.0, -1001.0], [-np.inf, -np.inf], [np.inf, 0.0]]))
    got = to_array(wg.logsumexp(x, 1))
    np.testing.assert_allclose(got, [1000 + np.log(2), -1000 + np.log1p(np.exp(-1)), -np.inf, np.inf])


def test_variance_of_large_numbers_keeps_its_digits() -> None:
    x = 1e8 + np.random.default_rng(0).normal(size=1000)
    np.testing.assert_allclose(float(from_array(x).var()), x.var(ddof=1), rtol=1e-10)


def test_named_results_print_as_torch_has_them() -> None:
    result = wg.max(from_array(np.array([[1.0, 3.0]])), 1)
    assert repr(result).startswith("torch.return_types.max(\nvalues=")
    assert result.__match_args__ == ("values", "indices")
    assert result[0] is result.values


@pytest.mark.parametrize("dim", [3, -4])
@pytest.mark.parametrize("name", ["sum", "mean", "amax", "argmax", "prod", "any", "var", "cumsum", "sort", "max"])
def test_dims_out_of_range(name: str, dim: int) -> None:
    with pytest.raises(IndexError, match=r"Dimension out of range \(expected to be in range of \[-3, 2\], but got"):
        getattr(wg, name)(from_array(np.zeros((2, 2, 2))), dim)
