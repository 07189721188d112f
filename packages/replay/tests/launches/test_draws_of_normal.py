"""normal with tensors and with numbers in captured functions: each replay draws anew, as an eager call would."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import wengert as wg

CALLS: dict[str, Callable[[wg.Tensor, wg.Tensor], wg.Tensor]] = {
    "tensors": lambda mean, std: wg.normal(mean, std) + 1,
    "broadcast": lambda mean, std: wg.normal(mean.unsqueeze(1), std),
    "mean": lambda mean, std: wg.normal(mean, 2.0) * std,
    "deviation": lambda mean, std: wg.normal(0.5, std) * mean,
    "numbers": lambda mean, std: wg.normal(0.5, 2.0, (3,)) * std + mean,
    "out": lambda mean, std: wg.normal(mean, std, out=wg.empty(3)) * 2,
}


@pytest.mark.parametrize("name", CALLS)
def test_each_replay_draws_the_numbers_of_an_eager_call(name):
    f = wg.capture(CALLS[name])
    inputs = [(wg.arange(3.0) + k, wg.ones(3) * (k + 1)) for k in range(4)]
    wg.manual_seed(3)
    got = [f(*pair).tolist() for pair in inputs]
    state = wg.get_rng_state().tolist()
    wg.manual_seed(3)
    assert got == [CALLS[name](*pair).tolist() for pair in inputs]
    assert wg.get_rng_state().tolist() == state
    assert wg.replay.explain(f).replays == 3


def test_a_replay_refuses_a_negative_deviation():
    f = wg.capture(lambda mean, std: wg.normal(mean, std))
    for _ in range(2):
        f(wg.zeros(3), wg.ones(3))
    with pytest.raises(RuntimeError, match=r"normal expects all elements of std >= 0\.0"):
        f(wg.zeros(3), -wg.ones(3))


def test_gradients_of_a_replay_are_zero():
    f = wg.capture(lambda mean, std: (wg.normal(mean, std) * mean).sum())
    for _ in range(3):
        mean = wg.ones(3, requires_grad=True)
        std = wg.ones(3, requires_grad=True)
        wg.manual_seed(1)
        f(mean, std).backward()
        wg.manual_seed(1)
        assert mean.grad.tolist() == wg.normal(wg.ones(3), wg.ones(3)).tolist()
        assert std.grad.tolist() == [0, 0, 0]
