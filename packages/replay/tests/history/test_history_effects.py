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


class Noisy(wg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * wg.rand(2)


def function_with(effect, forward, total, count):
    """Return a function whose backward draws or writes, and whose forward does what ``forward`` names."""

    class Writing(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            total.add_(grad.detach())
            return grad * 3

    def function(x):
        if "draws" in forward:
            x = x * wg.rand(2)
        if "writes" in forward:
            count.add_(1)
        y = x.sin()
        if effect == "draws":
            return Noisy.apply(y)
        if effect == "hook draws":
            y.register_hook(lambda grad: grad * wg.rand(2))
            return y * y
        if effect == "writes as forward":
            y.register_hook(lambda grad: (count.add_(1), grad * 2)[1])
            return y * y
        return Writing.apply(y) ** 2

    return function


BACKWARDS = ["draws", "hook draws", "writes", "writes as forward"]
FORWARDS = ["", "draws", "writes", "draws, and writes"]


def derivatives(make, effect, forward, order, is_known=True):
    """Return what six calls and derivatives of them give; is_known: another backward has built a graph before."""
    wg.manual_seed(1)
    total, count, found = wg.zeros(2), wg.zeros(2), []
    function = make(function_with(effect, forward, total, count))
    if is_known:
        x = wg.ones(2, requires_grad=True)
        for _ in range(3):
            wg.autograd.grad(function(x).sum(), x, create_graph=True)
    wg.manual_seed(0)
    for number in range(6):
        x = wg.tensor([0.5, 0.25 + number], requires_grad=True)
        y = function(x).pow(2)
        for _ in range(order):
            (y,) = wg.autograd.grad((y * wg.rand(1)).sum(), x, create_graph=True)
            found.append((y.tolist(), total.tolist(), total._version, count.tolist(), wg.rand(1).item()))
    return found


@pytest.mark.filterwarnings("ignore:wengert.capture")
@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("forward", FORWARDS)
@pytest.mark.parametrize("effect", BACKWARDS)
def test_a_function_runs_as_usual_whose_backward_has_effects_and_is_differentiated(effect, forward, order):
    captured = []

    def capture(function):
        captured.append(wg.capture(function))
        return captured[0]

    found = derivatives(capture, effect, forward, order)
    assert found == derivatives(lambda function: function, effect, forward, order)
    assert any("and is differentiated" in why for why in wg.replay.explain(captured[0]).reasons)


@pytest.mark.filterwarnings("ignore:wengert.capture")
@pytest.mark.parametrize("forward", FORWARDS)
@pytest.mark.parametrize("effect", BACKWARDS)
def test_the_first_derivative_of_a_backward_with_effects_is_that_of_an_eager_run(effect, forward):
    found = derivatives(wg.capture, effect, forward, 1, False)
    assert found == derivatives(lambda function: function, effect, forward, 1, False)


@pytest.mark.parametrize("build_graph", [False, True])
def test_the_second_derivative_of_a_replayed_call_is_computed_where_no_effect_would_happen_twice(build_graph):
    def second(make):
        wg.manual_seed(0)
        function, x = make(lambda x: Noisy.apply(x.sin())), wg.tensor([0.5, 0.25], requires_grad=True)
        (first,) = wg.autograd.grad(function(x).sum(), x, create_graph=True)
        (found,) = wg.autograd.grad(first.sum(), x, create_graph=build_graph)
        return first.tolist(), found.tolist(), wg.rand(1).item()

    assert second(wg.capture) == second(lambda function: function)


@pytest.mark.parametrize("build_graph", [False, True])
@pytest.mark.parametrize("effect", ["hook draws", "writes"])
def test_the_second_derivative_of_a_replayed_call_is_an_error_where_an_effect_would_happen_twice(effect, build_graph):
    function, x = wg.capture(function_with(effect, "", wg.zeros(2), wg.zeros(2))), wg.ones(2, requires_grad=True)
    (first,) = wg.autograd.grad(function(x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="would do that twice here"):
        wg.autograd.grad(first.sum(), x, create_graph=build_graph)


def test_a_function_that_draws_is_recorded_with_its_gradients_when_it_runs_again():
    w = wg.ones(2, requires_grad=True)
    function = wg.capture(lambda x: (x * w * wg.rand(2)).sin())
    for _ in range(4):
        for result in [function(wg.ones(2)) for _ in range(2)]:
            result.sum().backward()
    assert wg.replay.explain(function).reasons == []
