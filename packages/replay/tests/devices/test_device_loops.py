"""Loops and choices of wengert.func in functions that are captured on a device."""

from __future__ import annotations

import pytest
import wengert as wg
from sim_graphs import on_sim

func, explain = wg.func, wg.replay.explain


LOOPS = {
    "scan": lambda x: func.scan(lambda carry, row: (carry + row, carry * row), x[0] * 0, x)[0],
    "fori_loop": lambda x: func.fori_loop(0, 3, lambda i, y: 0.5 * y + i, x),
}
CHOICES = {
    "while_loop": lambda x: func.while_loop(lambda y: (y < 10).all(), lambda y: y * 2, x),
    "cond": lambda x: func.cond((x > 2).all(), lambda y: y * 2, lambda y: y * 3, x),
}


@pytest.mark.parametrize("has_gradient", [False, True])
@pytest.mark.parametrize("validate", [False, True])
@pytest.mark.parametrize("name", [*LOOPS, *CHOICES])
def test_results_and_gradients_are_those_of_eager_calls(name, validate, has_gradient):
    body = {**LOOPS, **CHOICES}[name]
    w = on_sim([2.0], requires_grad=True)

    def function(x):
        if not has_gradient:
            return body(x)
        w.grad = None
        body(x * w).sum().backward()
        return w.grad

    run = wg.capture(function, validate=validate, quiet=True)
    for values in ([1.0, 2.0], [3.0, 4.0], [0.5, 0.25], [20.0, 1.0], [5.0, 7.0], [3.0, 4.0]):
        x = on_sim([[value] for value in values])
        assert run(x).tolist() == function(x).tolist()
    found = explain(run)
    if name in LOOPS:  # whose number of iterations is known
        assert found.replays >= 2, found
    else:  # a program for each number of iterations, and for each choice
        assert found.replays >= 1, found
        assert not found.reasons
