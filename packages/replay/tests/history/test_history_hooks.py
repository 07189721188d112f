"""Hooks of leaves and arguments that a captured function uses: called as usual, and not where no gradient comes."""

from __future__ import annotations

from typing import Any

import pytest
import wengert as wg


def hook_calls(function: Any, which: int) -> list[Any]:
    """Return what hooks see in a backward from one result; a post-accumulate hook uses the gradient of the leaf."""
    first, second = wg.ones(2, requires_grad=True), wg.full((2,), 2.0, requires_grad=True)
    second.grad = wg.ones(2)
    x = wg.tensor([1.0, 3.0], requires_grad=True)
    y = x * 2
    found: list[Any] = []
    first.register_hook(lambda grad: found.append(("first", grad.tolist())))
    second.register_hook(lambda grad: found.append(("second", grad.tolist())))
    second.register_post_accumulate_grad_hook(lambda leaf: found.append(("after", leaf.grad.tolist())))
    y.register_hook(lambda grad: found.append(("argument", grad.tolist())))
    function(first, second, x, y)[which].sum().backward()
    return [*sorted(found), first.grad, second.grad.tolist(), x.grad.tolist()]


def two_results(first: Any, second: Any, x: Any, y: Any) -> Any:
    return x * first, y * second


def two_loops(first: Any, second: Any, x: Any, y: Any) -> Any:
    return wg.func.scan(lambda carry, row: (carry * first, (row * 2).detach() + carry), x, wg.stack([y.detach()]))


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("function", [two_results, two_loops])
def test_hooks_are_not_called_where_no_gradient_comes(function: Any, which: int) -> None:
    leaves: list[Any] = []

    def call(*tensors: Any) -> Any:
        return function(*leaves, *tensors)

    captured = wg.capture(call)

    def captured_call(first: Any, second: Any, x: Any, y: Any) -> Any:
        leaves[:] = first, second
        return captured(x, y)

    def flat(found: list[Any]) -> list[Any]:
        return [one.tolist() if isinstance(one, wg.Tensor) else one for one in found]

    expected = flat(hook_calls(function, which))
    for _ in range(3):
        assert flat(hook_calls(captured_call, which)) == expected


def test_hooks_of_leaves_of_the_branch_that_is_not_taken() -> None:
    first, second = wg.ones(2, requires_grad=True), wg.ones(2, requires_grad=True)
    found: list[Any] = []
    first.register_hook(lambda grad: found.append(("first", grad.tolist())))
    second.register_hook(lambda grad: found.append(("second", grad.tolist())))

    def choose(x: Any, predicate: Any) -> Any:
        return wg.func.cond(predicate, lambda a: a * first, lambda a: (a * second).sin(), x)

    captured, seen = wg.capture(choose), []
    for function in (choose, captured):
        for k in range(6):
            function(wg.zeros(2), wg.tensor(k % 3 == 0)).sum().backward()
        seen.append(found[:])
        found.clear()
    assert seen[0] == seen[1]
    assert len(seen[0]) == 6


@pytest.mark.parametrize("retains", [False, True])
@pytest.mark.parametrize("which", [0, 1, 2])
def test_hooks_of_results_are_not_called_where_no_gradient_comes(which: int, retains: bool) -> None:
    def run(make: Any) -> list[Any]:
        w = wg.ones(2, requires_grad=True)
        function = make(lambda x: (x * w, x.sin() * w, (w * 3).exp()))
        found: list[Any] = []
        for number in range(6):
            x = wg.tensor([0.5, 0.25], requires_grad=True)
            w.grad = None
            results = function(x)
            for k, result in enumerate(results):
                result.register_hook(lambda grad, k=k: (found.append((k, grad.tolist())), grad * (k + 2))[1])
                if retains:
                    result.retain_grad()
            results[which].sum().backward(retain_graph=True)
            found.append([None if one is None else one.tolist() for one in (x.grad, w.grad)])
            if number % 2:
                results[which - 1].sum().backward()
                found.append([None if one is None else one.tolist() for one in (x.grad, w.grad)])
            found.append([result.grad is not None for result in results] if retains else None)
        return found

    captured: list[Any] = []

    def capture(function: Any) -> Any:
        captured.append(wg.capture(function))
        return captured[0]

    assert run(capture) == run(lambda function: function)
    assert wg.replay.explain(captured[0]).replays == 5


@pytest.mark.parametrize("first", [0, 2])
@pytest.mark.parametrize("which", ["argument", "leaf", "other leaf"])
def test_a_tensor_that_ceases_to_require_gradients_before_backward_gets_none(which: str, first: int) -> None:
    def run(make: Any) -> list[Any]:
        w, v = wg.ones(2, requires_grad=True), wg.ones(2, requires_grad=True)
        function, found = make(lambda x: ((x * w).sin(), w * v)), []
        for number in range(8):
            x = wg.ones(2, requires_grad=True)
            w.grad = v.grad = None
            one = {"argument": x, "leaf": w, "other leaf": v}[which]
            results = function(x)
            one.requires_grad_(number < first)
            (results[0].sum() + (results[1].sum() if number % 2 else 0)).backward()
            one.requires_grad_(True)
            found.append([None if grad is None else grad.tolist() for grad in (x.grad, w.grad, v.grad)])
        return found

    assert run(wg.capture) == run(lambda function: function)


@pytest.mark.parametrize("mode", ["all", "any"])
@pytest.mark.parametrize("which", [0, 1])
def test_a_hook_over_several_results_gets_none_for_those_without_a_gradient(which: int, mode: Any) -> None:
    def run(make: Any) -> list[Any]:
        w, found = wg.ones(2, requires_grad=True), []
        function = make(lambda x: (x * w, x.sin() * w))

        def note(grads: Any) -> None:
            found.append([one if one is None else one.tolist() for one in ([grads] if mode == "any" else grads)])

        for _ in range(4):
            results = function(wg.tensor([0.5, 0.25]))
            wg.autograd.graph.register_multi_grad_hook(results, note, mode=mode)
            results[which].sum().backward()
        return found

    assert run(wg.capture) == run(lambda function: function)
