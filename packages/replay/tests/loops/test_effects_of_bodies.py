"""Effects of bodies whose loop has a gradient: the recorded call has them as often as an eager one."""

from __future__ import annotations

import pytest
import wengert as wg

func = wg.func

LOOPS = {
    "scan": lambda body, x: func.scan(lambda c, row: (body(c), None), x, wg.ones(3, 1))[0],
    "fori_loop": lambda body, x: func.fori_loop(0, 3, lambda i, c: body(c), x),
    "while_loop": lambda body, x: func.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, body(c[1])),
                                                  (wg.tensor(0), x))[1],
    "nested": lambda body, x: func.fori_loop(0, 2, lambda i, c: func.fori_loop(0, 2, lambda j, d: body(d), c), x),
}  # fmt: skip


def write(state):
    with wg.no_grad():
        state.total.add_(1)


def accumulate(state):
    with wg.enable_grad():
        (state.leaf * 2).sum().backward()


def call(state):
    state.note()


class State:
    """A leaf, a buffer, and a Python function that is not recorded."""

    def __init__(self):
        self.weight = wg.eye(3).mul(0.3).requires_grad_()
        self.leaf, self.total, self.calls = wg.ones(2, requires_grad=True), wg.zeros(3), []
        self.note = wg.compiler.disable(lambda: self.calls.append(1))


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize("effect", [write, accumulate, call])
def test_a_body_with_a_gradient_has_its_effects_once(name, effect):
    def run(capture):
        state = State()

        def body(c):
            result = (c @ state.weight).tanh()
            effect(state)
            return result

        def step(x):
            state.weight.grad = None
            y = LOOPS[name](body, x)
            y.sum().backward()
            return y.detach()

        step = capture(step)
        for k in range(4):
            y = step(wg.arange(6.0).reshape(2, 3) * (k + 1))
            grad = None if state.leaf.grad is None else state.leaf.grad.tolist()
            yield y.tolist(), state.weight.grad.tolist(), grad, state.total.tolist(), len(state.calls)

    assert list(run(lambda step: wg.capture(step, quiet=True))) == list(run(lambda step: step))


def test_a_body_that_computes_a_gradient_of_its_own_is_an_instruction():
    def descend(c):
        with wg.enable_grad():
            leaf = c.detach().requires_grad_()
            ((leaf - 3) ** 2).sum().backward()
        return c - 0.25 * leaf.grad

    captured = wg.capture(lambda x: func.fori_loop(0, 20, lambda i, c: descend(c), x))
    assert [captured(wg.zeros(2) + k).round().tolist() for k in range(3)] == [[3.0, 3.0]] * 3
    (program,) = wg.replay.explain(captured).programs
    assert [step.name for step in program.steps] == ["fori_loop"]
