"""Writes by ``.data`` to the results of a construct: gradients are those of an eager run, which has saved some."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import wengert as wg
from wengert_replay.loops import closures
from wengert_replay.loops.unrolled import UNROLLED

from .test_writes_to_results import BODIES, LOOPS

func = wg.func
WRITES: dict[str, Callable[[Any], Any]] = {
    "all": lambda y: y.data.mul_(2),
    "an element": lambda y: y.data[0].zero_(),
    "an assignment": lambda y: y.data.__setitem__(0, 5.0),
    "the same numbers": lambda y: y.data.copy_(y.data.clone()),
    "a view": lambda y: y.view(-1).data[:1].mul_(3),
    "several": lambda y: (y.data.mul_(2), y.data.add_(1)),
    "other memory": lambda y: setattr(y, "data", y.data * 2),
}


def outcomes(loop: str, body: str, write: str, when: str, backward: str, is_captured: bool) -> tuple[list[Any], Any]:
    """Return what some calls give, and the captured function."""
    UNROLLED.clear()
    w: Any = wg.tensor([0.5, 0.25], requires_grad=True)

    def function(x: Any) -> Any:
        y = LOOPS[loop](BODIES[body], x + 1, w)
        if when == "before its use":
            WRITES[write](y)
        loss = (y * y * 0.5 + y).sum()
        if when != "before its use":
            WRITES[write](y)
        if when == "before backward, and dropped":
            del y
            y = wg.zeros(2)
        if backward == "outside":
            return loss, y
        if backward == "to be differentiated":
            (first,) = wg.autograd.grad(loss, w, create_graph=True)
            return *wg.autograd.grad(first.sum(), w), y.detach()
        return *wg.autograd.grad(loss, w), y.detach()

    made = wg.capture(function, quiet=True) if is_captured else function
    found: list[Any] = []
    for k in range(4):
        results = made(wg.tensor([1.0, 1.5]) + k)
        if backward == "outside":
            results = *wg.autograd.grad(results[0], w), results[1]
        found.append([[f"{number:.4g}" for number in one.flatten().tolist()] for one in results])
    return found, made


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("when", ["before its use", "before backward", "before backward, and dropped"])
@pytest.mark.parametrize("backward", ["inside", "outside", "to be differentiated"])
def test_writes_by_data_are_those_of_an_eager_run(loop: str, write: str, when: str, backward: str) -> None:
    for body in BODIES:
        found, captured = outcomes(loop, body, write, when, backward, True)
        assert found == outcomes(loop, body, write, when, backward, False)[0]
        assert wg.replay.explain(captured).replays > 0 or backward == "outside"  # a result may be held meanwhile


@pytest.mark.parametrize("loop", LOOPS)
def test_writes_to_large_results(loop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closures, "MOST_BYTES", 4)
    for when in ("before its use", "before backward", "before backward, and dropped"):
        found, _ = outcomes(loop, "saves its result", "all", when, "inside", True)
        assert found == outcomes(loop, "saves its result", "all", when, "inside", False)[0]


def test_a_loop_whose_result_gets_the_same_numbers_stays_a_loop() -> None:
    outcomes("fori_loop", "saves its result", "the same numbers", "before backward", "inside", True)
    assert not UNROLLED


def test_the_reason_is_said() -> None:
    _, captured = outcomes("fori_loop", "saves its result", "all", "before backward", "inside", True)
    assert "its results are written to by .data before backward" in str(wg.replay.explain(captured))
