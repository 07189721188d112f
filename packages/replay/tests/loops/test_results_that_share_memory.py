"""Results of a construct that share memory, with each other or with operands: writes are seen as in an eager run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import wengert as wg
from wengert_replay.loops.unrolled import UNROLLED

func = wg.func


def twice(tensor: Any) -> tuple[Any, Any]:
    """Return a tensor and a view of it."""
    return tensor, tensor.view(2)


LOOPS: dict[str, Callable[[Any, Any], Any]] = {
    "a view of the carry": lambda c, w: (func.fori_loop(0, 3, lambda i, c: c.view(2), c), c),
    "all of the carry": lambda c, w: (func.fori_loop(0, 3, lambda i, c: c[:], c), c),
    "two views": lambda c, w: func.fori_loop(0, 3, lambda i, s: twice(s[0] * w), (c, c)),
    "one tensor twice": lambda c, w: func.fori_loop(0, 3, lambda i, s: (s[0] * w,) * 2, (c, c)),
    "two views of an open range": lambda c, w: func.fori_loop(0, wg.tensor(3), lambda i, s: twice(s[0] * w), (c, c)),
    "one tensor twice of an open range": lambda c, w: func.fori_loop(
        0, wg.tensor(3), lambda i, s: (s[0] * w,) * 2, (c, c)
    ),
    "while_loop": lambda c, w: func.while_loop(
        lambda s: s[0] < 3, lambda s: (s[0] + 1, *twice(s[1] * w)), (wg.tensor(0), c, c)
    )[1:],
    "scan": lambda c, w: func.scan(lambda s, row: (twice(s[0] * w), row), (c, c), wg.ones(3, 2))[0],
    "cond": lambda c, w: func.cond(c.sum() > 0, lambda c: twice(c * w), lambda c: twice(c + w), c),
    "one tensor twice of a cond": lambda c, w: func.cond(
        c.sum() > 0, lambda c: (c * w,) * 2, lambda c: (c + w,) * 2, c
    ),
}
WRITES: dict[str, Callable[[Any], Any]] = {
    "the first": lambda found: found[0].mul_(2),
    "the last": lambda found: found[1].mul_(2),
    "outside of the graph": lambda found: found[0].detach().mul_(2),
    "by data": lambda found: found[0].data.mul_(2),
}


def rows_of_two(rows: Any) -> Any:
    """Return a loop whose last carry is a row of its input, and that input."""
    return func.scan(lambda c, row: (row, c * 2), wg.zeros(2), rows)[0], rows


def outcomes(loop: Callable[[Any, Any], Any], write: str, has_grad: bool, carry: str, is_captured: bool) -> Any:
    """Return what some calls give, the argument and which results share memory, and the captured function."""
    UNROLLED.clear()
    w: Any = wg.tensor([0.5, 0.25], requires_grad=has_grad)

    def function(x: Any) -> Any:
        found = loop(x if carry == "argument" else x + 1, w)
        with wg.no_grad():
            WRITES[write](found)
        loss = sum((one * one).sum() for one in found)
        first = wg.autograd.grad(loss, w) if loss.requires_grad else ()
        return *first, *[one.detach() * 1 for one in found]

    made = wg.capture(function, quiet=True) if is_captured else function
    found = []
    for k in range(4):
        x = wg.tensor([1.0, 1.5]) + k
        found.append([[one.tolist() for one in made(x)], x.tolist(), x._version])
    return found, made


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("carry", ["argument", "computed"])
@pytest.mark.parametrize("has_grad", [False, True])
def test_writes_are_seen_as_in_an_eager_run(loop: str, write: str, carry: str, has_grad: bool) -> None:
    found, captured = outcomes(LOOPS[loop], write, has_grad, carry, True)
    assert found == outcomes(LOOPS[loop], write, has_grad, carry, False)[0]
    if (carry, write) != ("argument", "by data"):  # x.data of an argument is not recorded
        assert wg.replay.explain(captured).replays > 0


@pytest.mark.parametrize("write", WRITES)
def test_a_carry_that_is_a_row_stays_a_loop(write: str) -> None:
    def loop(c: Any, w: Any) -> Any:
        return rows_of_two(wg.ones(3, 2) * c)

    found, captured = outcomes(loop, write, False, "computed", True)
    assert not UNROLLED
    assert found == outcomes(loop, write, False, "computed", False)[0]
    assert wg.replay.explain(captured).replays > 0
