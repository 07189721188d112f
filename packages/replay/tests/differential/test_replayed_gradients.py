"""Captured beside eager: gradients of leaves, and whether tensors require them."""

from __future__ import annotations

import wengert as wg

from .scenarios import attempt, leaf, scenario


@scenario(replays=3)
def test_gradients_accumulate(capture):
    w = leaf(1.0, 2.0)
    f = capture(lambda x: (w * x).sum().backward())
    for k in range(5):
        yield f(wg.full((2,), float(k))), w


@scenario(replays=4)
def test_gradients_are_freed_between_calls(capture):
    w = leaf(1.0, 2.0)
    f = capture(lambda x: (w * x).pow(2).sum().backward())
    for k in range(8):
        if k % 3 == 0:
            w.grad = None
        yield f(wg.full((2,), float(k))), w


@scenario(replays=4)
def test_gradients_are_set_to_zero(capture):
    w = leaf(1.0, 2.0)
    optimizer = wg.optim.SGD([w], lr=0.1)

    def step(x, to_none):
        optimizer.zero_grad(set_to_none=to_none)
        loss = (w * x).pow(2).sum()
        loss.backward()
        optimizer.step()
        return loss.detach()

    f = capture(step)
    for k in range(9):
        yield f(wg.full((2,), 0.1 * k), k % 4 == 3), w


@scenario(replays=2)
def test_gradients_are_replaced_by_other_tensors(capture):
    w = leaf(1.0, 2.0)
    f = capture(lambda x: (w * x).sum().backward())
    for k in range(6):
        if k % 2:
            w.grad = wg.full((2,), 10.0 * k)
        kept = w.grad
        yield f(wg.full((2,), float(k))), w, kept


@scenario(replays=3)
def test_gradients_are_kept_by_the_caller(capture):
    w = leaf(1.0, 2.0)

    def step(x):
        w.grad = None
        (w * x).sum().backward()
        return w.grad

    f = capture(step)
    kept = []
    for k in range(5):
        kept.append(f(wg.full((2,), float(k))))
        yield kept, kept[-1] is w.grad
        kept[-1].add_(100)


@scenario(replays=4)
def test_gradients_are_views_of_a_flat_buffer(capture):
    flat = wg.zeros(6)
    a, b = leaf(1.0, 2.0), wg.ones(2, 2).requires_grad_()
    a.grad, b.grad = flat[:2], flat[2:].view(2, 2)

    def step(x):
        (a * x).sum().backward()
        (b @ x).pow(2).sum().backward()

    f = capture(step)
    for k in range(5):
        yield f(wg.full((2,), float(k))), flat, a, b
        if k == 3:
            flat.zero_()


@scenario(replays=4)
def test_one_gradient_of_two_leaves(capture):
    shared = wg.zeros(2)
    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
    a.grad = b.grad = shared
    f = capture(lambda x: (a * b * x).sum().backward())
    for k in range(5):
        yield f(wg.full((2,), float(k))), a, b, shared


@scenario(replays=2)
def test_a_leaf_gets_the_gradient_that_came_in(capture):
    w = leaf(1.0, 2.0)

    def step(g):
        w.grad = None
        w.backward(g)

    f = capture(step)
    for k in range(4):
        g = wg.full((2,), float(k))
        f(g)
        yield w, g, w.grad is g
        w.grad.add_(1)
        yield g


@scenario(replays=2)
def test_two_leaves_get_one_gradient(capture):
    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)

    def step(g):
        a.grad = b.grad = None
        (a + b).backward(g)

    f = capture(step)
    for k in range(4):
        g = wg.full((2,), float(k))
        f(g)
        a.grad.add_(1)
        yield a, b, g


@scenario(replays=6)
def test_an_argument_is_a_leaf(capture):
    f = capture(lambda x: (x * x).sum().backward())
    x = leaf(1.0, 2.0)
    for _ in range(4):
        yield f(x), x
    for k in range(4):
        x = leaf(1.0, float(k))
        yield f(x), x
    x.grad = wg.ones(2).expand(2)
    yield f(x), x


@scenario(replays=3)
def test_gradients_of_arguments_are_given(capture):
    f = capture(lambda x, y: wg.autograd.grad((x * y).sum() + x.pow(3).sum(), [x, y]))
    for k in range(4):
        yield f(leaf(1.0, float(k)), leaf(2.0, 3.0))


@scenario(replays=2)
def test_second_derivatives(capture):
    def step(x):
        (first,) = wg.autograd.grad(x.pow(3).sum() + x.sin().prod(), x, create_graph=True)
        (second,) = wg.autograd.grad(first.pow(2).sum(), x)
        return first.detach(), second

    f = capture(step)
    for k in range(4):
        yield f(leaf(1.0, 0.5 * k, 0.3))


@scenario(replays=3)
def test_leaves_are_written_under_no_grad(capture):
    w = leaf(1.0, 2.0)

    def step(x):
        w.grad = None
        loss = (w * x).pow(2).sum()
        loss.backward()
        with wg.no_grad():
            w.sub_(0.1 * w.grad)
            w[0] += 1
        return loss.detach()

    f = capture(step)
    for k in range(5):
        yield f(wg.full((2,), 0.1 * k)), w


@scenario(replays=3)
def test_hooks_change_gradients(capture):
    w = leaf(1.0, 2.0)
    w.register_hook(lambda g: g * 2 + 1)

    def triple(p):
        p.grad.mul_(3)

    w.register_post_accumulate_grad_hook(triple)

    def step(x):
        y = w * x
        y.register_hook(lambda g: -g)
        y.retain_grad()
        y.pow(2).sum().backward()
        return y.grad

    f = capture(step)
    for k in range(5):
        yield f(wg.full((2,), 0.1 * k)), w


@scenario(replays=6)
def test_hooks_are_added_between_calls(capture):
    w = leaf(1.0, 2.0)

    def step(x):
        w.grad = None
        (w * x).sum().backward()

    f = capture(step)
    for k in range(3):
        yield f(wg.full((2,), float(k))), w
    handle = w.register_hook(lambda g: g * 2)
    for k in range(3):
        yield f(wg.full((2,), float(k))), w
    handle.remove()
    for k in range(3):
        yield f(wg.full((2,), float(k))), w


@scenario(replays=4)
def test_hooks_of_steps_after_accumulation(capture):
    w = leaf(1.0, 2.0)

    def update(p):
        with wg.no_grad():
            p.sub_(0.1 * p.grad)
        p.grad = None

    w.register_post_accumulate_grad_hook(update)
    f = capture(lambda x: (w * x).pow(2).sum().backward())
    for k in range(5):
        yield f(wg.full((2,), 0.1 * k)), w


@scenario(replays=2)
def test_a_leaf_is_written_with_an_error(capture):
    w = leaf(1.0, 2.0)
    f = capture(lambda x: attempt(w.add_, x))
    for _ in range(3):
        yield f(wg.ones(2)), w


@scenario(replays=2)
def test_backward_of_a_list(capture):
    a, b = leaf(1.0, 2.0), leaf(0.5, 0.25)

    def step(x, g):
        wg.autograd.backward([a * x, (b * a).sum()], [g, None], inputs=[a])
        return attempt(wg.autograd.grad, (a * x).sum(), [a, b], allow_unused=True)

    f = capture(step)
    for k in range(4):
        yield f(wg.full((2,), float(k)), wg.full((2,), 0.5)), a, b


@scenario(replays=2)
def test_gradients_in_other_layouts(capture):
    w = wg.arange(6.0).view(2, 3).t().requires_grad_()

    def step(x):
        w.grad = None
        (w * x).sum().backward()
        return w.grad.stride()

    f = capture(step)
    for k in range(4):
        yield f(wg.full((3, 2), float(k))), w


@scenario(replays=12)
def test_gradients_move_within_a_flat_buffer(capture):
    flat = wg.zeros(6)
    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
    a.grad, b.grad = flat[:2], flat[2:4]
    f = capture(lambda x: (a * x + b * b).sum().backward())
    for k in range(4):
        yield f(wg.full((2,), float(k))), flat, a, b
    a.grad, b.grad = flat[2:4], flat[4:]
    for k in range(4):
        yield f(wg.full((2,), float(k))), flat, a, b
    c = wg.arange(4.0).view(2, 2).requires_grad_()
    c.grad = wg.zeros(2, 2)
    g = capture(lambda x: (c * x).sum().backward())
    for k in range(4):
        yield g(wg.tensor([[1.0, 2.0], [3.0, k]])), c
    c.grad = c.grad.t()
    for k in range(4):
        yield g(wg.tensor([[1.0, 2.0], [3.0, k]])), c


@scenario(replays=1)
def test_parameters_without_gradients_are_skipped(capture):
    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)

    def step(x):
        with wg.no_grad():
            for p in (a, b):
                if p.grad is not None:
                    p.sub_(p.grad * x)

    f = capture(step)
    for k in range(8):
        a.grad = wg.ones(2) if k > 1 else None
        b.grad = wg.ones(2) if k > 4 else None
        yield f(wg.full((2,), 0.5)), a, b


@scenario(replays=3)
def test_a_hook_is_registered_inside(capture):
    w = leaf(1.0, 2.0)

    def step(x):
        handle = w.register_hook(lambda g: g * x)
        (w * 2).sum().backward()
        handle.remove()

    f = capture(step)
    for k in range(5):
        yield f(wg.full((2,), float(k))), w
