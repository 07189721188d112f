"""Results with a graph that depend on Python's state: a backward never has gradients of another function."""

from __future__ import annotations

from typing import Any

import pytest
import wengert as wg

AGAIN = "runs .* again, which now gives other numbers than in the call"


class Scale:
    """A function with a factor that Python has."""

    def __init__(self) -> None:
        self.factor = 2.0
        self.weight = wg.ones(3, requires_grad=True)
        self.calls = 0

    def __call__(self, x: Any) -> Any:
        self.calls += 1
        return x * self.weight * self.factor, (x * self.weight).sin()


def test_a_state_that_changes_before_backward_is_an_error() -> None:
    scaled = Scale()
    captured = wg.capture(scaled)
    first, second = captured(wg.ones(3))
    captured(wg.ones(3))
    scaled.factor = 3.0
    with pytest.raises(RuntimeError, match=AGAIN):
        first.sum().backward()
    assert scaled.weight.grad is None
    scaled.factor = 2.0
    first, second = captured(wg.ones(3))
    first.sum().backward()
    assert scaled.weight.grad.tolist() == [2, 2, 2]
    scaled.factor = 3.0  # the program has gradients for the first result, and none for both
    first, second = captured(wg.ones(3))
    (gradient,) = wg.autograd.grad(first.sum(), scaled.weight)
    assert (first.tolist(), gradient.tolist()) == ([2, 2, 2], [2, 2, 2])
    first, second = captured(wg.ones(3))
    with pytest.raises(RuntimeError, match=AGAIN):
        (first + second).sum().backward()
    first, second = captured(wg.ones(3))
    with pytest.raises(RuntimeError, match=AGAIN):
        wg.autograd.grad(first.sum(), scaled.weight, create_graph=True)


def test_a_state_that_changes_before_the_backward_of_a_recorded_call() -> None:
    scaled = Scale()
    captured = wg.capture(scaled)
    first, second = captured(wg.ones(3))
    scaled.factor = 3.0  # the function does not run again
    (first + second).sum().backward()
    assert wg.equal(scaled.weight.grad, 2 + wg.ones(3).cos())
    assert scaled.calls == 1


def test_a_gradient_that_is_computed_as_usual() -> None:
    factor = [2.0]
    weight = wg.ones(3, requires_grad=True)

    def function(x: Any) -> Any:
        y = x * weight * factor[0]
        y.register_hook(lambda grad: grad if grad.sum() > 0 else grad * 2)  # no program reads numbers in backward
        return y * 6

    captured = wg.capture(function, quiet=True)
    for _ in range(3):
        y = captured(wg.ones(3))
        weight.grad = None
        y.sum().backward()
        assert weight.grad.tolist() == [12, 12, 12]
    y = captured(wg.ones(3))
    factor[0] = 3.0
    with pytest.raises(RuntimeError, match=AGAIN):
        y.sum().backward()


def test_a_mode_of_a_module_that_changes_before_backward() -> None:
    wg.manual_seed(0)
    dropout, weight = wg.nn.Dropout(0.5), wg.ones(64, requires_grad=True)
    captured = wg.capture(lambda x: dropout(x * weight), guard_python=True)
    y = captured(wg.ones(64))
    captured(wg.ones(64))
    dropout.eval()
    with pytest.raises(RuntimeError, match=AGAIN):
        y.sum().backward()


def test_a_state_without_an_effect_and_numbers_that_are_none() -> None:
    scaled = Scale()
    captured = wg.capture(scaled)
    for _ in range(3):
        first, second = captured(wg.tensor([1.0, float("nan"), float("inf")]))
        scaled.weight.grad = None
        (first + second).sum().backward()
        assert scaled.weight.grad[0].item() > 2
    assert scaled.calls == 1
    assert wg.replay.explain(captured).replays == 2


def test_leaves_that_the_function_makes() -> None:
    weight = wg.tensor([0.3, 0.4, 0.5], requires_grad=True)

    def of_argument(x: Any) -> Any:
        return x - 0.1 * wg.func.grad(lambda q: (q * weight).sin().sum())(x)

    def of_outside(x: Any) -> Any:
        again = weight.detach().requires_grad_()
        return (weight * x * again).sin()

    for function in (of_argument, of_outside):
        captured = wg.capture(function)
        for k in range(4):
            x = wg.tensor([1.0, 2.0, 3.0 + k])
            found = [wg.autograd.grad(one(x).sum(), weight)[0] for one in (captured, function)]
            assert wg.equal(*found)
        assert function is of_outside or wg.replay.explain(captured).replays >= 2


def test_a_leaf_that_was_assigned_anew() -> None:
    model = wg.nn.Linear(2, 2, bias=False)
    captured = wg.capture(lambda x: model(x).sum())
    for _ in range(3):
        captured(wg.ones(2)).backward()
    model.weight = wg.nn.Parameter(wg.ones(2, 2))
    assert captured(wg.ones(2)).item() == 4
