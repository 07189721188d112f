"""Random numbers follow their distributions: the largest distance between the empirical and the exact one.

With n numbers it exceeds 2.2 / sqrt(n) once in 20,000 times (Kolmogorov); the seed is fixed, so the outcome is as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import wengert_core as wg

N = 20_000
BOUND = 2.2 / math.sqrt(N)


def blank() -> Any:
    return wg.empty(N, dtype=wg.float64)


def normal_below(x: Any) -> Any:
    return np.vectorize(lambda v: 0.5 * math.erfc(-v / math.sqrt(2)))(x)


def steps(probability: Callable[[int], float], top: int) -> Callable[[Any], Any]:
    """The distribution function of whole numbers up to ``top``."""
    ends = np.cumsum([probability(k) for k in range(top + 1)])
    return lambda x: ends[np.minimum(x.astype(int), top)]


CONTINUOUS: dict[str, tuple[Any, Any]] = {
    "rand": (lambda: wg.rand(N), lambda x: x),
    "rand_like": (lambda: wg.rand_like(blank()), lambda x: x),
    "uniform_": (lambda: blank().uniform_(-1, 3), lambda x: (x + 1) / 4),
    "randn": (lambda: wg.randn(N), normal_below),
    "randn_like": (lambda: wg.randn_like(blank()), normal_below),
    "normal_": (lambda: blank().normal_(2, 3), lambda x: normal_below((x - 2) / 3)),
    "normal": (lambda: wg.normal(1.0, 2.0, (N,)), lambda x: normal_below((x - 1) / 2)),
    "_normal": (lambda: wg.normal(wg.zeros(N), 2.0), lambda x: normal_below(x / 2)),
    "_normal_of_std": (lambda: wg.normal(1.0, wg.full((N,), 2.0)), lambda x: normal_below((x - 1) / 2)),
    "exponential_": (lambda: blank().exponential_(0.5), lambda x: 1 - np.exp(-0.5 * x)),
    "cauchy_": (lambda: blank().cauchy_(1, 2), lambda x: 0.5 + np.arctan((x - 1) / 2) / math.pi),
    "log_normal_": (lambda: blank().log_normal_(0.3, 0.5), lambda x: normal_below((np.log(x) - 0.3) / 0.5)),
}
WHOLE: dict[str, tuple[Any, Any]] = {
    "bernoulli": (lambda: wg.bernoulli(wg.full((N,), 0.3)), steps(lambda k: (0.7, 0.3)[k], 1)),
    "bernoulli_": (lambda: blank().bernoulli_(0.3), steps(lambda k: (0.7, 0.3)[k], 1)),
    "geometric_": (lambda: blank().geometric_(0.4), steps(lambda k: 0.4 * 0.6 ** (k - 1) if k else 0, 60)),
    "poisson": (
        lambda: wg.poisson(wg.full((N,), 2.5)),
        steps(lambda k: math.exp(-2.5) * 2.5**k / math.factorial(k), 40),
    ),
    "binomial": (
        lambda: wg.binomial(wg.full((N,), 5.0), wg.full((N,), 0.3)),
        steps(lambda k: math.comb(5, k) * 0.3**k * 0.7 ** (5 - k), 5),
    ),
    "randint": (lambda: wg.randint(2, 7, (N,)), steps(lambda k: 0.2 if k > 1 else 0, 6)),
    "randint_like": (lambda: wg.randint_like(blank(), 5), steps(lambda k: 0.2, 4)),
    "random_": (lambda: blank().random_(0, 4), steps(lambda k: 0.25, 3)),
    "multinomial": (
        lambda: wg.multinomial(wg.tensor([1.0, 2.0, 5.0]), N, True),
        steps(lambda k: (0.125, 0.25, 0.625)[k], 2),
    ),
}


def distance(numbers: Any, below: Any, whole: bool) -> float:
    """The largest distance of the shares of numbers up to each one from its probability."""
    values, counts = np.unique(np.asarray(numbers.double().numpy()), return_counts=True)
    shares = np.cumsum(counts) / N
    exact = below(values)
    distances = np.abs(shares - exact)
    return float(max(distances.max(), 0 if whole else np.abs(shares - counts / N - exact).max()))


@pytest.mark.parametrize("name", [*CONTINUOUS, *WHOLE])
def test_numbers_follow_their_distribution(name: str) -> None:
    wg.manual_seed(11)
    make, below = (CONTINUOUS | WHOLE)[name]
    assert distance(make(), below, name in WHOLE) < BOUND


@pytest.mark.parametrize("name", ["rand", "randn", "exponential_", "poisson"])
def test_numbers_of_another_distribution_are_told(name: str) -> None:
    make, below = (CONTINUOUS | WHOLE)[name]
    assert distance(make() + (1 if name in WHOLE else 0.1), below, name in WHOLE) > BOUND


def test_draws_without_replacement_have_the_weights_of_their_first_place() -> None:
    wg.manual_seed(12)
    rows = wg.multinomial(wg.tensor([[1.0, 2.0, 5.0]]).expand(N, 3), 2)
    first = np.bincount(rows[:, 0].numpy(), minlength=3) / N
    np.testing.assert_allclose(first, [0.125, 0.25, 0.625], atol=5 * 0.5 / math.sqrt(N))
    assert bool((rows[:, 0] != rows[:, 1]).all())


def test_each_permutation_is_as_likely() -> None:
    wg.manual_seed(13)
    counts = np.unique([int("".join(map(str, wg.randperm(3).tolist()))) for _ in range(6000)], return_counts=True)[1]
    assert len(counts) == 6
    np.testing.assert_allclose(counts / 6000, 1 / 6, atol=5 * math.sqrt(1 / 6 * 5 / 6 / 6000))


# ---- dropout and its kin
DROPPED: dict[str, tuple[Any, tuple[int, ...]]] = {  # (the function, the shape of what is dropped together)
    "dropout": (wg.TABLE.ops["nn.functional.dropout"], ()),
    "dropout1d": (wg.TABLE.ops["nn.functional.dropout1d"], (3,)),
    "dropout2d": (wg.TABLE.ops["nn.functional.dropout2d"], (2, 2)),
    "dropout3d": (wg.TABLE.ops["nn.functional.dropout3d"], (1, 2, 2)),
    "dropout_": (wg.TABLE.ops["dropout_"], ()),
    "feature_dropout": (wg.TABLE.ops["feature_dropout"], (2,)),
    "feature_dropout_": (wg.TABLE.ops["feature_dropout_"], (2,)),
}
ALPHA: dict[str, tuple[Any, tuple[int, ...]]] = {
    "alpha_dropout": (wg.TABLE.ops["nn.functional.alpha_dropout"], ()),
    "feature_alpha_dropout": (wg.TABLE.ops["nn.functional.feature_alpha_dropout"], (2,)),
    "alpha_dropout_": (wg.TABLE.ops["alpha_dropout_"], ()),
    "feature_alpha_dropout_": (wg.TABLE.ops["feature_alpha_dropout_"], (2,)),
}


@pytest.mark.parametrize("name", DROPPED)
def test_so_many_are_dropped_and_the_others_are_larger(name: str) -> None:
    wg.manual_seed(14)
    function, together = DROPPED[name]
    out = function(wg.ones(N // 100, 100, *together), 0.3, True).reshape(N, -1).numpy()
    assert bool((out == out[:, :1]).all())
    dropped = out[:, 0] == 0
    assert abs(dropped.mean() - 0.3) < 5 * math.sqrt(0.21 / N)
    np.testing.assert_allclose(out[~dropped], 1 / 0.7, rtol=1e-6)
    neighbors = (dropped[1:] & dropped[:-1]).mean()
    assert abs(neighbors - 0.09) < 5 * math.sqrt(0.09 / N)


@pytest.mark.parametrize("name", ALPHA)
def test_alpha_dropout_keeps_mean_and_variance(name: str) -> None:
    wg.manual_seed(15)
    function, together = ALPHA[name]
    x = wg.randn(N, 1, *together)
    out = function(x, 0.3, True).numpy().reshape(N, -1)
    assert abs(out.mean()) < 6 / math.sqrt(N)
    assert out.var() == pytest.approx(1, abs=0.06)
    values, counts = np.unique(out[:, 0], return_counts=True)
    assert abs(counts.max() / N - 0.3) < 5 * math.sqrt(0.21 / N)
    assert bool((out == values[counts.argmax()]).all(1).mean() > 0.25)


@pytest.mark.parametrize("name", ["rrelu", "rrelu_"])
def test_slopes_of_rrelu_are_uniform(name: str) -> None:
    wg.manual_seed(16)
    slopes = -wg.TABLE.ops[f"nn.functional.{name}"](wg.full((N,), -1.0, dtype=wg.float64), 0.2, 0.5, training=True)
    assert distance(slopes, lambda x: (x - 0.2) / 0.3, False) < BOUND


def test_every_random_op_is_tested() -> None:
    ops = wg.TABLE.ops
    drawn = {name for name, op in ops.items() if "generator" in (getattr(op, "params", None) or ())}
    drawn |= {name.rpartition(".")[2] for name in ops if "dropout" in name or "rrelu" in name}
    assert drawn - {*CONTINUOUS, *WHOLE, *DROPPED, *ALPHA, "rrelu", "rrelu_", "randperm"} == set()


# ---- states
def draw_and_fail() -> None:
    wg.rand(3)
    raise KeyError


def test_fork_rng_leaves_the_state_alone() -> None:
    state = wg.get_rng_state()
    with wg.random.fork_rng():
        wg.manual_seed(1)
        inside = wg.rand(3).tolist()
    assert wg.get_rng_state().tolist() == state.tolist()
    wg.manual_seed(1)
    assert wg.rand(3).tolist() == inside


def test_fork_rng_puts_the_state_back_after_an_error() -> None:
    state = wg.get_rng_state()
    with pytest.raises(KeyError), wg.random.fork_rng():
        draw_and_fail()
    assert wg.get_rng_state().tolist() == state.tolist()


def test_fork_rng_can_be_switched_off() -> None:
    state = wg.get_rng_state()
    with wg.random.fork_rng(enabled=False):
        wg.rand(3)
    assert wg.get_rng_state().tolist() != state.tolist()


def test_fork_rng_refuses_other_devices() -> None:
    with pytest.raises(RuntimeError, match="devices"), wg.random.fork_rng(devices=[0]):
        pass
