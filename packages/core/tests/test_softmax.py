"""softmax, log_softmax and their gradients against formulas in float64, for dims, layouts and dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wengert_core as wg
from wengert_core.exchange.arrays import from_array, to_array
from wengert_core.ops.reduce.softmax import exponentials, logarithms

TOLERANCE = {"float16": 1e-3, "float32": 1e-6, "float64": 1e-14}
REFERENCES = {"softmax": exponentials, "log_softmax": logarithms}
SHAPES = [(7,), (3, 5), (2, 3, 4), (1, 6), (5, 1), (4, 300), ()]


def layouts(array: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """The same values as they are, transposed in memory, and with gaps."""
    if array.ndim == 0:
        return [np.asarray(array)]
    return [array, np.ascontiguousarray(array.T).T, np.repeat(array, 2, -1)[..., ::2]]


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", REFERENCES)
def test_along_every_dim(name: str, shape: tuple[int, ...], dtype: str) -> None:
    rng = np.random.default_rng(0)
    array = (4 * rng.standard_normal(shape)).astype(dtype)
    for x in layouts(array):
        for dim in range(-array.ndim, max(array.ndim, 1)):
            want = REFERENCES[name](np, np.atleast_1d(x).astype(np.float64), dim).reshape(shape)
            got = getattr(wg, name)(from_array(x), dim)
            assert got.dtype.name == dtype
            assert got.is_contiguous()
            np.testing.assert_allclose(to_array(got), want, rtol=TOLERANCE[dtype], atol=4 * TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", REFERENCES)
def test_gradient_from_the_result(name: str, shape: tuple[int, ...], dtype: str) -> None:
    rng = np.random.default_rng(1)
    x, grad = (rng.standard_normal(shape) for _ in range(2))
    for dim in range(max(len(shape), 1)):
        result = REFERENCES[name](np, np.atleast_1d(x), dim).reshape(shape).astype(dtype)
        y, g = np.atleast_1d(result).astype(np.float64), np.atleast_1d(grad.astype(dtype)).astype(np.float64)
        if name == "softmax":
            want = y * (g - (g * y).sum(dim, keepdims=True))
        else:
            want = g - np.exp(y) * g.sum(dim, keepdims=True)
        for given in layouts(grad.astype(dtype)):
            got = wg.TABLE.ops[f"_{name}_backward_data"](from_array(given), from_array(result), dim)
            assert got.dtype.name == dtype
            np.testing.assert_allclose(
                to_array(got), want.reshape(shape), rtol=20 * TOLERANCE[dtype], atol=20 * TOLERANCE[dtype]
            )


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("shape", [(40, 8), (3, 64), (300, 65), (2, 100, 3, 43), (700, 130)], ids=str)
@pytest.mark.parametrize("name", REFERENCES)
def test_columns_side_by_side(name: str, shape: tuple[int, ...], dtype: str) -> None:
    rng = np.random.default_rng(3)
    dim = len(shape) // 4
    x, grad = (rng.standard_normal(shape).astype(dtype) for _ in range(2))
    want = REFERENCES[name](np, x.astype(np.float64), dim)
    got = getattr(wg, name)(from_array(x), dim)
    tolerance = 8 * TOLERANCE[dtype]
    np.testing.assert_allclose(to_array(got), want, rtol=tolerance, atol=tolerance)
    y, g = to_array(got).astype(np.float64), grad.astype(np.float64)
    if name == "softmax":
        slope = y * (g - (g * y).sum(dim, keepdims=True))
    else:
        slope = g - np.exp(y) * g.sum(dim, keepdims=True)
    got = wg.TABLE.ops[f"_{name}_backward_data"](from_array(grad), got, dim)
    np.testing.assert_allclose(to_array(got), slope, rtol=20 * tolerance, atol=20 * tolerance)


def test_one_column_beside_others_is_not_a_number() -> None:
    x = np.random.default_rng(4).standard_normal((50, 16)).astype(np.float32)
    x[0, 1], x[49, 2], x[7, 3], x[:, 4], x[:9, 5] = np.nan, np.nan, np.inf, -np.inf, -np.inf
    for function, of_minus_inf in ((wg.softmax, 0), (wg.log_softmax, -np.inf)):
        got = to_array(function(from_array(x), 0))
        assert np.isnan(got).all(0).tolist() == [1 <= j <= 4 for j in range(16)]
        assert (got[:9, 5] == of_minus_inf).all()
        assert not np.isnan(got[:, 5:]).any()


def test_bfloat16_rounds_once() -> None:
    x = wg.tensor([1.0, 2.0, 4.0], dtype=wg.bfloat16)
    want = x.float().softmax(0).to(wg.bfloat16)
    assert x.softmax(0).tolist() == want.tolist()


def test_large_and_infinite_inputs() -> None:
    assert wg.tensor([1000.0, 1000.0, -1000.0]).softmax(0).tolist() == [0.5, 0.5, 0.0]
    assert wg.tensor([1000.0, 0.0]).log_softmax(0).tolist() == [0.0, -1000.0]
    assert wg.tensor([-float("inf"), 0.0]).softmax(0).tolist() == [0.0, 1.0]
    for bad in ([float("nan"), 1.0], [float("inf"), 1.0], [-float("inf")] * 2):
        assert np.isnan(to_array(wg.tensor(bad).softmax(0))).any()


def test_large_tensors_without_the_lock() -> None:
    array = np.random.default_rng(2).standard_normal((300, 400))
    np.testing.assert_allclose(to_array(from_array(array).softmax(1)), exponentials(np, array, 1), rtol=1e-13)
    np.testing.assert_allclose(to_array(from_array(array).log_softmax(0)), logarithms(np, array, 0), rtol=1e-12)


def test_gradient_of_another_shape_is_refused() -> None:
    with pytest.raises(RuntimeError, match="must be equal"):
        wg.TABLE.ops["_softmax_backward_data"](wg.ones(2), wg.ones(3), 0)


def test_out() -> None:
    out = wg.empty(2, dtype=wg.float64)
    assert wg.softmax(wg.zeros(2, dtype=wg.float64), 0, out=out) is out
    assert out.tolist() == [0.5, 0.5]
