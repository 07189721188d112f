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


def gradient_of(loop):
    def function(x):
        x = x.detach().requires_grad_()
        grad, = wg.autograd.grad(loop(x).sum(), x)
        return grad

    return function


ON_HOST = {
    "for": lambda x: wg.func.fori_loop(0, 5, lambda i, y: y * 1.1 * x + i, x),
    "for, a tensor as bound": lambda x: wg.func.fori_loop(0, wg.tensor(4, device="cpu"), lambda i, y: y * 1.1 * x, x),
    "scan": lambda x: wg.func.scan(lambda c, row: (c + row * x, c * row), x, wg.ones(4, 2, device="cpu"))[0],
    "while": lambda x: wg.func.while_loop(lambda y: y.sum() < 100, lambda y: y * 2 * x, x),
    "windows": lambda x: wg.func.fori_loop(0, 3, lambda i, y: y + (wg.arange(6.0, device="cpu") * 2)[i:i + 2] * x, x),
}  # fmt: skip


@pytest.mark.parametrize("name", ON_HOST)
@pytest.mark.parametrize("differentiates", [False, True])
def test_loops_of_the_host_whatever_the_default_device_is(name, differentiates):
    function = gradient_of(ON_HOST[name]) if differentiates else ON_HOST[name]
    captured = wg.capture(function, quiet=True)
    wg.set_default_device("sim")
    try:
        for k in range(5):
            x = wg.tensor([2.0, 1.5 + k], device="cpu")
            assert captured(x).tolist() == function(x).tolist()
    finally:
        wg.set_default_device("cpu")
    assert explain(captured).replays >= 2
