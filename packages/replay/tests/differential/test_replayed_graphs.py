"""Captured beside eager: hooks, custom functions, forward mode, transforms, graphs of results."""

from __future__ import annotations

import wengert as wg

from .scenarios import attempt, leaf, scenario


@scenario(replays=2)
def test_saved_tensors_on_the_cpu(capture):
    w = leaf(1.0, 2.0)

    def step(x):
        w.grad = None
        with wg.autograd.graph.save_on_cpu():
            y = (w * x).exp()
        y.sum().backward()
        return y.detach()

    f = capture(step)
    for k in range(4):
        yield f(wg.full((2,), 0.1 * k)), w


class SquareScale(wg.autograd.Function):
    """x * x, with a gradient of its own."""

    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x)
        ctx.factor = factor
        return x * x * factor

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x * 3 * ctx.factor, None


@scenario(replays=2)
def test_custom_functions(capture):
    w = leaf(1.0, 2.0)

    def step(x):
        w.grad = None
        SquareScale.apply(w * x, 2.0).sum().backward()

    f = capture(step)
    for k in range(4):
        yield f(wg.full((2,), 0.1 * k)), w


class DoubleInPlace(wg.autograd.Function):
    """2 x, in place."""

    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


@scenario(replays=2)
def test_custom_functions_in_place(capture):
    w = leaf(1.0, 2.0)

    def step(x):
        w.grad = None
        y = w * x
        DoubleInPlace.apply(y)
        y.pow(2).sum().backward()
        return y.detach()

    f = capture(step)
    for k in range(4):
        yield f(wg.full((2,), 0.1 * k)), w


@scenario(replays=2)
def test_a_custom_function_that_keeps_state(capture):
    running = wg.zeros(2)

    class Count(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            running.mul_(0.9).add_(x)
            return x * running

        @staticmethod
        def backward(ctx, grad):
            return grad * running

    w = leaf(1.0, 2.0)

    def step(x):
        w.grad = None
        Count.apply(w * x).sum().backward()

    f = capture(step)
    for k in range(4):
        yield f(wg.full((2,), 0.1 * k)), w, running


@scenario(replays=3)
def test_results_require_gradients(capture):
    w = leaf(1.0, 2.0)
    f = capture(lambda x: (w * x).exp())
    for k in range(4):
        x = wg.full((2,), 0.1 * k)
        y = f(x)
        (y * y).sum().backward()
        yield y, w


@scenario(replays=6)
def test_results_require_gradients_of_arguments(capture):
    f = capture(lambda x, y: ((x * y).exp(), (x + y).sum()))
    for k in range(4):
        x, y = leaf(1.0, 0.1 * k), leaf(2.0, 0.5)
        a, b = f(x, y)
        (a.sum() * b).backward()
        yield a, b, x, y
    for k in range(4):
        x, y = leaf(1.0, 0.1 * k), leaf(2.0, 0.5)
        a, b = f(x * 2, y.sin())
        (a.sum() * b).backward()
        yield a, b, x, y


@scenario(replays=2)
def test_graph_from_outside(capture):
    w = leaf(1.0, 2.0)
    y = (w * 3).exp()
    f = capture(lambda x: (y.detach() * x).sum())
    for k in range(3):
        yield f(wg.full((2,), float(k)))
    g = capture(lambda x: (y * x).sum().backward(retain_graph=True))
    for k in range(4):
        yield attempt(g, wg.full((2,), float(k))), w


@scenario(reason="a graph that was made outside")
def test_graph_from_outside_is_freed(capture):
    w = leaf(1.0, 2.0)
    y = (w * 3).exp()
    f = capture(lambda x: (y * x).sum().backward())
    for k in range(4):
        yield attempt(f, wg.full((2,), float(k))), w


@scenario(reason="a graph that was made outside")
def test_graph_from_outside_is_replaced(capture):
    w, box = leaf(1.0, 2.0), {}
    f = capture(lambda x: (box["y"] * x).sum().backward())
    for k in range(4):
        box["y"] = (w * k).exp()
        yield attempt(f, wg.full((2,), float(k))), w


@scenario(replays=3)
def test_an_inner_tensor_is_modified(capture):
    w = leaf(1.0, 2.0)

    def step(x):
        y = w * x
        z = y.exp()
        z.add_(1)
        return attempt(z.sum().backward)

    f = capture(step)
    for _k in range(4):
        yield f(wg.ones(2))[0], w


@scenario(replays=2)
def test_gradients_stay_in_the_graph(capture):
    w = leaf(1.0, 2.0)

    def step(x):
        w.grad = None
        (w * x).pow(2).sum().backward(create_graph=True)
        penalty = w.grad.pow(2).sum()
        w.grad = None
        penalty.backward()

    f = capture(step)
    for k in range(4):
        yield f(wg.full((2,), float(k))), w


@scenario(replays=3)
def test_forward_mode_inside(capture):
    def step(x, v):
        with wg.autograd.forward_ad.dual_level():
            y = (wg.autograd.forward_ad.make_dual(x, v) ** 3).sin()
            return wg.autograd.forward_ad.unpack_dual(y).tangent.clone()

    f = capture(step)
    for k in range(4):
        yield f(wg.full((2,), 0.3 * k), wg.ones(2))


@scenario(replays=3)
def test_transforms_inside(capture):
    def step(x, v):
        value, push = wg.func.jvp(lambda y: y.sin() * y, (x,), (v,))
        pulled = wg.func.grad(lambda y: (y.exp() * y).sum())(x)
        rows = wg.func.vmap(wg.func.grad(lambda y: y.pow(3).sum()))(x.expand(3, 2))
        return value, push, pulled, rows, wg.func.jacrev(lambda y: y * y.sum())(x), wg.func.hessian(
            lambda y: y.pow(3).sum())(x)  # fmt: skip

    f = capture(step)
    for k in range(4):
        yield f(wg.full((2,), 0.3 * k), wg.ones(2))


@scenario(replays=2)
def test_transforms_around(capture):
    f = capture(lambda x: (x * x).sin().sum())
    for k in range(3):
        x = wg.full((2,), 0.3 * k)
        yield f(x), wg.func.grad(f)(x), wg.func.vmap(f)(x.expand(3, 2)), wg.func.jvp(f, (x,), (wg.ones(2),))
        yield wg.func.hessian(f)(x), wg.func.vmap(wg.func.grad(f))(x.expand(3, 2))


@scenario(replays=2)
def test_a_captured_function_in_a_hook(capture):
    w = leaf(1.0, 2.0)
    double = capture(lambda g: g * 2)
    w.register_hook(lambda g: double(g))
    for k in range(4):
        (w * k).sum().backward()
        yield w


@scenario(replays=3)
def test_a_captured_function_in_a_custom_backward(capture):
    double = capture(lambda g, x: g * x * 2)

    class Square(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return double(grad, *ctx.saved_tensors)

    for k in range(4):
        w = leaf(1.0, float(k))
        Square.apply(w).sum().backward()
        yield w


@scenario(replays=2)
def test_retained_graphs(capture):
    w = leaf(1.0, 2.0)

    def step(x):
        loss = (w * x).exp().sum()
        loss.backward(retain_graph=True)
        loss.backward()
        return attempt(loss.backward)[0], loss.detach()

    f = capture(step)
    for k in range(4):
        yield f(wg.full((2,), 0.1 * k)), w


@scenario(replays=6)
def test_inference_mode(capture):
    w = leaf(1.0, 2.0)
    f = capture(lambda x: (w * x).exp())
    for k in range(4):
        with wg.inference_mode():
            y = f(wg.full((2,), 0.1 * k))
        yield y, y.is_inference()

    def inside(x):
        with wg.inference_mode():
            return (w * x).exp()

    g = capture(inside)
    for k in range(4):
        y = g(wg.full((2,), 0.1 * k))
        yield y, y.is_inference()


@scenario(replays=1)
def test_saved_tensor_hooks_around(capture):
    w = leaf(1.0, 2.0)

    def step(x):
        w.grad = None
        (w * x).exp().sum().backward()

    f = capture(step)
    for k in range(6):
        if k % 2:
            with wg.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t):
                yield f(wg.full((2,), 0.1 * k)), w
        else:
            yield f(wg.full((2,), 0.1 * k)), w


@scenario(replays=1)
def test_anomalies_around(capture):
    w = leaf(0.0, 2.0)

    def step(x):
        w.grad = None
        ((w * x) ** 0.5).sum().backward()

    f = capture(step)
    for k in range(6):
        if k % 2:
            with wg.autograd.detect_anomaly():
                yield attempt(f, wg.full((2,), 1.0)) is None, w
        else:
            yield f(wg.full((2,), 1.0)), w


@scenario(reason="a graph that was made outside")
def test_hooks_of_nodes_outside(capture):
    w = leaf(1.0, 2.0)
    y = w * 3
    f = capture(lambda x: (y * x).sum().backward(retain_graph=True))
    for k in range(6):
        if k == 3:
            y.register_hook(lambda g: g * 10)
        yield f(wg.full((2,), float(k))), w


@scenario(replays=3)
def test_jacobians_and_hessians_by_rows(capture):
    def step(x):
        y = x.pow(3).cumsum(0)
        rows = [wg.autograd.grad(y[k], x, retain_graph=True)[0] for k in range(3)]
        return wg.stack(rows), wg.autograd.functional.hessian(lambda z: z.pow(3).sum(), x.detach())

    f = capture(step)
    for k in range(4):
        yield f(leaf(1.0, 2.0, float(k)))
