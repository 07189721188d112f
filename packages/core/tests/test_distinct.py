"""unique, unique_consecutive and mode by their kernels, against NumPy and against one loop over elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wengert_core as wg
from wengert_core.drivers.decomposed import as_dtype
from wengert_core.exchange.arrays import from_array, to_array

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint64", "float16", "float32", "float64"]
SHAPES = [(1,), (7,), (300,), (5000,), (12, 30), (3, 4, 5)]


def data(shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    """Whole numbers, few different ones. Below, floats are widened: NumPy misplaces some float16 among both zeros."""
    x = np.round(np.random.default_rng(4).normal(size=shape) * 3)
    return (np.abs(x) if np.dtype(dtype).kind in "ub" else x).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_distinct_values(shape: tuple[int, ...], dtype: str) -> None:
    x = data(shape, dtype)
    values, inverse, counts = wg.unique(from_array(x), return_inverse=True, return_counts=True)
    want = np.unique(x.astype(x.dtype if x.dtype.kind != "f" else np.float64), return_counts=True)
    np.testing.assert_array_equal(to_array(values), want[0])
    np.testing.assert_array_equal(to_array(counts), want[1])
    assert inverse.shape == x.shape
    np.testing.assert_array_equal(to_array(values)[to_array(inverse)], x)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_runs(shape: tuple[int, ...], dtype: str) -> None:
    x = data(shape, dtype)[..., ::-1].copy()
    values, inverse, counts = wg.unique_consecutive(from_array(x), return_inverse=True, return_counts=True)
    starts = np.append(True, x.reshape(-1)[1:] != x.reshape(-1)[:-1])
    np.testing.assert_array_equal(to_array(values), x.reshape(-1)[starts])
    np.testing.assert_array_equal(to_array(inverse), (np.cumsum(starts) - 1).reshape(x.shape))
    np.testing.assert_array_equal(to_array(counts), np.diff(np.append(np.flatnonzero(starts), x.size)))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_nan_is_equal_to_nothing_and_zeros_are_one(dtype: str) -> None:
    t = as_dtype(from_array(np.array([np.nan, 0.0, -0.0, np.nan, -1.0, np.inf, -np.inf])), dtype)
    values, inverse, counts = wg.unique(t, return_inverse=True, return_counts=True)
    want = [-np.inf, -1, 0, np.inf, np.nan, np.nan]
    np.testing.assert_array_equal(to_array(as_dtype(values, "float64")), want)
    assert to_array(inverse).tolist() == [4, 2, 2, 5, 1, 3, 0]
    assert to_array(counts).tolist() == [1, 1, 2, 1, 1, 1]
    twice = as_dtype(from_array(np.array([np.nan, np.nan, 0.0, -0.0, 1.0])), dtype)
    assert to_array(wg.unique_consecutive(twice, return_counts=True)[1]).tolist() == [1, 1, 2, 1]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("shape", [(1, 9), (9, 40), (300, 11)])
def test_most_frequent(shape: tuple[int, int], dim: int, keepdim: bool, dtype: str) -> None:
    x = data(shape, dtype)
    values, places = (to_array(part) for part in wg.mode(from_array(x), dim, keepdim))
    for i, line in enumerate(np.moveaxis(x, dim, -1)):
        found, counts = np.unique(line.astype(np.float64), return_counts=True)
        best = found[counts.argmax()]
        assert np.moveaxis(values, dim, -1)[i, 0] == best if keepdim else values[i] == best
        at = np.moveaxis(places, dim, -1)[i, 0] if keepdim else places[i]
        assert at == np.flatnonzero(line == best)[-1]


def test_most_frequent_with_nan() -> None:
    x = from_array(np.array([[np.nan, np.nan, 2.0, 1.0], [np.nan] * 4, [np.nan, 3.0, 3.0, np.nan]]))
    values, places = wg.mode(x, 1)
    np.testing.assert_array_equal(to_array(values), [1, np.nan, 3])
    assert to_array(places).tolist() == [3, 0, 2]


# ---- rows of every length: whole vectors, eights and single elements
ROWS = [
    (name, dtype)
    for name in ("sum", "prod", "amax", "any")
    for dtype in ("int8", "int32", "int64", "float32", "float64", "complex64", "complex128")
    if name != "amax" or not dtype.startswith("complex")  # which have no order
]


@pytest.mark.parametrize(("name", "dtype"), ROWS)
def test_rows_of_every_length(name: str, dtype: str) -> None:
    rng = np.random.default_rng(5)
    for n in (*range(1, 150), 300, 1023, 1031, 2060):
        x = rng.choice([-1, 1, 2] if name != "prod" else [-1, 1], size=(2, n)).astype(dtype)
        got = to_array(getattr(wg, name)(from_array(x), 1))
        np.testing.assert_array_equal(got, getattr(np, name)(x, axis=1))


@pytest.mark.parametrize("function", ["unique", "unique_consecutive"])
@pytest.mark.parametrize(("inverse", "counts"), [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize(("shape", "dim"), [((), None), ((0,), None), ((5000,), None), ((12, 30), None), ((12, 3), 0)])
def test_outputs_that_are_asked_for(
    shape: tuple[int, ...], dim: int | None, inverse: bool, counts: bool, function: str
) -> None:
    """They are the same, whichever others are asked for."""
    x = from_array(np.asarray(data(shape, "float32")))
    both = getattr(wg, function)(x, return_inverse=True, return_counts=True, dim=dim)
    some = getattr(wg, function)(x, return_inverse=inverse, return_counts=counts, dim=dim)
    some = some if inverse or counts else (some,)
    want = [both[0], *([both[1]] if inverse else []), *([both[2]] if counts else [])]
    assert len(some) == len(want)
    for one, other in zip(some, want, strict=True):
        np.testing.assert_array_equal(to_array(one), to_array(other))
        assert one.shape == other.shape
        assert one.dtype is other.dtype


@pytest.mark.parametrize("runs", [1, 2, 3, 700, 5000])
def test_few_and_many_runs(runs: int) -> None:
    """The first of each run is kept: -0.0 behind 0.0 is not."""
    x = np.sort(np.random.default_rng(8).integers(0, runs, 5000)).astype(np.float64)
    x[x == 0] = -0.0
    x[0] = 0.0
    values, counts = wg.unique_consecutive(from_array(x), return_counts=True)
    want = np.unique(x, return_counts=True)
    np.testing.assert_array_equal(to_array(values), want[0])
    np.testing.assert_array_equal(to_array(counts), want[1])
    assert not np.signbit(to_array(values)[0]) or x[0] != 0
