"""Backward passes with an effect beside their gradients: random numbers, writes, numbers that Python reads."""

import pytest
import wengert as wg

EFFECTS = ["draw", "draw in both", "read", "write", "write in both", "write, and draw"]


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
            if effect.startswith("write"):
                backwards.add_(1)
            if effect == "write in both":
                forwards.mul_(1.5)
            if effect == "read" and grad.sum() < 0:
                return grad * 3
            return grad * wg.rand(2) if effect.startswith("draw") else grad * 2

    def function(x):
        if effect in ("draw in both", "write, and draw"):
            x = x * wg.rand(2)
        if effect.startswith("write"):
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


@pytest.mark.parametrize("effect", EFFECTS)
def test_effects_of_backward_are_those_of_an_eager_run(effect):
    eager, _ = run(effect, False)
    captured, function = run(effect, True)
    assert captured == eager
    assert wg.replay.explain(function).replays


@pytest.mark.parametrize("effect", EFFECTS)
def test_a_validated_backward_has_its_effects_once(effect):
    assert run(effect, True, validate=True)[0] == run(effect, False)[0]


@pytest.mark.parametrize("n_between", [0, 1, 2])
def test_a_checkpoint_writes_again_in_backward(n_between):
    """So does an eager one; ``n_between``: calls between a call and its backward."""
    seen = []
    for is_captured in (False, True):
        count, factor = wg.zeros(()), wg.ones(2, requires_grad=True)

        def write(x, count=count, factor=factor):
            count.mul_(1.5).add_(1)
            return (x * factor).tanh()

        def function(x, write=write):
            return wg.utils.checkpoint.checkpoint(write, x, use_reentrant=False).sum()

        called = wg.capture(function) if is_captured else function
        results, rows = [], []
        for number in range(8):
            results.append(called(wg.full((2,), 0.1 * number)))
            if len(results) > n_between:
                results.pop(0).backward()
            rows.append((count.item(), count._version, factor.grad is not None and factor.grad.tolist()))
        seen.append(rows)
    assert seen[1] == seen[0]


def add_one(leaf):
    leaf.grad.add_(1)


@pytest.mark.parametrize("which", ["leaf", "value", "outside", "after the gradient"])
def test_a_hook_that_the_function_registers_counts_as_often_as_in_an_eager_call(which):
    def gradients(make):
        w = wg.ones(1, requires_grad=True)

        def function(x):
            if which == "after the gradient":
                w.register_post_accumulate_grad_hook(add_one)
            else:
                (w if which == "outside" else x).register_hook(lambda grad: grad * 2)
            return x.sin() * w

        called, found = make(function), []
        for _ in range(5):
            w.grad = None
            x = wg.ones(1, requires_grad=True)
            called(x * 1 if which == "value" else x).sum().backward()
            found.append((x.grad.item(), w.grad.item()))
        return found

    assert gradients(lambda f: wg.capture(f, quiet=True)) == gradients(lambda f: f)


def test_a_hook_of_the_first_call_alone_does_not_keep_later_ones_from_replays():
    w, handles = wg.ones(1, requires_grad=True), []

    @wg.capture
    def function(x):
        if not handles:
            handles.append(w.register_hook(lambda grad: grad * 2))
        return x * w

    for _ in range(4):
        w.grad = None
        function(wg.ones(1)).sum().backward()
        assert w.grad.item() == 2
    assert wg.replay.explain(function).replays == 2
