"""Numbers drawn in C are those that NumPy draws from the same state; normal ones nearly those of the reference."""

from __future__ import annotations

import math
import os
import threading

import numpy as np
import pytest
import wengert_core as wc
from wengert_core.rng import pcg64, samplers

PLAIN = os.environ.get("WENGERT_KERNELS") == "python"
INT64 = np.iinfo(np.int64)
in_c = pytest.mark.skipif(PLAIN, reason="with plain kernels NumPy draws")


def generators(seed):
    return np.random.default_rng(seed), np.random.default_rng(seed)


def state(rng):
    return rng.bit_generator.state


@in_c
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [0, 1, 2, 7, 1000, 40001])
def test_uniform_numbers(dtype, n):
    ours, numpys = generators(n)
    for _ in range(2):  # the second time with a half of a draw left over
        tensor = wc.empty(n, dtype=getattr(wc, dtype))
        assert pcg64.unit(ours, tensor)
        np.testing.assert_array_equal(tensor.numpy(), numpys.random(n, dtype))
        assert state(ours) == state(numpys)


@in_c
@pytest.mark.parametrize(
    ("low", "most"),
    [(0, 0), (0, 1), (-3, 3), (0, 9), (0, 2**31), (0, 2**32 - 2), (0, 2**32 - 1), (0, 2**32), (-(2**40), 2**50),
     (INT64.min, INT64.max), (INT64.min, 0), (5, 3 * 2**61)],
)  # fmt: skip
def test_whole_numbers(low, most):
    ours, numpys = generators(3)
    for n in (1, 5, 2000):
        tensor = wc.empty(n, dtype=wc.int64)
        assert pcg64.whole(ours, tensor, low, most)
        np.testing.assert_array_equal(tensor.numpy(), numpys.integers(low, most, n, endpoint=True))
        assert state(ours) == state(numpys)


@in_c
@pytest.mark.parametrize("n", [0, 1, 2, 10, 1001, 50_000])
def test_orders(n):
    ours, numpys = generators(n)
    tensor = wc.empty(n, dtype=wc.int64)
    assert pcg64.order(ours, tensor)
    np.testing.assert_array_equal(tensor.numpy(), samplers.shuffle(numpys, n))
    assert state(ours) == state(numpys)


@in_c
@pytest.mark.parametrize("p", [0.0, 0.25, 1.0])
def test_chances(p):
    ours, numpys = generators(1)
    np.testing.assert_array_equal(pcg64.chance(ours, (50, 7), p), numpys.random((50, 7)) < p)
    assert state(ours) == state(numpys)


@in_c
def test_places_by_weights():
    ours, numpys = generators(1)
    weights = np.array([[0.0, 1.0, 0.0, 3.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0]])
    found = pcg64.draw_positions(ours, np.cumsum(weights, 1), 500)
    draws = [numpys.random(500) * row.sum() for row in weights]
    expected = [np.searchsorted(np.cumsum(row), at, side="right") for row, at in zip(weights, draws, strict=True)]
    np.testing.assert_array_equal(found, expected)
    assert pcg64.draw_positions(ours, np.ones((2, 1)), 3).tolist() == [[0, 0, 0]] * 2


@in_c
@pytest.mark.parametrize("precision", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 255, 256, 257, 511, 70_001])
def test_normal_numbers_are_those_of_the_reference(precision, n):
    ours, numpys = generators(n)
    found = pcg64.normals(ours, (n,), precision, 2.0, 3.0)
    expected = samplers.box_muller(numpys, (n,), precision, 2.0, 3.0)
    assert found.dtype == expected.dtype == precision
    rtol, atol = (1e-5, 1e-5) if precision is np.float32 else (1e-13, 1e-14)
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol)
    assert state(ours) == state(numpys)


@pytest.mark.parametrize("dtype", [wc.float32, wc.float64])
def test_normal_numbers_are_normal(dtype):
    """The share of numbers below some bounds, within five deviations of what it should be; moments; both halves."""
    wc.manual_seed(11)
    n = 2_000_000
    sample = wc.randn(n, dtype=dtype).numpy().astype(np.float64)
    for bound in (-4.5, -3, -2, -1, -0.1, 0, 0.1, 1, 2, 3, 4.5):
        share = 0.5 * math.erfc(-bound / math.sqrt(2))
        assert abs((sample < bound).mean() - share) < 5 * math.sqrt(share * (1 - share) / n) + 1e-9
    for power, moment, deviation in ((1, 0, 1), (2, 1, math.sqrt(2)), (3, 0, math.sqrt(15)), (4, 3, math.sqrt(96))):
        assert abs((sample**power).mean() - moment) < 5 * deviation / math.sqrt(n)
    blocks = sample[: n // 256 * 256].reshape(-1, 2, 128)
    assert abs((blocks[:, 0] * blocks[:, 1]).mean()) < 5 / math.sqrt(n / 2)
    assert len(np.unique(sample)) > n * (0.9 if dtype is wc.float32 else 0.9999)


@in_c
def test_where_numpy_has_to_draw():
    other = np.random.Generator(np.random.MT19937(1))
    mine = np.random.default_rng(1)
    before = state(mine)
    assert not pcg64.unit(other, wc.empty(3))
    assert pcg64.normals(other, (3,), np.float32, 0, 1) is None
    assert not pcg64.unit(mine, wc.empty(3, dtype=wc.float16))
    assert not pcg64.normal(mine, wc.empty(3, 2).t())
    assert not pcg64.whole(mine, wc.empty(3, dtype=wc.int32), 0, 3)
    assert not pcg64.whole(mine, wc.empty(3, dtype=wc.int64), 3, 0)
    assert state(mine) == before


def test_a_seed_starts_again():
    g = wc.random.Generator().manual_seed(5)
    first = [wc.rand(3, generator=g).tolist(), wc.randn(3, generator=g).tolist()]
    wc.rand(1, generator=g)  # leaves half a draw
    g.manual_seed(5)
    assert [wc.rand(3, generator=g).tolist(), wc.randn(3, generator=g).tolist()] == first
    fresh = wc.random.Generator().manual_seed(5)
    assert wc.rand(3, generator=fresh).tolist() == first[0]
    seeds = [wc.rand(1, generator=g.manual_seed(seed)).item() for seed in (*range(50), -1, 2**63, 2**64 - 2)]
    assert len(set(seeds)) == len(seeds)


def test_the_numbers_of_a_seed_do_not_change():
    """On every machine and with plain kernels: whole and uniform numbers exactly, normal ones nearly."""
    g = wc.random.Generator().manual_seed(0)
    assert wc.randint(100, (5,), generator=g).tolist() == SEED_0[0]
    assert wc.rand(3, dtype=wc.float64, generator=g).tolist() == SEED_0[1]
    np.testing.assert_allclose(wc.randn(3, dtype=wc.float64, generator=g).numpy(), SEED_0[2], rtol=1e-12)
    assert wc.randperm(6, generator=g).tolist() == SEED_0[3]


SEED_0: list[list[float]] = [
    [74, 79, 48, 4, 14],
    [0.5509314970265587, 0.9052937347343545, 0.056240421439250454],
    [-0.30517220578765686, 1.247019340521773, -2.2758735703303254],
    [3, 1, 2, 0, 4, 5],
]


def test_threads_draw_from_one_generator():
    found = []
    g = wc.random.Generator().manual_seed(1)

    def draw():
        found.extend(wc.rand(40_000, generator=g, dtype=wc.float64).tolist())

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == len(found) == 160_000
