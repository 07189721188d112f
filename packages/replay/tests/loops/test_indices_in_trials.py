"""Loops with an index by their number, and a cond that gives an operand on one way only: they stay loops."""

from __future__ import annotations

from typing import Any

import pytest
import wengert as wg
from wengert_replay.loops.unrolled import UNROLLED

from ..differential.scenarios import compare_runs

cond, fori_loop, scan, while_loop = wg.func.cond, wg.func.fori_loop, wg.func.scan, wg.func.while_loop
TABLE = wg.arange(12.0).reshape(4, 3) * 0.1


def on_one_way(x: Any, a: Any, j: Any) -> Any:
    return cond(x[0] > 0, lambda a: (a * 2, x * 2), lambda a: (TABLE[j % 4] * x, a), a)[0]


def outside_of_it(x: Any, a: Any, j: Any) -> Any:
    """The index is in another cond."""
    b = cond(x[0] > 0, lambda a: a * 2, lambda a: a, a)
    return cond(x[1] > 0, lambda b: b + TABLE[j % 4], lambda b: b * 3, b)


def inside(x: Any, a: Any, j: Any) -> Any:
    def otherwise(a: Any) -> Any:
        return cond(a[0] < 1, lambda a: a * 2 + TABLE[j % 4], lambda a: a * 3, a), a

    return cond(a[0] > 0, lambda a: (a * 2, a * 2), otherwise, a)[0]


def of_a_loop(x: Any, a: Any, j: Any) -> Any:
    """The cond is in an inner loop."""
    def body(i: Any, b: Any) -> Any:
        return cond(x[0] > 0, lambda b: b * 0.5 + TABLE[i + j % 2], lambda b: b, b)

    return fori_loop(0, 2, body, a) * 1


BODIES = {one.__name__: one for one in (on_one_way, outside_of_it, inside, of_a_loop)}


@pytest.fixture(autouse=True)
def forget_loops() -> None:
    """Loops of one line are tried with one body after the other."""
    UNROLLED.clear()


def as_while(body: Any) -> Any:
    return lambda x: while_loop(lambda c: c[1] < 4, lambda c: (body(x, c[0], c[1]) * 0.5, c[1] + 1),
                                (x * 1, wg.tensor(0)))[0]  # fmt: skip


def as_fori(body: Any) -> Any:
    return lambda x: fori_loop(0, 4, lambda i, a: body(x, a, i) * 0.5, x * 1)


def as_scan(body: Any) -> Any:
    return lambda x: scan(lambda a, j: (body(x, a, j) * 0.5, a.sum()), x * 1, wg.arange(4))[0]


@pytest.mark.parametrize("construct", [as_while, as_fori, as_scan])
@pytest.mark.parametrize("name", BODIES)
def test_an_index_by_the_number_of_a_loop_that_is_looked_at(name: str, construct: Any) -> None:
    function = construct(BODIES[name])

    def calls(capture: Any) -> Any:
        captured = capture(function, quiet=True)
        for k in (1.0, 1.0, -0.5, 3.0, -3.0, 1.0, -1.0, 0.5, 2.0):
            yield captured(wg.tensor([k, -k / 2, 0.1]))

    outcome = compare_runs(calls)
    assert outcome.replays >= 6, outcome
    program = wg.replay.explain(outcome.captures[0]).programs[0]
    assert (program.n_branches, program.counts().guards) == (0, 0)
