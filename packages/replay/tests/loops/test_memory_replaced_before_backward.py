"""Tensors that get other memory by ``tensor.data = ...`` between a construct and its backward: eager gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import wengert as wg
from wengert_replay.loops.unrolled import UNROLLED

func = wg.func
CONSTRUCTS: dict[str, Callable[[Any, Any], Any]] = {
    "fori_loop": lambda c, w: func.fori_loop(0, 3, lambda i, c: (c * c * w).tanh(), c),
    "a weight in the carry": lambda c, w: func.fori_loop(0, 3, lambda i, s: (s[0] * s[1], s[1]), (c, w))[0],
    "while_loop": lambda c, w: func.while_loop(
        lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * w), (wg.tensor(0), c)
    )[1],
    "scan": lambda c, w: func.scan(lambda s, row: (s * w * row, s), c, wg.ones(3, 2))[0],
    "cond": lambda c, w: func.cond(c.sum() > -9, lambda c: c * c * w, lambda c: c + w, c),
}


def replace(tensor: Any, times: int) -> None:
    """Let a tensor have other memory. The second time that may lie where its own was."""
    for _ in range(times):
        tensor.data = tensor.data * 3


WRITES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "the operand": lambda c, w, y: replace(c, 1),
    "the operand, twice": lambda c, w, y: replace(c, 2),
    "the weight": lambda c, w, y: replace(w, 1),
    "the result": lambda c, w, y: replace(y, 1),
    "the result, twice": lambda c, w, y: replace(y, 2),
    "the result, and a write": lambda c, w, y: (replace(y, 1), y.data.mul_(2)),
}


def outcomes(construct: str, write: str, operand: str, backward: str, is_captured: bool) -> Any:
    """Return what some calls give."""
    UNROLLED.clear()
    w: Any = wg.tensor([0.5, 0.25], requires_grad=True)

    def function(x: Any) -> Any:
        c = {"argument": lambda: x, "computed": lambda: x + 1, "with a gradient": lambda: x * w}[operand]()
        y = CONSTRUCTS[construct](c, w)
        loss = (y * y).sum()
        WRITES[write](c, w, y)
        if backward == "outside":
            return loss, y.detach() * 1
        (first,) = wg.autograd.grad(loss, w, create_graph=backward == "to be differentiated")
        if backward == "to be differentiated":
            (first,) = wg.autograd.grad((first * first).sum(), w)
        return first, y.detach() * 1

    made = wg.capture(function, quiet=True) if is_captured else function
    found = []
    for k in range(4):
        w.data = wg.tensor([0.5, 0.25])
        first, y = made(wg.tensor([1.0, 1.5]) + k)
        if backward == "outside":
            (first,) = wg.autograd.grad(first, w)
        found.append([[f"{number:.4g}" for number in one.tolist()] for one in (first, y)])
    return found


@pytest.mark.parametrize("construct", CONSTRUCTS)
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("operand", ["argument", "computed", "with a gradient"])
@pytest.mark.parametrize("backward", ["inside", "outside", "to be differentiated"])
def test_gradients_are_those_of_an_eager_run(construct: str, write: str, operand: str, backward: str) -> None:
    found = outcomes(construct, write, operand, backward, True)
    assert found == outcomes(construct, write, operand, backward, False)
