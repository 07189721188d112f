"""Random numbers: seeds and states, distributions, refusals."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import wengert_core as wg

from .creation_facts import check, load

FACTS = load("create_random")
N = 20_000
DEVIATIONS = 5  # how many standard errors a mean may be off; a fixed seed makes the outcome the same every time


@pytest.fixture(autouse=True)
def seed_generator() -> None:
    """The same numbers in every run."""
    wg.manual_seed(20_240_607)


@pytest.mark.parametrize(("expression", "want"), FACTS, ids=[expression for expression, _ in FACTS])
def test_same_as_recorded(expression: str, want: dict[str, Any]) -> None:
    check(expression, want)


# ---- seeds and states

DRAWS: dict[str, Any] = {
    "rand": lambda **g: wg.rand(5, **g),
    "randn": lambda **g: wg.randn(5, **g),
    "randint": lambda **g: wg.randint(1000, (5,), **g),
    "randperm": lambda **g: wg.randperm(50, **g),
    "rand_like": lambda **g: wg.rand_like(wg.zeros(5), **g),
    "randn_like": lambda **g: wg.randn_like(wg.zeros(5), **g),
    "randint_like": lambda **g: wg.randint_like(wg.zeros(5), 1000, **g),
    "normal": lambda **g: wg.normal(0.0, wg.ones(5), **g),
    "bernoulli": lambda **g: wg.bernoulli(wg.full((50,), 0.5), **g),
    "multinomial": lambda **g: wg.multinomial(wg.ones(50), 10, **g),
    "uniform_": lambda **g: wg.zeros(5).uniform_(2, 3, **g),
    "normal_": lambda **g: wg.zeros(5).normal_(**g),
    "exponential_": lambda **g: wg.zeros(5).exponential_(**g),
    "bernoulli_": lambda **g: wg.zeros(50).bernoulli_(**g),
    "random_": lambda **g: wg.zeros(5).random_(**g),
    "cauchy_": lambda **g: wg.zeros(5).cauchy_(**g),
    "log_normal_": lambda **g: wg.zeros(5).log_normal_(**g),
    "geometric_": lambda **g: wg.zeros(5).geometric_(0.1, **g),
}


@pytest.mark.parametrize("name", DRAWS)
def test_a_seed_fixes_the_numbers(name: str) -> None:
    draw = DRAWS[name]
    wg.manual_seed(1)
    first, second = draw().tolist(), draw().tolist()
    assert first != second
    wg.manual_seed(1)
    assert draw().tolist() == first
    assert draw(generator=wg.Generator().manual_seed(1)).tolist() == first


@pytest.mark.parametrize("name", DRAWS)
def test_a_generator_leaves_the_default_one_alone(name: str) -> None:
    state = wg.get_rng_state().tolist()
    DRAWS[name](generator=wg.Generator())
    assert wg.get_rng_state().tolist() == state
    with pytest.raises(TypeError, match=r"argument 'generator' must be torch\.Generator, not int"):
        DRAWS[name](generator=3)


def test_states_go_on_where_they_were_taken() -> None:
    g = wg.Generator().manual_seed(5)
    wg.rand(3, generator=g)
    wg.randint(7, (1,), generator=g)  # may leave half of a 64-bit number in the state
    state, copied, pickled = g.get_state(), g.clone_state(), pickle.loads(pickle.dumps(g))
    expected = [wg.rand(4, generator=g).tolist(), wg.randint(9, (4,), generator=g).tolist()]
    for other in (g.set_state(state), copied, pickled):
        assert other.initial_seed() == 5
        assert [wg.rand(4, generator=other).tolist(), wg.randint(9, (4,), generator=other).tolist()] == expected


def test_a_new_process_starts_with_another_seed() -> None:
    command = [sys.executable, "-c", "import wengert_core; print(wengert_core.initial_seed())"]
    seeds = {subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2)}
    assert len(seeds) == 2


def test_numpys_own_random_numbers_are_left_alone() -> None:
    np.random.seed(0)  # noqa: NPY002 - the legacy state is what must not move
    expected = np.random.rand()  # noqa: NPY002
    np.random.seed(0)  # noqa: NPY002
    wg.manual_seed(3)
    wg.rand(10)
    assert np.random.rand() == expected  # noqa: NPY002


# ---- distributions


def moments(t: Any) -> tuple[float, float]:
    """Mean and variance in double precision."""
    values = np.asarray(t.tolist(), complex if t.is_complex() else float)
    return abs(values.mean()) if t.is_complex() else values.mean(), values.var()


@pytest.mark.parametrize(("make", "mean", "variance"), [
    (lambda: wg.rand(N), 1 / 2, 1 / 12),
    (lambda: wg.rand(N, dtype=wg.float64), 1 / 2, 1 / 12),
    (lambda: wg.rand(N, dtype=wg.float16), 1 / 2, 1 / 12),
    (lambda: wg.rand(N, dtype=wg.bfloat16), 1 / 2, 1 / 12),
    (lambda: wg.randn(N), 0, 1),
    (lambda: wg.randn(N, dtype=wg.float64), 0, 1),
    (lambda: wg.randn(N, dtype=wg.complex64), 0, 1),
    (lambda: wg.randint(3, 9, (N,)).double(), 5.5, 35 / 12),
    (lambda: wg.zeros(N).uniform_(-1, 3), 1, 16 / 12),
    (lambda: wg.zeros(N).normal_(3, 2), 3, 4),
    (lambda: wg.zeros(N).exponential_(4), 1 / 4, 1 / 16),
    (lambda: wg.zeros(N).bernoulli_(0.3), 0.3, 0.21),
    (lambda: wg.zeros(N).geometric_(0.25), 4, 12),
    (lambda: wg.zeros(N).log_normal_(0, 0.5).log(), 0, 0.25),
    (lambda: wg.zeros(N).cauchy_(2, 3).sub(2).div(3).atan(), 0, math.pi**2 / 12),
    (lambda: wg.bernoulli(wg.full((N,), 0.3)), 0.3, 0.21),
    (lambda: wg.normal(wg.full((N,), 2.0), 3.0), 2, 9),
    (lambda: wg.multinomial(wg.tensor([1.0, 0.0, 3.0]), N, replacement=True).double(), 1.5, 0.75),
])  # fmt: skip
def test_means_and_variances(make: Any, mean: float, variance: float) -> None:
    got_mean, got_variance = moments(make())
    assert abs(got_mean - mean) < DEVIATIONS * math.sqrt(variance / N)
    assert got_variance == pytest.approx(variance, rel=0.1)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_uniform_numbers_stay_below_their_end(dtype: str) -> None:
    t = wg.rand(200_000, dtype=getattr(wg, dtype))
    assert t.min().item() >= 0
    assert t.max().item() < 1
    low, high = 1.0, 1.0 + 2.0**-22
    narrow = wg.zeros(10_000).uniform_(low, high)
    assert low <= narrow.min().item()
    assert narrow.max().item() < high


@pytest.mark.parametrize("n", [0, 1, 10, 1000])
def test_permutations_hold_every_number(n: int) -> None:
    assert sorted(wg.randperm(n).tolist()) == list(range(n))


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16",
                                   "float32", "bool"])  # fmt: skip
def test_whole_numbers_over_the_whole_range(dtype: str) -> None:
    t = wg.empty(2000, dtype=getattr(wg, dtype)).random_()
    values = [int(v) for v in t.tolist()]
    top = {"bool": 1, "float16": 2**11, "float32": 2**24}.get(dtype) or wg.iinfo(getattr(wg, dtype)).max
    assert min(values) >= 0
    assert top * 0.9 < max(values) <= top


def test_drawing_without_replacement() -> None:
    places = wg.multinomial(wg.tensor([[1.0, 2.0, 0.0, 4.0]] * 50), 3)
    assert all(sorted(row) == [0, 1, 3] for row in places.tolist())
    assert wg.multinomial(wg.tensor([1e-30, 1.0]), 2).tolist() in ([0, 1], [1, 0])


# ---- what the engine must be able to see


@pytest.mark.parametrize("name", [name for name in DRAWS if name.endswith("_")])
def test_filling_counts_as_a_write(name: str) -> None:
    t = wg.ones(4)
    part = t[1:3]
    arguments = (0.5,) if name == "geometric_" else ()
    assert getattr(part, name)(*arguments) is part
    assert (t._version, t[0].item(), t[3].item()) == (1, 1, 1)


def test_refused_parameters_leave_the_tensor_as_it_was() -> None:
    t = wg.ones(2)
    with pytest.raises(RuntimeError, match="normal expects std >= 0"):
        t.normal_(0, -1)
    assert (t.tolist(), t._version) == ([1, 1], 0)


def test_strided_tensors_are_filled_in_place() -> None:
    t = wg.zeros(4, 6)
    t[::2, 1::2].uniform_(1, 2)
    assert (t.numpy() != 0).sum() == 6
