"""Results of ``cond`` and of open ranges that may be an operand or a view of one: an eager call and a captured one show
the same, and the construct is one instruction where nobody sees the difference.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import wengert as wg
from wengert_replay.loops.unrolled import UNROLLED

func = wg.func
CONSTRUCTS: dict[str, Callable[[Any], Any]] = {
    "an operand or a new tensor": lambda c: func.cond(c.sum() > 6, lambda c: c, lambda c: c * 2, c),
    "two views": lambda c: func.cond(c.sum() > 6, lambda c: c.view(2), lambda c: c[:], c),
    "two parts": lambda c: func.cond(c.sum() > 6, lambda c: c[:1], lambda c: c[1:], c),
    "an open range": lambda c: func.fori_loop(0, wg.tensor(3), lambda i, c: c.view(2), c),
    "while_loop": lambda c: func.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1][:]), (wg.tensor(0), c))[1],
    "cond in a loop": lambda c: func.scan(
        lambda c, row: (func.cond(c.sum() > row.sum(), lambda c: c, lambda c: c * 2, c), row), c, wg.ones(3, 2) * 2
    )[0],
    "cond in a cond": lambda c: func.cond(
        c.sum() > 0, lambda c: func.cond(c.sum() > 6, lambda c: c, lambda c: c + 1, c), lambda c: c * 2, c
    ),
}
WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "none": lambda y, c: None,
    "to the result": lambda y, c: y.mul_(2),
    "to the operand": lambda y, c: c.mul_(2),
    "by data": lambda y, c: y.data.mul_(2),
    "outside of the graph": lambda y, c: y.detach().add_(3),
    "other memory": lambda y, c: setattr(y, "data", y.data * 3),
}


def outcomes(function: Callable[[Any], Any], weight: Any) -> list[Any]:
    """Return what some calls give, which memory results and the argument have in common, and what becomes of that."""
    found = []
    for k in range(8):
        x = wg.tensor([1.0, 1.5]) + k % 4
        results = function(x)
        first = wg.autograd.grad(results[0], weight)[0].tolist() if results[0].requires_grad else None
        memory = [one.untyped_storage().data_ptr() for one in (*results, x)]
        values = [one.tolist() for one in (*results, x)]
        found.append([values, first, [memory.index(one) for one in memory], x._version])
    return found


@pytest.mark.parametrize("construct", CONSTRUCTS)
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("operand", ["argument", "computed", "with a gradient"])
@pytest.mark.parametrize("gives", ["both", "the result"])
def test_a_captured_call_shows_what_an_eager_one_does(construct: str, write: str, operand: str, gives: str) -> None:
    weight = wg.tensor([0.5, 2.0], requires_grad=True)

    def function(x: Any) -> Any:
        c = {"argument": lambda: x, "computed": lambda: x + 1, "with a gradient": lambda: x * weight}[operand]()
        y = CONSTRUCTS[construct](c)
        with wg.no_grad():
            WRITES[write](y, c)
        if gives == "the result":
            return ((y.detach() * weight).sum(), y.detach())
        return ((y * weight).sum(), y.detach(), c.detach())

    expected = outcomes(function, weight)
    assert outcomes(wg.capture(function, quiet=True), weight) == expected


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_one_instruction_where_nobody_sees_it(construct: str) -> None:
    captured = wg.capture(lambda x: CONSTRUCTS[construct](x + 1) * 2, quiet=True)
    for k in range(8):
        x = wg.tensor([1.0, 1.5]) + k % 4
        assert captured(x).tolist() == captured.function(x).tolist()
    found = wg.replay.explain(captured)
    assert (found.replays >= 5, UNROLLED) == (True, {})
    assert found.programs[-1].n_branches == 0
    assert "this call has looked whether somebody writes to it" in str(found)


def test_the_reason_is_said() -> None:
    def function(x: Any) -> Any:
        y = func.cond(x.sum() > 6, lambda c: c, lambda c: c * 2, x)
        return y.add_(1) * 1

    captured = wg.capture(function, quiet=True)
    for k in range(4):
        captured(wg.tensor([1.0, 1.5]) + k)
    found = str(wg.replay.explain(captured))
    assert "func.cond is recorded operation by operation: a result of it may be an operand or a view of one" in found


def test_a_write_on_a_way_that_no_call_has_gone_before() -> None:
    def function(x: Any, factor: Any) -> Any:
        y = func.cond(x.sum() > 6, lambda c: c, lambda c: c * 2, x)
        return (y.add_(1) if factor > 1 else y) * factor

    captured = wg.capture(function, quiet=True)
    for k in range(3):
        captured(wg.tensor([1.0, 1.5]) + k, wg.tensor(1.0))
    with pytest.raises(RuntimeError, match=r"func\.cond has given a copy of an operand"):
        captured(wg.tensor([1.0, 1.5]), wg.tensor(2.0))
    for k in range(6):
        sides = []
        for one in (captured, function):
            x = wg.tensor([1.0, 1.5]) + k
            sides.append((one(x, wg.tensor(2.0)).tolist(), x.tolist()))
        assert sides[0] == sides[1]
