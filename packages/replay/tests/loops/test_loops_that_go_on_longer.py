"""Backwards of loops that take more iterations than in their recording."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import wengert as wg

LOOPS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "fori_loop": lambda x, y, n: wg.func.fori_loop(0, n, lambda i, c: (c * y).sin(), x * 1),
    "while_loop": lambda x, y, n: wg.func.while_loop(
        lambda carry: carry[1] < n, lambda carry: ((carry[0] * y).sin(), carry[1] + 1), (x * 1, n * 0))[0],
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize("counts", [(1, 3, 0, 2, 3, 1), (0, 3, 40, 1)], ids=str)
def test_a_backward_that_goes_on_longer_is_recorded_again(name: str, counts: tuple[int, ...]) -> None:
    function = LOOPS[name]
    captured = wg.capture(function, quiet=True)
    for count in counts:
        x, y = (wg.linspace(0.1, 1, 3).requires_grad_() for _ in range(2))
        found = []
        for one in (function, captured):
            result = one(x, y, wg.tensor(count))
            found.append(wg.autograd.grad((result * result).sum(), [x, y], allow_unused=True))
        for ours, theirs in zip(*found, strict=True):
            assert (ours is None) == (theirs is None)
            assert ours is None or wg.equal(ours, theirs)
