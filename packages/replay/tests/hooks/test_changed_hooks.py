"""Hooks that are registered or removed between calls: a captured function that calls them calls those of now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import wengert as wg

from ..differential.scenarios import compare_runs


def tenfold(grad: Any) -> Any:
    return grad * 10


def inner_gradient(kind: str, x: Any, w: Any) -> Any:
    """A function that asks for a gradient inside, and whose result has a graph, or none."""
    grad = wg.autograd.grad((x * w * w).sum(), w, create_graph=kind == "differentiated")[0]
    return grad * {"differentiated": x, "plain": x.detach(), "of an argument": x, "beside": w}[kind]


@pytest.mark.parametrize("in_first_call", [False, True])
@pytest.mark.parametrize("has_backward", [False, True])
@pytest.mark.parametrize("kind", ["differentiated", "plain", "of an argument", "beside"])
def test_hooks_of_a_leaf_whose_gradient_the_function_asks_for(
    kind: str, has_backward: bool, in_first_call: bool
) -> None:
    def generate(capture: Any) -> Iterator[Any]:
        w = wg.tensor([1.0, 2.0], requires_grad=True)
        function = capture(lambda x: inner_gradient(kind, x, w))
        handle: Any = None
        for number in range(12):
            if number % 4 == (0 if in_first_call else 2) and number < 8:
                if handle is None:
                    handle = w.register_hook(tenfold)
                else:
                    handle = handle.remove()
            x = wg.tensor([1.0, 3.0], requires_grad=kind == "of an argument")
            w.grad = None
            result = function(x)
            if has_backward and result.requires_grad:
                result.sum().backward()
            yield result, x.grad, w.grad

    assert compare_runs(generate).replays >= 5


@pytest.mark.parametrize("has_backward", [False, True])
@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("is_leaf", [False, True])
@pytest.mark.parametrize("comes", ["in some calls", "always", "later"])
def test_hooks_of_an_argument_whose_gradient_the_function_asks_for(
    comes: str, is_leaf: bool, create_graph: bool, has_backward: bool
) -> None:
    def generate(capture: Any) -> Iterator[Any]:
        w = wg.tensor([1.0, 2.0], requires_grad=True)
        function = capture(lambda x: wg.autograd.grad((x * x * w).sum(), x, create_graph=create_graph)[0] * w)
        for number in range(9):
            leaf = wg.tensor([1.0, 3.0], requires_grad=True)
            x = leaf if is_leaf else leaf * 2
            if comes == "always" or (number % 3 == 0 if comes == "in some calls" else number > 5):
                x.register_hook(tenfold)
            w.grad = None
            result = function(x)
            if has_backward:
                result.sum().backward()
            yield result, leaf.grad, w.grad

    compare_runs(generate)


def test_hooks_of_one_argument_are_those_of_each_call() -> None:
    def generate(capture: Any) -> Iterator[Any]:
        w = wg.tensor([1.0, 2.0], requires_grad=True)
        x = wg.tensor([1.0, 3.0], requires_grad=True)
        x.register_hook(tenfold)
        function = capture(lambda x: wg.autograd.grad((x * x * w).sum(), x, create_graph=True)[0] * w)
        for _ in range(8):
            w.grad = x.grad = None
            (first,) = wg.autograd.grad(function(x).sum(), x, create_graph=True)
            first.sum().backward()
            yield first, w.grad, x.grad

    assert compare_runs(generate).replays >= 6


def test_hooks_of_an_argument_that_gets_no_gradient_do_not_count() -> None:
    w = wg.tensor([1.0, 2.0], requires_grad=True)

    @wg.capture
    def step(x: Any) -> Any:
        w.grad = None
        (x.detach() * w).sum().backward()
        return w.grad * 1

    for _ in range(12):
        x = wg.tensor([1.0, 3.0], requires_grad=True) * 2
        x.register_hook(tenfold)
        step(x)
    assert wg.replay.explain(step).replays >= 10


@pytest.mark.parametrize("construct", ["fori_loop", "cond"])
def test_hooks_of_a_leaf_whose_gradient_a_body_asks_for(construct: str) -> None:
    def generate(capture: Any) -> Iterator[Any]:
        w = wg.tensor([1.0, 2.0], requires_grad=True)

        def body(c: Any) -> Any:
            return c + wg.autograd.grad((c * w * w).sum(), w)[0]

        def function(x: Any) -> Any:
            if construct == "fori_loop":
                return wg.func.fori_loop(0, 3, lambda i, c: body(c), x)
            return wg.func.cond(x.sum() > 0, body, lambda c: c * 2, x)

        captured, handle = capture(function), None
        for number in range(9):
            if number == 3:
                handle = w.register_hook(tenfold)
            if number == 6 and handle is not None:
                handle.remove()
            yield captured(wg.ones(2)) * 1

    assert compare_runs(generate).replays >= 3


WAYS = ["before", "behind", "after the gradient", "leaf"]


@pytest.mark.parametrize("first", [0, 3])
@pytest.mark.parametrize("way", WAYS)
def test_hooks_of_a_leaf_that_a_step_accumulates_into(way: str, first: int) -> None:
    """Those of its AccumulateGrad, too."""
    def generate(capture: Any) -> Iterator[Any]:
        w = wg.ones(2, requires_grad=True)
        node = w.view_as(w).grad_fn.next_functions[0][0]

        def step(x: Any) -> Any:
            w.grad = None
            (x * w).sum().backward()
            return x * 1

        def multiply(leaf: Any) -> None:
            leaf.grad.mul_(3)

        captured, handle = capture(step), None
        for number in range(10):
            if number == first:
                handle = {
                    "before": lambda: node.register_prehook(lambda grads: (grads[0] * 10,)),
                    "behind": lambda: node.register_hook(lambda *_: multiply(w)),
                    "after the gradient": lambda: w.register_post_accumulate_grad_hook(multiply),
                    "leaf": lambda: w.register_hook(tenfold),
                }[way]()
            if number == first + 3 and handle is not None:
                handle.remove()
            yield captured(wg.ones(2)), w.grad

    assert compare_runs(generate).replays >= 5


@pytest.mark.filterwarnings("ignore:wengert.capture")
def test_a_function_that_registers_a_hook_at_an_accumulator_runs_as_usual() -> None:
    def generate(capture: Any) -> Iterator[Any]:
        w = wg.ones(2, requires_grad=True)
        node = w.view_as(w).grad_fn.next_functions[0][0]

        def step(x: Any) -> Any:
            node.register_prehook(lambda grads: (grads[0] * 2,))
            w.grad = None
            (x * w).sum().backward()
            return x * 1

        captured = capture(step)
        for _ in range(6):
            yield captured(wg.ones(2)), w.grad

    assert "registers a hook" in compare_runs(generate).reasons[0]
