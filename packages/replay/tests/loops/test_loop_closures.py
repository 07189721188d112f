"""Variables around a body that have other values when backward calls the body again."""

from __future__ import annotations

import functools

import pytest
import wengert as wg

func = wg.func


def scan_by(step, c, xs):
    return func.scan(lambda h, x: (step(h, x), step(h, x) * 2), c, xs)


def fori_by(step, c, xs):
    return func.fori_loop(0, 3, lambda i, h: step(h, xs[0] + i), c), xs * 1


class Cell:
    def __init__(self, weight):
        self.weight = weight

    def step(self, h, x):
        return (h * self.weight + x).tanh()


WAYS = {
    "a variable": lambda cell: lambda h, x: (h * cell.weight + x).tanh(),
    "a method": lambda cell: cell.step,
    "a function in a function": lambda cell: (lambda inner: lambda h, x: inner(h, x))(lambda h, x: cell.step(h, x)),
    "partial": lambda cell: functools.partial(lambda cell, h, x: cell.step(h, x), cell),
}


def layers(construct, way, cells):
    """Return a function whose loop variables the bodies read late."""

    def run(c, xs):
        c = c.detach().requires_grad_()
        total, step, cell = xs.sum() * 0, None, None
        for cell in cells:
            if way == "a variable":
                h, ys = construct(lambda h, x: (h * cell.weight + x).tanh(), c * 1, xs)  # noqa: B023 - it is read late
            else:
                step = WAYS[way](cell)
                h, ys = construct(lambda h, x: step(h, x), c * 1, xs)  # noqa: B023 - it is read late
            total, xs = total + h.sum() + ys.sum(), ys
        return [total.detach(), *wg.autograd.grad(total, [c, *(one.weight for one in cells)])]

    return run


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("construct", [scan_by, fori_by])
def test_a_variable_of_a_loop_around(construct, way):
    cells = [Cell(wg.full((3,), 0.3 * k).requires_grad_()) for k in (1, 2, 3)]
    eager = layers(construct, way, cells)
    captured = wg.capture(eager)
    for k in range(4):
        arguments = wg.ones(3) * (k + 1), wg.linspace(-1, 1, 12).reshape(4, 3) + k
        for one, other in zip(captured(*arguments), eager(*arguments), strict=True):
            assert wg.equal(one, other)
    assert wg.replay.explain(captured).replays >= 2
    program = wg.replay.explain(captured).programs[-1]
    assert str(program).count("[loop]") == 6


def test_an_attribute_that_changes_before_backward_is_an_error():
    state = Cell(2.0)
    w = wg.full((3,), 0.5, requires_grad=True)

    @wg.capture
    def run(c):
        state.weight = 2.0
        y = func.fori_loop(0, 3, lambda i, h: h * w * state.weight, c)
        state.weight = 3.0
        return wg.autograd.grad(y.sum(), w)

    with pytest.raises(RuntimeError, match=r"backward of fori_loop calls its body .* gives other numbers than before"):
        run(wg.ones(3))
