"""Writes behind a construct, and before backward, to what it has read: numbers and errors are those of an eager run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import wengert as wg
from wengert_replay.loops import closures
from wengert_replay.loops.unrolled import UNROLLED

func = wg.func
BODIES: dict[str, Callable[[Any, dict[str, Any]], Any]] = {
    "saves no constant": lambda c, o: c * o["weight"] + o["constant"],
    "saves a constant": lambda c, o: c * o["weight"] * o["constant"],
    "saves nothing": lambda c, o: c + o["weight"],
    "adds what is computed": lambda c, o: c * o["weight"] + o["computed"],
    "saves what is computed": lambda c, o: c * o["weight"] * o["computed"],
}
WRITES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "nothing": lambda o: None,
    "constant": lambda o: o["constant"].add_(1),
    "constant, the same numbers": lambda o: o["constant"].copy_(o["constant"].clone()),
    "constant, no version": lambda o: o["constant"].data.add_(1),
    "weight": lambda o: o["weight"].mul_(1.5),
    "computed": lambda o: o["computed"].add_(1),
    "carry": lambda o: o["carry"].mul_(2),
    "rows": lambda o: o["rows"].mul_(2),
    "number": lambda o: o["number"].add_(1),
}
LOOPS: dict[str, Callable[[Any, dict[str, Any]], Any]] = {
    "fori_loop": lambda body, o: wg.func.fori_loop(0, 3, lambda i, c: body(c, o), o["carry"]),
    "open fori_loop": lambda body, o: wg.func.fori_loop(0, o["number"], lambda i, c: body(c, o), o["carry"]),
    "while_loop": lambda body, o: wg.func.while_loop(
        lambda c: c[0] < o["number"], lambda c: (c[0] + 1, body(c[1], o)), (wg.tensor(0), o["carry"])
    )[1],
    "scan": lambda body, o: wg.func.scan(lambda c, row: (body(c, o) + row, c * row), o["carry"], o["rows"])[0],
    "cond": lambda body, o: wg.func.cond(o["number"] > 2, lambda c: body(c, o), lambda c: c * o["weight"], o["carry"]),
    "cond, the other function": lambda body, o: wg.func.cond(
        (o["argument"] * 0).sum() + o["argument"][0] < 2.5, lambda c: body(c, o), lambda c: c * o["weight"], o["carry"]
    ),
    "fori_loop in a scan": lambda body, o: wg.func.scan(
        lambda c, row: (wg.func.fori_loop(0, 2, lambda i, d: body(d, o) * 0.5, c) + row, None), o["carry"], o["rows"]
    )[0],
}


def numbers_of(loop: str, results: Any) -> list[Any]:
    """Return the numbers of results; nearly all digits of a loop in a loop, which adds terms of the inner one first."""
    if loop == "fori_loop in a scan":
        return [[f"{number:.4g}" for number in one.tolist()] for one in results]
    return [one.tolist() for one in results]


def outcomes(loop: str, body: str, write: str, is_captured: bool, backward: str = "inside") -> tuple[list[Any], Any]:
    """Return what some calls give, or the beginning of their errors, and the captured function."""
    UNROLLED.clear()
    weight: Any = wg.tensor([2.0, 3.0], requires_grad=True)
    constant = wg.tensor([0.5, 0.25])

    def function(x: Any) -> Any:
        own = {"weight": weight, "constant": constant, "computed": x * 2, "carry": x + 1, "rows": wg.ones(3, 2) * x,
               "number": wg.tensor(3), "argument": x}  # fmt: skip
        y = LOOPS[loop](BODIES[body], own)
        with wg.no_grad():
            WRITES[write](own)
        if backward == "inside":
            weight.grad = None
            y.sum().backward()
            return wg.clone(weight.grad), y.detach()
        if backward == "twice":
            (first,) = wg.autograd.grad(y.sum(), weight, retain_graph=True)
            return first, *wg.autograd.grad(y.prod(), weight), y.detach()
        if backward == "to be differentiated":
            (first,) = wg.autograd.grad((y * y).sum(), weight, create_graph=True)
            return *wg.autograd.grad(first.sum(), weight), y.detach()
        return y

    def call(x: Any) -> Any:
        if backward != "outside":
            return made(x)
        y = made(x)
        return *wg.autograd.grad(y.sum(), weight), y

    made = wg.capture(function, quiet=True) if is_captured else function
    found: list[Any] = []
    for k in range(5):
        try:
            found.append(numbers_of(loop, call(wg.tensor([1.0, 1.5]) + k)))
        except RuntimeError as error:
            found.append(str(error)[:170])
        found.append([weight.tolist(), weight._version, constant.tolist(), constant._version])
    return found, made


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("write", WRITES)
def test_writes_before_backward_are_those_of_an_eager_run(loop: str, body: str, write: str) -> None:
    expected, _ = outcomes(loop, body, write, False)
    found, captured = outcomes(loop, body, write, True)
    assert found == expected
    if not isinstance(expected[-2], str):
        assert wg.replay.explain(captured).replays > 0


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("backward", ["outside", "twice", "to be differentiated"])
@pytest.mark.parametrize("write", WRITES)
def test_backward_of_other_kinds_behind_a_write(loop: str, backward: str, write: str) -> None:
    for body in ("saves no constant", "saves a constant"):
        assert outcomes(loop, body, write, True, backward)[0] == outcomes(loop, body, write, False, backward)[0]


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("backward", ["inside", "outside", "twice", "to be differentiated"])
def test_writes_to_large_memory(loop: str, write: str, backward: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closures, "MOST_BYTES", 4)
    for body in ("saves no constant", "saves a constant", "adds what is computed"):
        assert outcomes(loop, body, write, True, backward)[0] == outcomes(loop, body, write, False, backward)[0]


def test_a_write_to_large_memory_outside_of_the_function(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closures, "MOST_BYTES", 4)
    UNROLLED.clear()
    weight, constant = wg.tensor([2.0, 3.0], requires_grad=True), wg.tensor([0.5, 0.25])
    captured = wg.capture(lambda x: func.fori_loop(0, 3, lambda i, c: c * weight * constant, x), quiet=True)
    for _ in range(4):
        y = captured(wg.ones(2))
        constant.add_(1)
        with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
            y.sum().backward()


def test_a_write_inside_of_a_body_between_an_inner_loop_and_its_backward() -> None:
    def function(x: Any, w: Any) -> Any:
        def body(c: Any, row: Any) -> Any:
            constant = c.detach() * 2
            inner = wg.func.fori_loop(0, 2, lambda i, d: d * w + constant, c)
            with wg.no_grad():
                constant.add_(1)
            return inner * 0.5 + constant, None

        y, _ = wg.func.scan(body, x, wg.ones(3, 2))
        return (*wg.autograd.grad(y.sum(), w), y.detach())

    captured = wg.capture(function, quiet=True)
    for k in range(6):
        x, w = wg.tensor([1.0, 2.0]) + k, wg.tensor([0.5, 0.25], requires_grad=True)
        assert [one.tolist() for one in captured(x, w)] == [one.tolist() for one in function(x, w)]
    assert wg.replay.explain(captured).replays > 0


def test_the_reason_is_said() -> None:
    _, captured = outcomes("scan", "saves no constant", "constant", True)
    assert "func.scan is recorded operation by operation: what it reads is written to before backward" in str(
        wg.replay.explain(captured)
    )


def test_the_reason_is_said_in_later_captures() -> None:
    _, first = outcomes("scan", "saves no constant", "constant", True)
    weight, words = wg.tensor([2.0, 3.0], requires_grad=True), "func.scan is recorded operation by operation: "
    constant = wg.tensor([0.5, 0.25])

    def function(x: Any) -> Any:
        own = {"weight": weight, "constant": constant, "carry": x + 1, "rows": wg.ones(3, 2) * x}
        return wg.autograd.grad(LOOPS["scan"](BODIES["saves no constant"], own).sum(), weight)[0]

    later = wg.capture(function, quiet=True)
    for _ in range(3):
        later(wg.ones(2))
    assert not wg.replay.explain(later).reasons
    assert words + "what it reads is written to before backward" in str(wg.replay.explain(later))
    assert str(wg.replay.explain(first)).count(words) == 1  # of the program, and why a call was not kept
