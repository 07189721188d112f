"""Jacobians by forward mode inside of vmap: the batched tangents are recorded as the operations on whole batches."""

from __future__ import annotations

import pytest
import wengert as wg

from .scenarios import compare_runs

func = wg.func


def wave(t):
    return t.sin() * t


FUNCTIONS = {
    "jacfwd": lambda w: func.vmap(func.jacfwd(wave)),
    "jacfwd of a matrix product": lambda w: func.vmap(func.jacfwd(lambda t: (w @ t).tanh())),
    "jacfwd of jacfwd": lambda w: func.vmap(func.jacfwd(func.jacfwd(wave))),
    "jacfwd of grad": lambda w: func.vmap(func.jacfwd(func.grad(lambda t: wave(t).sum()))),
    "jacrev of jacfwd": lambda w: func.vmap(func.jacrev(func.jacfwd(wave))),
    "jacfwd in two levels": lambda w: lambda x: func.vmap(func.vmap(func.jacfwd(wave)))(x.unsqueeze(1)),
    "jvp of jvp": lambda w: func.vmap(lambda t: func.jvp(
        lambda u: func.jvp(wave, (u,), (u.cos(),))[1], (t,), (t.cos(),))[1]),
    "hessian": lambda w: func.vmap(func.hessian(lambda t: (w @ t).tanh().sum())),
    "concatenated": lambda w: func.vmap(func.jacfwd(lambda t: wg.cat([t.exp(), (w @ t).cumsum(0)]))),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_of_a_batch_are_replayed(name):
    def generate(capture):
        weight = wg.linspace(-1, 1, 9, dtype=wg.float64).reshape(3, 3)
        f = capture(FUNCTIONS[name](weight))
        for k in range(4):
            yield f(wg.linspace(-1, 1 + k, 6, dtype=wg.float64).reshape(2, 3))
            weight.mul_(1.5)

    assert compare_runs(generate).replays == 3


@pytest.mark.parametrize("name", ["jacfwd", "concatenated"])
def test_gradients_of_jacobians_of_a_batch_are_replayed(name):
    def generate(capture):
        weight = wg.linspace(-1, 1, 9).reshape(3, 3).requires_grad_()
        f = capture(lambda x: FUNCTIONS[name](weight)(x).square().sum())
        for k in range(4):
            x = wg.linspace(-1, 1 + k, 6).reshape(2, 3).requires_grad_()
            result = f(x)
            result.backward()
            yield result, x.grad, weight.grad

    assert compare_runs(generate).replays >= 2
