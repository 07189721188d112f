"""Results that fit a dtype, of intermediate numbers that do not."""

import math

import numpy as np
import pytest
import wengert_core as wc


@pytest.mark.parametrize("dtype", [wc.float32, wc.float64], ids=str)
def test_histc_over_the_whole_range_counts(dtype):
    largest = wc.finfo(dtype).max
    x = wc.tensor([-largest, -largest / 4, 0.0, largest / 4, largest], dtype=dtype)
    assert wc.histc(x, 4).tolist() == [1, 1, 2, 1]
    assert wc.histc(x, 4, -largest, largest).tolist() == [1, 1, 2, 1]
    assert wc.histc(wc.tensor([0.0, 1.0], dtype=dtype), 4, -largest, largest).tolist() == [0, 0, 2, 0]


def test_mode_counts_numbers_and_no_nan():
    inf, nan = math.inf, math.nan
    values, places = wc.tensor([[inf, nan, inf, 2.0], [nan, nan, nan, 1.0]]).mode(1)
    assert values.tolist() == [inf, 1.0]
    assert places.tolist() == [2, 3]


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_ldexp_is_rounded_once(name):
    rng = np.random.default_rng(0)
    x = (rng.standard_normal(2000) * 2.0 ** rng.integers(-12, 12, 2000)).astype(name)
    n = rng.integers(-1100, 1100, 2000) if name == "float64" else rng.integers(-160, 160, 2000)
    with np.errstate(over="ignore", under="ignore"):
        wanted = np.ldexp(x, n.astype("int32"))
    np.testing.assert_array_equal(wc.ldexp(wc.from_numpy(x), wc.from_numpy(n)).numpy(), wanted)


@pytest.mark.parametrize("name", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
def test_lcm_is_numpys_where_it_fits(name):
    rng = np.random.default_rng(1)
    least = 0 if name.startswith("uint") else -11
    a, b = (rng.integers(least, 12, 500).astype(name) for _ in range(2))
    np.testing.assert_array_equal(wc.lcm(wc.from_numpy(a), wc.from_numpy(b)).numpy(), np.lcm(a, b))


def test_cumsum_of_complex64_agrees_with_complex128():
    x = np.random.default_rng(2).standard_normal((3, 20_000, 2)).astype("float32").view("complex64")[..., 0]
    wanted = np.cumsum(x.astype("complex128"), 1).astype("complex64")
    np.testing.assert_array_equal(wc.cumsum(wc.from_numpy(x), 1).numpy(), wanted)


def test_geometries_with_sizes_and_strides_of_two_lengths_are_refused():
    with pytest.raises(RuntimeError, match=r"mismatch in length of strides and shape: \[4\] and \[1, 1\]"):
        wc.restride(wc.ones(4), ((4,), (1, 1), 0), ((4,), (1,), 0))
