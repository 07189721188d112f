"""Writes to the results of a construct before backward: errors are those of an eager run, and loops stay loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import wengert as wg
from wengert_replay.loops.unrolled import UNROLLED

func = wg.func

LOOPS: dict[str, Callable[[Callable[[Any, Any], Any], Any, Any], Any]] = {
    "fori_loop": lambda body, c, w: func.fori_loop(0, 3, lambda i, c: body(c, w), c),
    "open fori_loop": lambda body, c, w: func.fori_loop(0, wg.tensor(3), lambda i, c: body(c, w), c),
    "while_loop": lambda body, c, w: func.while_loop(
        lambda s: s[0] < 3, lambda s: (s[0] + 1, body(s[1], w)), (wg.tensor(0), c)
    )[1],
    "scan": lambda body, c, w: func.scan(lambda c, row: (body(c + row, w), c), c, wg.ones(3, 2))[0],
    "rows of a scan": lambda body, c, w: func.scan(lambda c, row: (c * row, body(c, w)), c, wg.ones(3, 2))[1],
    "cond": lambda body, c, w: func.cond(c.sum() > 0, lambda c: body(c, w), lambda c: c * w, c),
}
BODIES: dict[str, Callable[[Any, Any], Any]] = {
    "saves its result": lambda c, w: (c * w).tanh(),
    "saves its operands": lambda c, w: c * w,
}
WRITES: dict[str, Callable[[Any], Any]] = {
    "outside of the graph": lambda y: y.detach().add_(1),
    "the same numbers": lambda y: y.detach().copy_(y.detach().clone()),
    "several": lambda y: (y.detach().mul_(2), y.detach()[0].zero_()),
    "in the graph": lambda y: y.mul_(2),
}


def outcomes(loop: str, body: str, write: str, backward: str, is_captured: bool) -> tuple[list[Any], Any]:
    """Return what some calls give, or their errors, and the captured function."""
    UNROLLED.clear()
    w: Any = wg.tensor([0.5, 0.25], requires_grad=True)

    def function(x: Any) -> Any:
        y = LOOPS[loop](BODIES[body], x + 1, w)
        WRITES[write](y)
        if backward == "outside":
            return y
        if backward == "to be differentiated":
            (first,) = wg.autograd.grad((y * y).sum(), w, create_graph=True)
            return *wg.autograd.grad(first.sum(), w), y.detach()
        return *wg.autograd.grad(y.sum(), w), y.detach()

    made = wg.capture(function, quiet=True) if is_captured else function
    found: list[Any] = []
    for k in range(4):
        try:
            results = made(wg.tensor([1.0, 1.5]) + k)
            if backward == "outside":
                results = *wg.autograd.grad(results.sum(), w), results
            found.append([[f"{number:.4g}" for number in one.flatten().tolist()] for one in results])
        except RuntimeError as error:
            found.append(str(error)[:170])
    return found, made


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("backward", ["inside", "outside", "to be differentiated"])
def test_writes_to_results_are_those_of_an_eager_run(loop: str, body: str, write: str, backward: str) -> None:
    expected, _ = outcomes(loop, body, write, backward, False)
    found, captured = outcomes(loop, body, write, backward, True)
    assert found == expected
    if not isinstance(expected[-1], str):
        assert wg.replay.explain(captured).replays > 0
        assert not UNROLLED


def test_a_result_that_is_gone_is_not_asked() -> None:
    def function(x: Any, w: Any) -> Any:
        y = func.fori_loop(0, 3, lambda i, c: (c * w).tanh(), x)
        loss = y.sum()
        del y
        return wg.autograd.grad(loss, w)[0]

    captured = wg.capture(function, quiet=True)
    for k in range(4):
        x, w = wg.ones(2) + k, wg.tensor([0.5, 0.25], requires_grad=True)
        assert captured(x, w).tolist() == function(x, w).tolist()
    assert wg.replay.explain(captured).replays > 0
