"""Checkpoints and generators in functions that are captured on a device, beside eager calls."""

from __future__ import annotations

import pytest
import wengert as wg
from sim_graphs import on_sim
from wengert.utils.checkpoint import checkpoint, checkpoint_sequential

explain = wg.replay.explain
dropout = wg.nn.functional.dropout


class State:
    """A leaf, and a layer."""

    def __init__(self):
        wg.manual_seed(3)
        self.w = wg.randn(4, 4, device="sim").requires_grad_()
        self.b = on_sim([0.5, -1.0, 2.0, 1.0], requires_grad=True)
        self.generator = wg.Generator(device="sim").manual_seed(4)

    def layer(self, x):
        return dropout((x @ self.w + self.b).tanh(), 0.5)

    def facts(self):
        return [None if one.grad is None else one.grad.tolist() for one in (self.w, self.b)]


def one(s, x):
    return (checkpoint(s.layer, x, use_reentrant=False) * s.b).sum()


def two(s, x):
    y = checkpoint(s.layer, x, use_reentrant=False)
    return checkpoint(s.layer, dropout(y, 0.2), use_reentrant=False).square().sum()


def within_another(s, x):
    def inner(x):
        return s.layer(checkpoint(s.layer, x, use_reentrant=False))

    return checkpoint(inner, x, use_reentrant=False).sum()


def sequential(s, x):
    return checkpoint_sequential([s.layer, wg.sin, s.layer, wg.tanh], 2, x, use_reentrant=False).sum()


def with_a_number(s, x):
    y = checkpoint(s.layer, x, use_reentrant=False)
    return (y * s.b).sum() if y.sum() > 0 else checkpoint(s.layer, y, use_reentrant=False).sum()


def draws_behind(s, x):
    y = checkpoint(s.layer, x, use_reentrant=False)
    return (y * wg.rand(4, device="sim")).sum()


FUNCTIONS = [one, two, within_another, sequential, with_a_number, draws_behind]


def compare(make, turns=8):
    """Compare what runs of a captured function give with eager ones. make: gives a turn, for a state and a capture."""
    rows, runs = [], []
    for capture in (lambda function: function, lambda function: wg.capture(function, quiet=True)):
        s = State()
        run = capture(make(s)[0])
        turn = make(s)[1]
        rows.append([(turn(run, k), s.facts(), wg.rand(1, device="sim").item()) for k in range(turns)])
        runs.append(run)
    assert rows[0] == rows[1]
    return explain(runs[1])


@pytest.mark.parametrize("has_gradient", [False, True])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_backward_behind_the_call(function, has_gradient):
    def make(s):
        def turn(run, k):
            x = on_sim([1.0, -2.0, 0.5, float(k)], requires_grad=has_gradient)
            result = run(x)
            result.backward()
            return result.item(), x.grad if x.grad is None else x.grad.tolist()

        return lambda x: function(s, x), turn

    found = compare(make)
    assert not found.reasons
    assert found.replays >= 4


@pytest.mark.parametrize("function", FUNCTIONS)
def test_backward_inside_of_the_function(function):
    def make(s):
        def step(x):
            loss = function(s, x)
            loss.backward()
            return loss.detach()

        return step, lambda run, k: run(on_sim([1.0, -2.0, 0.5, float(k)])).item()

    found = compare(make)
    if function is not with_a_number:
        assert found.replays == 6, found


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1], [1, 1, 0]])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_several_calls_before_their_backwards(function, order):
    def make(s):
        def turn(run, k):
            inputs = [on_sim([1.0, -2.0, float(i), float(k)], requires_grad=True) for i in range(3)]
            results = [run(x) for x in inputs]
            for i in order:
                results[i].backward(retain_graph=order.count(i) > 1)
            return [one.item() for one in results], [None if x.grad is None else x.grad.tolist() for x in inputs]

        return lambda x: function(s, x), turn

    assert compare(make, 5).replays >= 6


def draws_again(s, x):
    state = s.generator.get_state()
    y = x * wg.rand(4, device="sim", generator=s.generator)
    s.generator.set_state(state)
    return y + wg.rand(4, device="sim", generator=s.generator)


def draws_again_by_default(s, x):
    y = x * wg.rand(4, device="sim")
    wg.manual_seed(7)
    return y + wg.rand(4, device="sim")


@pytest.mark.parametrize("has_gradient", [False, True])
@pytest.mark.parametrize("function", [draws_again, draws_again_by_default])
def test_generators_that_the_function_sets_itself(function, has_gradient):
    def make(s):
        def step(x):
            y = function(s, x)
            return (y * s.b).sum() if has_gradient else y

        return step, lambda run, k: (run(on_sim([1.0] * 4)).tolist(), s.generator.get_state().tolist())

    found = compare(make)
    assert found.replays == 0
    assert "the state of a generator" in found.reasons[0]
