"""Backward with ``create_graph=True``, where gradients of results share memory with each other or with what is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import wengert as wg

FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "two results": lambda x, w: (x.sin(), x.exp() * w),
    "a dict": lambda x, w: {"a": x.sin() * w, "b": x.exp()},
    "three results": lambda x, w: (x.sin(), x.exp(), x * x * w),
}


def parts_of(found: Any) -> list[Any]:
    return list(found.values() if isinstance(found, dict) else found)


SUMS: dict[str, Callable[[list[Any]], Any]] = {
    "a sum": lambda parts: sum(parts).sum(),
    "cat": lambda parts: wg.cat(parts).sum(),
    "stack": lambda parts: (wg.stack(parts) * wg.arange(1.0, 1 + len(parts)).unsqueeze(1)).sum(),
    "views": lambda parts: sum(one[1:].sum() + one[:1].sum() for one in parts),
}


def same_in_both(derive: Callable[[Callable[[Any], Any]], Any], function: Any, **options: Any) -> Any:
    """Compare what a function of a function gives with a capture and without; return the capture."""
    captured = wg.capture(function, quiet=True, **options)
    for found, expected in zip(derive(captured), derive(function), strict=True):
        assert found == expected
    return captured


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("how", SUMS)
def test_results_of_one_call_that_are_summed(name: str, how: str) -> None:
    w = wg.tensor([2.0, 3.0], requires_grad=True)

    def derive(function: Any) -> Any:
        for k in range(5):
            x = wg.tensor([0.5, 0.25 * k], requires_grad=True)
            first = wg.autograd.grad(SUMS[how](parts_of(function(x))), [x, w], create_graph=True)
            second = wg.autograd.grad(sum(one.sum() for one in first), x)
            yield [one.tolist() for one in (*first, *second)]

    captured = same_in_both(derive, lambda x: FUNCTIONS[name](x, w))
    assert wg.replay.explain(captured).replays >= 3


VECTORS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "the argument": lambda x, w, b: x,
    "the argument, detached": lambda x, w, b: x.detach(),
    "a view of the argument": lambda x, w, b: x.detach().flip(0)[:],
    "a view of it that is none of the function's": lambda x, w, b: x.detach().view(2, 1)[:, 0],
    "a leaf that the function uses": lambda x, w, b: w,
    "a leaf, detached": lambda x, w, b: w.detach(),
    "a buffer": lambda x, w, b: b,
    "one number": lambda x, w, b: wg.ones(()).expand(2),
    "another leaf": lambda x, w, b: wg.tensor([1.0, 7.0], requires_grad=True),
}


@pytest.mark.parametrize("first", VECTORS)
@pytest.mark.parametrize("second", ["another leaf", "one number"])
def test_vectors_on_the_memory_of_what_the_function_uses(first: str, second: str) -> None:
    """The derivative is recorded with one vector, and used with others."""
    w, b = wg.tensor([2.0, 3.0], requires_grad=True), wg.tensor([0.5, 1.5])

    def derive(function: Any) -> Any:
        for k, name in enumerate([first, first, second, first, second]):
            x = wg.tensor([0.5, 1.0 + k], requires_grad=True)
            v = VECTORS[name](x, w, b)
            slopes = wg.autograd.grad(function(x), [x, w], v, create_graph=True)
            curves = wg.autograd.grad(sum((one * one).sum() for one in slopes), [x, w], create_graph=True)
            thirds = wg.autograd.grad(sum((one * one).sum() for one in curves), [x, w])
            yield [[f"{number:.5g}" for number in one.tolist()] for one in (*slopes, *curves, *thirds)]

    same_in_both(derive, lambda x: x * x * w * b)


@pytest.mark.parametrize("n_calls", [1, 2])
def test_products_of_a_hessian_and_a_vector(n_calls: int) -> None:
    def derive(function: Any) -> Any:
        for k in range(4):
            xs = [wg.tensor([0.5, 1.0 + k + n], requires_grad=True) for n in range(n_calls)]
            for x, y in [(x, function(x)) for x in xs]:
                (slope,) = wg.autograd.grad(y.sum(), x, create_graph=True)
                for v in (x, x.detach(), slope.detach()):
                    yield wg.autograd.grad(slope, x, v, retain_graph=True)[0].tolist()

    same_in_both(derive, lambda x: x.sin() * x)


def test_one_tensor_for_two_results() -> None:
    def derive(function: Any) -> Any:
        for k in range(4):
            x, v = wg.tensor([0.5, float(k)], requires_grad=True), wg.tensor([1.0, 2.0], requires_grad=True)
            (slope,) = wg.autograd.grad(function(x), x, [v, v], create_graph=True)
            yield [one.tolist() for one in (slope, *wg.autograd.grad(slope.sum(), [x, v]))]

    same_in_both(derive, lambda x: (x.sin(), x * x))
