"""Derivatives of derivatives of loops, where the body uses from outside what its arguments are computed from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import wengert as wg
from wengert import func

Loop = Callable[[Any, Any], Any]


LOOPS: dict[str, Loop] = {
    "the body multiplies by the start": lambda x, w: func.fori_loop(0, 3, lambda i, c: c * x + w, x),
    "the start is computed from a tensor of the body": lambda x, w: func.fori_loop(0, 3, lambda i, c: c * w, w * x),
    "both start and body use one more tensor": lambda x, w: (
        lambda h: func.fori_loop(0, 3, lambda i, c: c * h, x * h)
    )(w.exp()),
    "rows are a tensor of the body": lambda x, w: func.scan(lambda c, z: (c * z + w, c * w), x, w)[0],
    "rows are read by number, too": lambda x, w: func.scan(
        lambda c, z: (c + z[1] * w[z[0]], z[1] * 2), x, (wg.arange(3), w.flip(0))
    )[0],
    "a loop in a loop": lambda x, w: func.fori_loop(
        0, 2, lambda i, c: func.scan(lambda a, z: (a * z, a.sum() + w), c, w * c)[0] + c, x
    ),
}  # fmt: skip


def derivatives(function: Loop, requires_grad: bool) -> list[Any]:
    x = wg.tensor([0.5, 0.7, 0.9], dtype=wg.float64, requires_grad=requires_grad)
    w = wg.tensor([0.3, 0.4, 0.5], dtype=wg.float64, requires_grad=True)
    ends = [x, w] if requires_grad else [w]
    first = wg.autograd.grad((function(x, w) ** 2).sum(), ends, create_graph=True)
    second = wg.autograd.grad(sum((one * one).sum() for one in first), ends, create_graph=True)
    third = wg.autograd.grad(sum((one * one).sum() for one in second), ends)
    return [one.detach() for one in (*first, *second, *third)]


@pytest.mark.parametrize("requires_grad", [False, True])
@pytest.mark.parametrize("name", LOOPS)
def test_derivatives_of_derivatives(name: str, requires_grad: bool) -> None:
    captured = wg.capture(LOOPS[name])
    expected = derivatives(LOOPS[name], requires_grad)
    for _ in range(3):
        for one, other in zip(derivatives(captured, requires_grad), expected, strict=True):
            wg.testing.assert_close(one, other, rtol=1e-12, atol=1e-14)
    assert wg.replay.explain(captured).replays >= 2
