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
