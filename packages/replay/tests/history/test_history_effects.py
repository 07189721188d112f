"""Backward passes with an effect beside their gradients: random numbers, writes, numbers that Python reads."""

import pytest
import wengert as wg


def run(effect, captured, **options):
    """Return results, gradients, what was written, and the next random numbers of six calls, and the function."""
    wg.manual_seed(0)
    backwards, forwards = wg.zeros(()), wg.zeros(())

    class Factor(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            if effect == "write":
                backwards.add_(1)
            if effect == "read" and grad.sum() < 0:
                return grad * 3
            return grad * wg.rand(2) if effect in ("draw", "draw in both") else grad * 2

    def function(x):
        if effect == "draw in both":
            x = x * wg.rand(2)
        if effect == "write":
            forwards.add_(1)
        return Factor.apply(x).sum()

    called = wg.capture(function, **options) if captured else function
    seen = []
    for number in range(6):
        x = wg.ones(2, requires_grad=True)
        y = called(x * 1)
        (y * (1 if number % 2 else -1)).backward()
        seen.append((y.item(), x.grad.tolist(), backwards.item(), forwards.item(), wg.rand(1).item()))
    return seen, called


@pytest.mark.parametrize("effect", ["draw", "draw in both", "read", "write"])
def test_effects_of_backward_are_those_of_an_eager_run(effect):
    eager, _ = run(effect, False)
    captured, function = run(effect, True)
    assert captured == eager
    assert wg.replay.explain(function).replays


@pytest.mark.parametrize("effect", ["draw", "draw in both", "read", "write"])
def test_a_validated_backward_has_its_effects_once(effect):
    assert run(effect, True, validate=True)[0] == run(effect, False)[0]
