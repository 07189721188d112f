"""cummax, cummin and logcumsumexp by their kernels: every dtype, long lines, ties, NaN, layouts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wengert_core as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert_core.drivers.decomposed import as_dtype
from wengert_core.exchange.arrays import from_array, to_array

INTEGERS = ["bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"]


def plain_extremes(x: np.ndarray[Any, Any], largest: bool) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The best so far and the last place where it was, of each row: one element after the other."""
    values, places = x.copy(), np.zeros(x.shape, np.int64)
    for row in range(len(x)):
        best, at = x[row, 0], 0
        for i, v in enumerate(x[row].tolist()):
            if v != v or (best == best and (v >= best if largest else v <= best)):
                best, at = v, i
            values[row, i], places[row, i] = best, at
    return values, places


def check(x: np.ndarray[Any, Any], name: str, form: str) -> None:
    rows = {"rows": x, "columns": np.ascontiguousarray(x.T).T, "gaps": np.repeat(x, 3, axis=1)[:, ::3]}[form]
    t = from_array(rows)
    values, places = getattr(wg, name)(t, 1)
    want, where = plain_extremes(x, name == "cummax")
    got = to_array(values)
    assert got.dtype == x.dtype
    assert to_array(places).tolist() == where.tolist()
    np.testing.assert_array_equal(got, want)
    if x.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(got[got == 0]), np.signbit(want[got == 0]))


@pytest.mark.parametrize("form", ["rows", "columns", "gaps"])
@pytest.mark.parametrize("name", ["cummax", "cummin"])
@pytest.mark.parametrize("dtype", [*INTEGERS, "float16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(3, 1), (2, 31), (9, 33), (5, 300), (300, 7)])
def test_every_dtype_in_rows_and_columns(shape: tuple[int, int], dtype: str, name: str, form: str) -> None:
    rng = np.random.default_rng(shape[0])
    x = rng.normal(size=shape) * 20
    kind = np.dtype(dtype).kind
    if kind == "f":
        x[rng.random(shape) < 0.2] = -0.0
        x[rng.random(shape) < 0.02] = np.nan
        x[rng.random(shape) < 0.02] = np.inf
    check(np.round(np.abs(x) if kind == "u" else x).astype(dtype), name, form)


@pytest.mark.parametrize("dtype", INTEGERS[1:])
@pytest.mark.parametrize("name", ["cummax", "cummin"])
def test_ends_of_the_range(name: str, dtype: str) -> None:
    ends = np.iinfo(dtype)
    x = np.array([[0, ends.max, ends.min, ends.max // 2 + 1, ends.max, ends.min] * 9], dtype)
    for line in (x, x[:, ::-1].copy(), x[:, 1:].copy(), x[:, 2:].copy()):
        check(line, name, "rows")


@settings(deadline=None, max_examples=40)
@given(data=st.data(), name=st.sampled_from(["cummax", "cummin"]), form=st.sampled_from(["rows", "columns", "gaps"]))
def test_few_values_and_many_ties(data: st.DataObject, name: str, form: str) -> None:
    n = data.draw(st.integers(1, 140))
    value = st.sampled_from([0.0, -0.0, 1.0, -1.0, float("nan"), float("inf"), float("-inf")])
    line = data.draw(st.lists(value, min_size=n, max_size=n))
    dtype = data.draw(st.sampled_from(["float32", "float64"]))
    check(np.array([line] * data.draw(st.sampled_from([1, 9])), dtype), name, form)


def test_bfloat16_and_dims_in_the_middle() -> None:
    x = np.round(np.random.default_rng(3).normal(size=(4, 70, 5)) * 9).astype(np.float32)
    values, places = wg.cummax(as_dtype(from_array(x), "bfloat16"), 1)
    want, where = plain_extremes(np.moveaxis(x, 1, 2).reshape(20, 70), True)
    np.testing.assert_array_equal(np.moveaxis(to_array(as_dtype(values, "float32")), 1, 2).reshape(20, 70), want)
    np.testing.assert_array_equal(np.moveaxis(to_array(places), 1, 2).reshape(20, 70), where)


# ---- log-sums
def log_sums(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Of each row, one element after the other, in double precision."""
    with np.errstate(invalid="ignore"):
        result: np.ndarray[Any, Any] = np.logaddexp.accumulate(x.astype(np.float64), axis=1)
    return result


@pytest.mark.parametrize("form", ["rows", "columns", "gaps"])
@pytest.mark.parametrize(("dtype", "error"), [("float16", 1e-3), ("float32", 2e-7), ("float64", 1e-14)])
@pytest.mark.parametrize("shape", [(1, 1), (3, 95), (10, 97), (2, 400)])
def test_log_sums(shape: tuple[int, int], dtype: str, error: float, form: str) -> None:
    x = (np.random.default_rng(7).normal(size=shape) * 10).astype(dtype)
    rows = {"rows": x, "columns": np.ascontiguousarray(x.T).T, "gaps": np.repeat(x, 2, axis=1)[:, ::2]}[form]
    got = to_array(wg.logcumsumexp(from_array(rows), 1))
    assert got.dtype == x.dtype
    np.testing.assert_allclose(got, log_sums(x), rtol=error, atol=error)


@pytest.mark.parametrize("first", [[], [-np.inf, -np.inf], [800.0], [-800.0]])
def test_log_sums_of_infinities(first: list[float]) -> None:
    x = np.array([[*first, 1.0, -np.inf, 2.0, np.inf, 3.0, np.inf, -np.inf, np.nan, 4.0]])
    np.testing.assert_allclose(to_array(wg.logcumsumexp(from_array(x), 1)), log_sums(x), rtol=1e-15)


def test_a_small_share_is_not_lost() -> None:
    got = to_array(wg.logcumsumexp(from_array(np.array([0.0, -40.0, -41.0])), 0))
    np.testing.assert_allclose(got, [0, np.exp(-40), np.exp(-40) + np.exp(-41)], rtol=1e-15)
