"""Loops in bodies that have no iteration at first: bodies are recorded again, when the inner loop has one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import wengert as wg
from wengert_replay.loops.unrolled import UNROLLED

func = wg.func


def triangle(n: Any, x: Any) -> Any:
    return func.fori_loop(0, n, lambda i, c: func.fori_loop(0, i, lambda j, d: d * 0.5 + j, c) + 1, x)


def late(n: Any, x: Any) -> Any:
    return func.fori_loop(0, n, lambda i, c: func.fori_loop(3, i, lambda j, d: d * 0.5 + j, c) + 1, x)


def with_a_test(n: Any, x: Any) -> Any:
    def body(i: Any, c: Any) -> Any:
        return func.while_loop(lambda s: s[0] < i, lambda s: (s[0] + 1, s[1] * 0.5), (i * 0, c))[1] + 1

    return func.fori_loop(0, n, body, x)


def in_a_cond(n: Any, x: Any) -> Any:
    def inner(i: Any, c: Any) -> Any:
        return func.fori_loop(0, i, lambda j, d: d * 0.5 + j, c)

    def body(i: Any, c: Any) -> Any:
        return func.cond(c.sum() < 50, lambda c: inner(i, c), lambda c: c * 0.5, c) + 1

    return func.fori_loop(0, n, body, x)


def in_a_scan(n: Any, x: Any) -> Any:
    return func.scan(lambda c, i: (triangle(i, c), c), x, wg.arange(5))[0] * n


@pytest.mark.parametrize("function", [triangle, late, with_a_test, in_a_cond, in_a_scan])
def test_inner_loops_that_are_empty_at_first(function: Callable[[Any, Any], Any]) -> None:
    UNROLLED.clear()
    captured = wg.capture(function, quiet=True)
    for k, n in enumerate((5, 5, 2, 6, 0, 1, 9)):
        x = wg.tensor([1.0, 2.0]) + k
        assert captured(wg.tensor(n), x).tolist() == function(wg.tensor(n), x).tolist()
    assert not UNROLLED
    assert wg.replay.explain(captured).replays >= 5


def test_the_reason_where_an_inner_loop_has_a_gradient() -> None:
    UNROLLED.clear()

    def function(x: Any, w: Any) -> Any:
        y = func.fori_loop(0, 4, lambda i, c: func.fori_loop(0, i, lambda j, d: d * w + j, c) + 1, x)
        return wg.autograd.grad(y.sum(), w)[0]

    captured = wg.capture(function, quiet=True)
    for _ in range(4):
        w = wg.ones(2, requires_grad=True)
        assert captured(wg.ones(2), w).tolist() == function(wg.ones(2), w).tolist()
    assert "in one of its iterations, fori_loop has no iteration" in str(wg.replay.explain(captured))


def test_another_function_of_the_same_line_is_a_loop() -> None:
    UNROLLED.clear()
    unusual, usual = [(lambda i, c: c + c.sum().item()), (lambda i, c: c * 2 + i)]
    for body in (unusual, usual):
        captured = wg.capture(lambda x, body=body: func.fori_loop(0, 3, body, x), quiet=True)
        for _ in range(4):
            captured(wg.ones(2))
    assert [step.name for step in wg.replay.explain(captured).programs[-1].steps] == ["fori_loop"]
