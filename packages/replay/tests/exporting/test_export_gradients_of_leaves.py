"""Programs from files leave the gradients that the function leaves."""

from __future__ import annotations

import io

import pytest
import wengert as wg


def load_program(function, x, names):
    captured = wg.capture(function)
    captured(x)
    file = io.BytesIO()
    wg.replay.explain(captured).programs[-1].save(file, names=names)
    file.seek(0)
    return wg.replay.load(file)


@pytest.mark.parametrize("shape", [(), (4,), (3, 3), (2, 1, 3)])
@pytest.mark.parametrize("loss", [
    lambda w: w.mean(), lambda w: w.sum(), lambda w: (w * w).sum(), lambda w: w.expand(2, *w.shape).sum(),
    lambda w: w.transpose(0, -1).sum() if w.dim() else w * 2, lambda w: w[None].sum() + w.flatten()[0],
])
def test_gradients_of_leaves_are_set(shape, loss):
    w = wg.ones(shape).requires_grad_()

    def step(x):
        w.grad = None
        loss(w * 1 if x.sum() > 9 else w).backward()
        return x * 1

    program = load_program(step, wg.ones(2), {"w": w})
    leaf = program.tensors["w"]
    for _ in range(3):
        leaf.grad = None
        program(wg.ones(2))
        step(wg.ones(2))
        assert leaf.grad.tolist() == w.grad.tolist()
        assert leaf.grad.stride() == w.grad.stride()


def test_two_leaves_that_get_one_gradient():
    v, w = wg.ones(2, requires_grad=True), wg.ones(2, requires_grad=True)

    def step(x):
        v.grad = w.grad = None
        (w * x).sum().backward()
        v.grad = w.grad

    program = load_program(step, wg.ones(2), {"v": v, "w": w})
    for t in program.tensors.values():
        t.grad = None
    program(wg.ones(2) * 3)
    assert [t.grad.tolist() for t in program.tensors.values()] == [[3.0, 3.0], [3.0, 3.0]]
