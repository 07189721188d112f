"""Open ranges whose results have a graph after some iterations and not after others, whatever is recorded first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import wengert as wg
from wengert_replay.loops.unrolled import UNROLLED

func = wg.func
LOOPS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "a factor": lambda x, n, w: func.fori_loop(0, n, lambda i, c: c * w, x),
    "no graph": lambda x, n, w: func.fori_loop(0, n, lambda i, c: (c * w).detach(), x),
    "after two": lambda x, n, w: func.fori_loop(0, n, lambda i, s: (s[1], s[2] * w, s[2] + 1), (x, x * 2, x * 3))[0],
    "before two": lambda x, n, w: func.fori_loop(0, n, lambda i, s: (s[1], x * 1), (x, x * w))[0],
    "while_loop": lambda x, n, w: func.while_loop(
        lambda s: s[0] < n, lambda s: (s[0] + 1, s[2], s[2] * w), (n * 0, x, x * 2)
    )[1],
    "a loop in it": lambda x, n, w: func.fori_loop(
        0, n, lambda i, s: (func.fori_loop(i, 2, lambda j, d: d * w, s[0]), s[1] * s[0]), (x, x * 0 + 1)
    )[1],
    "no iteration in the last": lambda x, n, w: func.fori_loop(
        0, n, lambda i, c: func.fori_loop(0, n - 1 - i, lambda j, d: d * w + j, c) + 1, x
    ),
    "no iteration in the first": lambda x, n, w: func.fori_loop(
        0, n, lambda i, c: func.fori_loop(0, i, lambda j, d: d * w + j, c) + 1, x
    ),
}  # fmt: skip


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("counts", [(1, 1, 2, 1, 3), (0, 1, 2, 3), (1, 2, 0, 2), (2, 1, 3, 2), (3, 0, 1, 5)], ids=str)
@pytest.mark.parametrize("backward", ["inside", "outside"])
def test_gradients_are_those_of_an_eager_run(loop: str, counts: tuple[int, ...], backward: str) -> None:
    UNROLLED.clear()
    w: Any = wg.tensor([0.5, 0.25], requires_grad=True)

    def function(x: Any, n: Any) -> Any:
        y = LOOPS[loop](x, n, w)
        if backward == "outside" or not y.requires_grad:
            return y * 1, x * 0
        return y.detach() * 1, wg.autograd.grad((y * y).sum(), w)[0]

    captured = wg.capture(function, quiet=True)
    for k, count in enumerate(counts):
        sides: list[Any] = []
        for one in (captured, function):
            y, first = one(wg.tensor([1.0, 1.5]) + k, wg.tensor(count))
            if y.requires_grad:
                (first,) = wg.autograd.grad((y * y).sum(), w)
            sides.append((y.tolist(), y.requires_grad, [f"{number:.4g}" for number in first.tolist()]))
        assert sides[0] == sides[1]


def test_one_iteration_in_the_first_call_is_a_loop() -> None:
    UNROLLED.clear()
    w: Any = wg.tensor([0.5, 0.25], requires_grad=True)
    captured = wg.capture(lambda x, n: wg.autograd.grad(LOOPS["a factor"](x, n, w).sum(), w)[0])
    for count in (1, 1, 4, 2):
        captured(wg.ones(2), wg.tensor(count))
    found = wg.replay.explain(captured)
    assert (found.replays, UNROLLED) == (2, {})  # backward of several iterations has another body, and is recorded anew
    assert "fori_loop" in [step.name for step in found.programs[-1].steps]
