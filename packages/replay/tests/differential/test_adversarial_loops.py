"""Loop instructions with bodies that draw, that have results which nobody uses, and loops without iterations."""

from __future__ import annotations

import pytest
import wengert as wg

from .scenarios import compare_runs

func = wg.func


def draw(c):
    wg.rand(3)
    return c * 0.5


def drop(c):
    wg.nn.functional.dropout(c, 0.3)
    return c * 0.5


LOOPS = {
    "fori_loop": lambda body, c, n: func.fori_loop(0, 3, lambda i, a: body(a), c),
    "fori_loop to a tensor": lambda body, c, n: func.fori_loop(0, n, lambda i, a: body(a), c),
    "while_loop": lambda body, c, n: func.while_loop(lambda a: a[1] < n, lambda a: (body(a[0]), a[1] + 1), (c,
    n * 0))[0],
    "scan": lambda body, c, n: func.scan(lambda a, x: (body(a), a.sum()), c, wg.ones(4, 3))[0],
    "nested": lambda body, c, n: func.fori_loop(0, 3, lambda i, a: func.fori_loop(0, 2, lambda j, b: body(b), a), c),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize("body", [draw, drop, lambda c: c.sin() + wg.rand(3)])
def test_draws_of_a_body_count_though_nobody_uses_them(name, body):
    def generate(capture):
        f = capture(lambda c, n: LOOPS[name](body, c, n) + wg.rand(3))
        for steps in (2, 2, 0, 1, 3):
            yield f(wg.ones(3) * steps, wg.tensor(steps)), wg.get_rng_state(), wg.rand(2)

    assert compare_runs(generate).replays >= 2


@pytest.mark.parametrize(("sizes", "replays"), [
    ((0.1, 0.05, 3.0, 0.1, 5.0, 0.0, 7.0), 15), ((5.0, 0.1, 3.0, 0.0), 9),
])
def test_inner_loops_without_iterations(sizes, replays):
    def generate(capture):
        def halve(c):
            return func.while_loop(lambda a: a.sum() > 1, lambda a: a * 0.5, c)

        functions = [capture(lambda c: func.fori_loop(0, 4, lambda i, a: halve(a) * 0.9, c)),
                     capture(lambda c: func.while_loop(lambda a: a.sum() > 2, lambda a: halve(a * 3) + 0.1, c)),
                     capture(lambda c: func.fori_loop(0, (c.sum() * 2).long(), lambda i, a: a * 0.7 + i,
                     c))]  # fmt: skip
        for size in sizes:
            yield [f(wg.ones(3) * size) for f in functions]

    assert compare_runs(generate).replays == replays


USES = {
    "view": lambda w, m, c: c.sin() + w.view(3), "view that is kept": lambda w, m, c: c.sin() + w.view(3).sin(),
    "view alone": lambda w, m, c: w.view(3).sin(),
    "two operations": lambda w, m, c: c * (w.reshape(-1).clamp(-3, 3) * 1),
    "matrix": lambda w, m, c: (c @ m.t() + w).tanh(), "row": lambda w, m, c: c * m[0].sin() + w,
    "matrix that is kept": lambda w, m, c: (c @ m.t().sin().cos() + w).tanh(),
    "no carry": lambda w, m, c: (w @ m.t()).tanh(),
    "parts": lambda w, m, c: c.tanh() + sum(one.exp() for one in m.unbind()), "no view": lambda w, m, c: c * w.sin(),
}  # fmt: skip


@pytest.mark.parametrize("name", USES)
def test_leaves_that_a_body_uses_by_views_get_gradients(name):
    def generate(capture):
        w, m = wg.tensor([0.3, -0.2, 0.5], requires_grad=True), (wg.arange(9.0).reshape(3, 3) * 0.1).requires_grad_()

        def step(x):
            w.grad = m.grad = None
            total = func.fori_loop(0, 3, lambda i, c: USES[name](w, m, c), x).sum()
            total.backward()
            return total.detach()

        f = capture(step)
        for k in range(4):
            loss = f(wg.ones(3) * k)
            yield loss, *(None if one.grad is None else one.grad.clone() for one in (w, m))

    assert compare_runs(generate).replays == 2
