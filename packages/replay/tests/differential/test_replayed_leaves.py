"""Captured beside eager: whether tensors require gradients, inside and between calls."""

from __future__ import annotations

import wengert as wg

from .scenarios import leaf, scenario


@scenario(replays=2)
def test_requires_grad_comes_and_goes(capture):
    f = capture(lambda x, y: ((x * y).detach(), (x * y).requires_grad, x.requires_grad))
    for k in range(6):
        yield f(wg.ones(2, requires_grad=k % 2 == 0), wg.ones(2, requires_grad=k % 3 == 0))


@scenario(replays=5)
def test_requires_grad_outside_changes(capture):
    w, v = leaf(1.0, 2.0), leaf(3.0, 4.0)

    def step(x):
        loss = (w * v * x).sum()
        loss.backward()

    f = capture(step)
    for _k in range(3):
        yield f(wg.ones(2)), w, v
    w.requires_grad_(False)
    for _k in range(3):
        yield f(wg.ones(2)), w, v
    w.requires_grad_(True)
    for _k in range(3):
        yield f(wg.ones(2)), w, v


@scenario(reason="has stored a result somewhere else")
def test_requires_grad_is_set_inside(capture):
    def step(x):
        y = (x * 2).requires_grad_()
        y.pow(2).sum().backward()
        return y.grad, y

    f = capture(step)
    for k in range(4):
        yield f(wg.full((2,), float(k)))


@scenario(reason="changes the history of an argument")
def test_requires_grad_of_an_argument_is_set_inside(capture):
    def step(x):
        x.requires_grad_()
        x.pow(2).sum().backward()
        return x.grad

    f = capture(step)
    for k in range(4):
        x = wg.full((2,), float(k))
        yield f(x), x


@scenario(reason="gave a tensor from outside other memory or another shape")
def test_requires_grad_of_outside_is_set_inside(capture):
    w = wg.ones(2)

    def step(x):
        w.requires_grad_()
        (w * x).sum().backward()
        w.requires_grad_(False)

    f = capture(step)
    for k in range(4):
        yield f(wg.full((2,), float(k))), w


@scenario(replays=4)
def test_set_grad_enabled_inside(capture):
    w = leaf(1.0, 2.0)

    def step(x, mode):
        wg.set_grad_enabled(mode)
        y = w * x
        wg.set_grad_enabled(True)
        return y.requires_grad, y.detach()

    f = capture(step)
    for k in range(6):
        yield f(wg.ones(2), k % 2 == 0)


@scenario(reason="leaves a mode changed")
def test_grad_mode_is_left_changed(capture):
    def step(x):
        wg.set_grad_enabled(False)
        return x * 2

    f = capture(step)
    for _ in range(4):
        yield f(wg.ones(2)), wg.is_grad_enabled()
        wg.set_grad_enabled(True)
