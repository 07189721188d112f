"""Loops in bodies that have no iteration at first: bodies are recorded again, when the inner loop has one."""

from __future__ import annotations

import io
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


def multiply(lower: Any, upper: Any, c: Any, w: Any) -> Any:
    return func.fori_loop(lower, upper, lambda j, d: d * w + j, c)


GRADIENTS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "range of an int": lambda n, x, w: func.fori_loop(0, 6, lambda i, c: multiply(0, i, c, w) + 1, x),
    "open range": lambda n, x, w: func.fori_loop(0, n, lambda i, c: multiply(0, i, c, w) + 1, x * w),
    "several empty ones": lambda n, x, w: func.fori_loop(0, n, lambda i, c: multiply(3, i, c, w) * w, x),
    "the last ones": lambda n, x, w: func.fori_loop(0, 5, lambda i, c: multiply(i, 3, c, w) * w, x * w),
    "scan": lambda n, x, w: func.scan(lambda c, i: (multiply(0, i, c, w) + 1, c), x, wg.arange(5))[0],
    "rows of a scan": lambda n, x, w: func.scan(lambda c, i: (multiply(0, i, c, w) + 1, c * w), x, wg.arange(5))[1],
    "while_loop": lambda n, x, w: func.while_loop(
        lambda s: s[0] < n, lambda s: (s[0] + 1, multiply(0, s[0], s[1], w) * w), (n * 0, x)
    )[1],
    "inner while_loop": lambda n, x, w: func.fori_loop(
        0, n, lambda i, c: func.while_loop(lambda s: s[0] < i, lambda s: (s[0] + 1, s[1] * w), (i * 0, c))[1] + w, x
    ),
    "in a cond": lambda n, x, w: func.fori_loop(
        0, n, lambda i, c: func.cond(c.sum() < 50, lambda c: multiply(0, i, c, w) * w, lambda c: c * w, c) + 1, x
    ),
    "three levels": lambda n, x, w: func.fori_loop(
        0, n, lambda i, c: func.fori_loop(0, i, lambda j, d: multiply(0, j, d, w) + w, c) * 0.9, x * w
    ),
}


@pytest.mark.parametrize("name", GRADIENTS)
@pytest.mark.parametrize("needs", [False, True])
def test_inner_loops_with_a_gradient_that_are_empty_at_first(name: str, needs: bool) -> None:
    UNROLLED.clear()

    def function(n: Any, x: Any, w: Any) -> Any:
        y = GRADIENTS[name](n, x, w)
        return *wg.autograd.grad(y.sum(), [w, x] if needs else [w], allow_unused=True), y.detach()

    captured = wg.capture(function, quiet=True)
    for k, n in enumerate((5, 5, 5, 6, 4, 3, 2, 1, 0, 9, 20, 5)):
        found, expected = [], []
        for outcome, call in ((found, captured), (expected, function)):
            x = (wg.tensor([1.0, 2.0]) + 0.1 * k).requires_grad_(needs)
            try:
                outcome += call(wg.tensor(n), x, wg.tensor([0.5, 0.25], requires_grad=True))
            except RuntimeError as error:
                outcome.append(str(error)[:60])
        assert [type(one) for one in found] == [type(one) for one in expected]
        for one, other in zip(found, expected, strict=True):
            if isinstance(one, wg.Tensor):
                assert one.flatten().tolist() == pytest.approx(other.flatten().tolist(), rel=1e-5)
            else:
                assert one == other
    assert not UNROLLED
    assert wg.replay.explain(captured).replays >= 2  # a call with fewer or more iterations may be recorded again


def test_a_range_that_ends_in_the_first_iterations() -> None:
    UNROLLED.clear()

    def function(n: Any, x: Any) -> Any:
        y = func.fori_loop(0, n, lambda i, c: func.fori_loop(1, i, lambda j, d: d * d, c) * 0.9, x)
        return wg.autograd.grad(y.sum(), x)[0]

    captured = wg.capture(function, quiet=True)
    for n in (3, 3, 1, 2, 3):
        arguments = wg.tensor(n), wg.tensor([0.5, 0.25], requires_grad=True)
        assert captured(*arguments).tolist() == function(*arguments).tolist()


@pytest.mark.parametrize("n", [0, 2])
def test_an_inner_range_that_is_empty_in_other_iterations_later(n: int) -> None:
    UNROLLED.clear()
    first = wg.tensor(0)

    def function(x: Any, w: Any) -> Any:
        def step(c: Any, row: Any) -> Any:
            return func.fori_loop(first, 2, lambda j, d: w * row, c), None

        return func.scan(step, x, wg.ones(4, 2))[0]

    captured = wg.capture(function, quiet=True)
    for k in range(5):
        first.fill_(0 if k < 2 else n)
        x, w = wg.ones(2), wg.tensor([0.5, 0.25], requires_grad=True)
        found, expected = captured(x, w), function(x, w)
        assert found.tolist() == expected.tolist()
        assert found.requires_grad == expected.requires_grad


@pytest.mark.parametrize("needs", [False, True])
@pytest.mark.parametrize("inner", [multiply, lambda a, b, c, w: func.while_loop(
    lambda s: s[0] < b, lambda s: (s[0] + 1, s[1] * w), (b * 0 + a, c))[1]])  # fmt: skip
def test_a_program_from_a_file(needs: bool, inner: Callable[..., Any]) -> None:
    UNROLLED.clear()
    w = wg.tensor([0.5, 0.25], requires_grad=needs)

    def function(x: Any) -> Any:
        y = func.fori_loop(0, 20, lambda i, c: inner(0, i, c, w) * 0.5, x * w)
        return wg.autograd.grad(y.sum(), w)[0] if needs else y

    captured = wg.capture(function, quiet=True)
    for _ in range(3):
        captured(wg.ones(2))
    file = io.BytesIO()
    wg.replay.explain(captured).programs[-1].save(file)
    file.seek(0)
    program = wg.replay.load(file)
    for k in range(3):
        assert program(wg.ones(2) + k).tolist() == captured(wg.ones(2) + k).tolist()


def test_a_cond_whose_functions_differ_in_a_later_iteration() -> None:
    UNROLLED.clear()

    def function(x: Any, w: Any) -> Any:
        def body(i: Any, s: Any) -> Any:
            functions = lambda c, d: (c * 0.5, d * 1.0), lambda c, d: (c * 0.9, d.detach())
            return func.cond(s[1].sum() > s[0].sum(), *functions, s[1], s[0])

        c, d = func.fori_loop(0, 3, body, (x * w, x.flip(0)))
        return c + d

    captured = wg.capture(function, quiet=True)
    for k in range(6):
        x, w = wg.tensor([1.0, -2.0]) * (1 - k), wg.tensor([0.5, 0.25], requires_grad=True)
        found, expected = captured(x, w), function(x, w)
        assert found.tolist() == expected.tolist()
        assert found.requires_grad == expected.requires_grad


def test_another_function_of_the_same_line_is_a_loop() -> None:
    UNROLLED.clear()
    unusual, usual = [(lambda i, c: c + c.sum().item()), (lambda i, c: c * 2 + i)]
    for body in (unusual, usual):
        captured = wg.capture(lambda x, body=body: func.fori_loop(0, 3, body, x), quiet=True)
        for _ in range(4):
            captured(wg.ones(2))
    assert [step.name for step in wg.replay.explain(captured).programs[-1].steps] == ["fori_loop"]
