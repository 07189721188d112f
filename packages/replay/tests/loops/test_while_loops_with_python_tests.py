"""While loops whose tests give values of Python: they are recorded operation by operation, and run once."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
import pytest
import wengert as wg
from wengert._higher_order_ops import while_loop as while_loop_of_parts
from wengert_replay.loops.unrolled import UNROLLED

from ..differential.scenarios import compare_runs

while_loop = wg.func.while_loop


def double(test: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: while_loop(test, lambda c: c * 2, x)


def by_counter(x: Any) -> Any:
    numbers = count()
    return while_loop(lambda c: next(numbers) < 4, lambda c: c * 2, x)


def count_in_the_body(x: Any) -> Any:
    calls: list[int] = []
    return while_loop(lambda c: len(calls) < 4, lambda c: (calls.append(1), c * 2)[1], x)


def empty_carry(x: Any) -> Any:
    numbers = count()
    while_loop(lambda c: next(numbers) < 4, lambda c: c, ())
    return x * next(numbers)


def later(x: Any) -> Any:
    """The first tests give tensors."""
    numbers = count()
    return while_loop(lambda c: c.sum() < 30 if next(numbers) < 2 else next(numbers) < 9, lambda c: c * 2, x)


def in_a_loop(x: Any) -> Any:
    return wg.func.fori_loop(0, 3, lambda i, c: double(lambda d: bool(d.sum() < 30))(c) / 4 + i, x)


def in_a_scan(x: Any) -> Any:
    return wg.func.scan(lambda c, row: (double(lambda d: bool(d.sum() < 30))(c + row) / 8, c), x, wg.ones(3, 2))[0]


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "bool": double(lambda c: bool(c.sum() < 30)),
    "False": double(lambda c: False),
    "item": double(lambda c: c.sum().item() < 30),
    "bool of NumPy": double(lambda c: np.bool_(c.sum().item() < 30)),
    "0": double(lambda c: 0),
    "0.0": double(lambda c: 0.0),
    "random": double(lambda c: wg.rand(()).item() < 0.7),
    "parts": lambda x: while_loop_of_parts(lambda c: bool(c.sum() < 30), lambda c: (c * 2,), (x,))[0],
    "index": lambda x: while_loop(lambda c: bool(c[0] < 3), lambda c: (c[0] + 1, c[1] * 2), (wg.tensor(0), x))[1],
    "counter": by_counter, "counter in the body": count_in_the_body, "empty carry": empty_carry, "later": later,
    "in a loop": in_a_loop, "in a scan": in_a_scan,
}  # fmt: skip


@pytest.fixture(autouse=True)
def forget_loops() -> None:
    """Many loops here have one body."""
    UNROLLED.clear()


@pytest.mark.parametrize("needs_grad", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_tests_that_give_values_of_python(name: str, needs_grad: bool) -> None:
    def calls(capture: Any) -> Any:
        captured = capture(FUNCTIONS[name], quiet=True)
        for k in range(10):
            x = wg.tensor([1.0 + k % 3, 2.0]).requires_grad_(needs_grad)
            result = captured(x)
            if result.requires_grad:
                result.sum().backward()
            yield result.detach(), result._version, x.grad

    assert compare_runs(calls).replays or name == "random"


def test_explain_says_why_such_a_loop_is_recorded_operation_by_operation() -> None:
    captured = wg.capture(lambda x: while_loop(lambda c: bool(c.sum() < 30), lambda c: c * 2, x), quiet=True)
    for _ in range(3):
        captured(wg.ones(2))
    assert "its test gives a value of Python" in str(wg.replay.explain(captured))


@pytest.mark.parametrize("test", [lambda c: None, lambda c: 1 // 0, lambda c: c], ids=["None", "error", "two elements"])
def test_tests_that_are_errors(test: Callable[[Any], Any]) -> None:
    captured = wg.capture(double(test), quiet=True)
    for _ in range(3):
        with pytest.raises((TypeError, ZeroDivisionError)) as expected:
            double(test)(wg.ones(2))
        with pytest.raises(expected.type) as got:
            captured(wg.ones(2))
        assert str(got.value) == str(expected.value)
