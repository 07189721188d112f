"""Loops whose carry passes graphs from place to place, and numbers that decide: which are not 0."""

from __future__ import annotations

import pytest
import wengert as wg

from .test_loop_indices import facts_of, leaf, normal

func = wg.func
LOOPS = {
    "swap": lambda n, x, w: func.fori_loop(0, n, lambda i, c: (c[1], c[0]), (x, w)),
    "operations": lambda n, x, w: func.fori_loop(0, n, lambda i, c: (c[1] * 2, c[0].sin()), (x, w)),
    "scan": lambda n, x, w: func.scan(lambda c, row: ((c[1].cos(), c[0] * row), c[0] + 1), (x, w), x[:n])[0],
    "dropped": lambda n, x, w: func.fori_loop(0, n, lambda i, c: (c[1].detach(), c[0] * 2), (x, w)),
}


@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize("name", LOOPS)
def test_graphs_of_a_carry_that_changes_places(name, count):
    captured = wg.capture(LOOPS[name], quiet=True)
    for k in range(4):
        sides = []
        for function in (captured, captured.function):
            x, w = normal(5, seed=k), leaf(5, seed=k + 9)
            results = function(count, x, w)
            needs = [one.requires_grad for one in results]
            if any(needs):
                sum((one * one).sum() for one in results).backward()
            sides.append((needs, facts_of([*results, w.grad])))
        assert sides[0] == sides[1]
    reasons = wg.replay.explain(captured).reasons
    assert wg.replay.explain(captured).replays or "a result is a view of an argument" in reasons  # w.detach()
    assert wg.replay.explain(captured).replays or (name, count) == ("dropped", 1)


def test_graphs_that_depend_on_a_number_that_each_call_has_anew():
    captured = wg.capture(LOOPS["operations"], quiet=True)
    for k, count in enumerate((3, 3, 4, 3, 1, 2)):
        x, w = normal(5, seed=k), leaf(5, seed=k + 9)
        found, expected = (function(wg.tensor(count), x, w) for function in (captured, captured.function))
        assert [one.requires_grad for one in found] == [one.requires_grad for one in expected]
        assert facts_of(found) == facts_of(expected)


@pytest.mark.parametrize("number", [0.0, -0.0, 1.0, 1e-7, -1.0, float("nan")])
@pytest.mark.parametrize("dtype", [wg.bfloat16, wg.float16, wg.float32, wg.float64, wg.complex64, wg.complex128])
def test_numbers_that_are_not_0(dtype, number):
    captured = wg.capture(lambda p, x: func.cond(p, lambda x: x + 1, lambda x: x - 1, x))
    for _ in range(2):
        captured(wg.ones((), dtype=dtype), wg.zeros(2))
    predicate = wg.tensor(number).to(dtype)
    assert captured(predicate, wg.zeros(2)).tolist() == captured.function(predicate, wg.zeros(2)).tolist()
    assert wg.replay.explain(captured).replays == 2


@pytest.mark.parametrize("dtype", [wg.int16, wg.uint16])
def test_whole_numbers_with_one_high_bit(dtype):
    captured = wg.capture(lambda p, x: func.cond(p, lambda x: x + 1, lambda x: x - 1, x))
    for _ in range(2):
        captured(wg.ones((), dtype=dtype), wg.zeros(2))
    predicate = wg.tensor(1 << 15).to(dtype)
    assert captured(predicate, wg.zeros(2)).tolist() == [1, 1]
