"""capture(validate=True) of functions whose results have a graph: values, writes, and the gradients of backward."""

from __future__ import annotations

import pytest
import wengert as wg

explain = wg.replay.explain
Differs = wg.replay.ReplayDiffersError


class Multiple(wg.autograd.Function):
    """x, whose derivative is a number that Python has."""

    factor = 1.0

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return grad * Multiple.factor


@pytest.fixture
def factor():
    Multiple.factor = 1.0
    return Multiple


def test_what_is_right_has_the_gradients_and_writes_of_an_eager_run():
    def run(capture):
        w, mean, calls = wg.tensor([0.5, 1.5], requires_grad=True), wg.zeros(2), []

        def norm(x):
            calls.append(1)
            mean.mul_(0.9).add_(x.detach(), alpha=0.1)
            return {"y": (x * w).sin() * wg.rand(2), "z": [x.exp().sum(), x]}

        wg.manual_seed(4)
        f, found = capture(norm), []
        for k in range(6):
            x = wg.tensor([0.1 * k, 1.0], requires_grad=True)
            result = f(x)
            assert result["z"][1] is x
            (result["y"].sum() + result["z"][0]).backward()
            found.append((result["y"].tolist(), x.grad.tolist(), w.grad.tolist(), mean.tolist(), mean._version))
        return found, len(calls), f

    expected, n_calls, _ = run(lambda function: function)
    got, n_validated, f = run(lambda function: wg.capture(function, validate=True))
    assert got == expected
    assert n_validated >= n_calls
    assert explain(f).replays >= 3
    assert explain(f).reasons == []


def test_a_value_that_depends_on_python_is_an_error_of_the_call():
    rate, w = [0.5], wg.ones(2, requires_grad=True)
    f = wg.capture(lambda x: w * x * rate[0], validate=True)
    for _ in range(3):
        f(wg.ones(2)).sum().backward()
    rate[0] = 0.25
    with pytest.raises(Differs, match="result 0 has 2 of 2 numbers that differ"):
        f(wg.ones(2))


@pytest.mark.parametrize("of_leaf", [False, True])
def test_a_gradient_that_depends_on_python_is_an_error_of_backward(factor, of_leaf):
    w = wg.ones(2, requires_grad=True)
    f = wg.capture(lambda x: Multiple.apply(w if of_leaf else x) * 2, validate=True, quiet=True)
    for _ in range(3):
        f(wg.ones(2, requires_grad=True)).sum().backward()
    factor.factor = 3.0
    y = f(wg.ones(2, requires_grad=True))
    with pytest.raises(Differs, match=f"the gradient of {'leaf' if of_leaf else 'argument'} 0 has 2 of 2 numbers"):
        y.sum().backward()


def test_a_gradient_that_is_there_only_in_one_of_the_two_is_an_error(factor):
    f = wg.capture(lambda x: Multiple.apply(x) * 2, validate=True, quiet=True)
    for _ in range(3):
        f(wg.ones(2, requires_grad=True)).sum().backward()
    y = f(wg.ones(2, requires_grad=True))
    before, Multiple.backward = Multiple.backward, None
    Multiple._run_backward = staticmethod(lambda ctx, grad: None)
    try:
        with pytest.raises(Differs, match="the gradient of argument 0 is a tensor in a replay, None in an eager run"):
            y.sum().backward()
    finally:
        Multiple.backward = staticmethod(before)
        Multiple._run_backward = staticmethod(before)


def test_a_loop_of_calls_and_derivatives_of_higher_order():
    w = wg.tensor([0.5, 1.5], dtype=wg.float64, requires_grad=True)
    f = wg.capture(lambda h: (h * w).tanh(), validate=True)

    def run(function):
        h = wg.ones(2, dtype=wg.float64)
        for _ in range(5):
            h = function(h)
        (first,) = wg.autograd.grad(h.sum(), w, create_graph=True)
        return first, *wg.autograd.grad(first.sum(), w)

    expected = [one.tolist() for one in run(lambda h: (h * w).tanh())]
    for _ in range(3):
        assert [one.tolist() for one in run(f)] == [pytest.approx(one, rel=1e-14) for one in expected]


def test_an_error_of_the_eager_run_is_told():
    fails = []

    def step(x):
        if fails:
            raise KeyError("hidden")
        return x * x

    f = wg.capture(step, validate=True)
    for _ in range(3):
        f(wg.ones(2, requires_grad=True)).sum().backward()
    fails.append(1)
    with pytest.raises(Differs, match="there is no error in a replay, KeyError in an eager run"):
        f(wg.ones(2, requires_grad=True))


def test_versions_of_what_loops_make_are_not_compared():
    w = wg.tensor([0.5, -1.0, 2.0], requires_grad=True)

    def stack(x):
        return wg.func.scan(lambda c, z: (c * 0.5 + z * w, c * z), x * 1, x)

    def step(x):
        w.grad = None
        last, rows = stack(x)
        (last.sum() + rows.sum()).backward()
        return last.detach(), rows.detach()

    validated, trained = wg.capture(stack, validate=True), wg.capture(step, validate=True)
    for k in range(4):
        w.grad = None
        last, rows = validated(wg.ones(3) * k)
        (last.sum() + rows.sum()).backward()
        seen, w.grad = w.grad, None
        trained(wg.ones(3) * k)
        assert wg.equal(seen, w.grad)
    assert explain(validated).replays
    assert explain(trained).replays
