"""Gradients of loops in captured functions: one node, the same bits as eager."""

from __future__ import annotations

import warnings

import pytest
import wengert as wg

func = wg.func


def normal(*shape, seed=0, dtype=wg.float64):
    return wg.randn(shape, generator=wg.Generator().manual_seed(seed), dtype=dtype)


def leaf(*shape, seed=0):
    return normal(*shape, seed=seed).requires_grad_()


def bits(values):
    return [None if one is None else (one.dtype, one.shape, one.detach().numpy().tobytes()) for one in values]


def check_same(function, calls, replays=None):
    captured = wg.capture(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for args in calls:
            assert bits(captured(*args)) == bits(function(*args))
    found = wg.replay.explain(captured)
    assert found.replays == (len(calls) - 1 if replays is None else replays), found.reasons
    return [step.name for step in found.programs[-1].steps]


@pytest.mark.parametrize("reverse", [False, True])
def test_backward_of_a_recurrent_network(reverse):
    w, u, b = leaf(6, 6), leaf(4, 6, seed=1), leaf(6, seed=2)

    def step(xs, h):
        w.grad = u.grad = b.grad = None
        last, ys = func.scan(lambda h, x: (wg.tanh(h @ w + x @ u + b),) * 2, h, xs, reverse=reverse)
        loss = (ys * ys).sum() + last.exp().sum()
        loss.backward()
        return loss.detach(), w.grad, u.grad, b.grad

    names = check_same(step, [(normal(12, 3, 4, seed=k), normal(3, 6, seed=k)) for k in range(5)], replays=3)
    assert {"scan", "scan_backward"} <= set(names)
    assert "tanh" not in names


@pytest.mark.parametrize("uses", ["carry", "rows", "both"])
def test_gradients_of_all_arguments(uses):
    def function(h, xs, w):
        last, ys = func.scan(lambda h, x: ((h * w + x).sin(), (h * x).sum()), h, xs)
        value = {"carry": last.sum(), "rows": (ys * ys).sum(), "both": last.sum() * ys.sum()}[uses]
        return wg.autograd.grad(value, [h, xs, w], allow_unused=True)

    names = check_same(function, [(leaf(3, seed=k), leaf(5, 3, seed=k + 1), leaf(3, seed=k + 2)) for k in range(4)])
    assert "scan_backward" in names


def test_arguments_that_get_no_gradient():
    def function(h, xs, w):
        last, _ = func.scan(lambda c, x: ((c[0] * w, c[1] + x), x * 2), (h, h * 0), xs)
        return wg.autograd.grad(last[0].sum(), [h, xs, w], allow_unused=True)

    captured = wg.capture(function)
    for k in range(3):
        args = leaf(3, seed=k), leaf(5, 3, seed=k + 1), leaf(3, seed=k + 2)
        found, expected = captured(*args), function(*args)
        assert bits(found) == bits(expected)
        assert found[1] is None


def test_closures_with_a_history_and_numbers_of_iterations():
    w = leaf(3)

    def function(x):
        scale = (w * w).exp()
        y = func.fori_loop(2, 9, lambda i, c: (c * scale + i * x).sin(), x)
        return wg.autograd.grad((y * y).sum(), [w, x])

    assert "fori_loop_backward" in check_same(function, [(leaf(3, seed=k),) for k in range(4)])


@pytest.mark.parametrize("count", [1, 2, 3, 40])
def test_counts(count):
    w = leaf(2, 2)

    def function(h, xs):
        last, ys = func.scan(lambda h, x: ((h @ w).tanh() + x, h.sum()), h, xs)
        return wg.autograd.grad(last.sum() + ys.sum(), [w, h, xs])

    check_same(function, [(leaf(2, 2, seed=k), leaf(count, 2, 2, seed=k + 1)) for k in range(3)])


def test_whole_numbers_in_the_carry_and_outputs():
    w = leaf(3)

    def function(x):
        (n, c), ys = func.scan(lambda s, _: ((s[0] + 1, s[1] * w), s[0] * 2), (wg.tensor(3), x), length=4)
        return (*wg.autograd.grad(c.sum(), [w, x]), n, ys)

    check_same(function, [(leaf(3, seed=k),) for k in range(3)])


def test_results_with_a_graph():
    w = leaf(3, 3)
    function = wg.capture(lambda x: func.fori_loop(0, 6, lambda i, c: (c @ w).tanh(), x))
    for k in range(5):
        x = leaf(2, 3, seed=k)
        found = wg.autograd.grad((function(x) ** 2).sum(), [x, w])
        expected = wg.autograd.grad((function.function(x) ** 2).sum(), [x, w])
        assert bits(found) == bits(expected)
    assert wg.replay.explain(function).replays == 4
    assert any(step.name == "fori_loop_backward" for one in wg.replay.explain(function).programs for step in one.steps)


def test_gradients_of_gradients():
    w = leaf(3)

    def function(x):
        y = func.fori_loop(0, 4, lambda i, c: (c * w).sin(), x)
        (first,) = wg.autograd.grad(y.sum(), w, create_graph=True)
        return wg.autograd.grad((first * first).sum(), [w, x])

    check_same(function, [(leaf(3, seed=k),) for k in range(3)])


def test_transforms_around_and_inside():
    w = normal(3)

    def loss(x):
        return func.fori_loop(0, 4, lambda i, c: (c * w).sin(), x).sum()

    def function(x):
        descent = func.fori_loop(0, 3, lambda i, c: c - 0.1 * func.grad(loss)(c), x)
        return func.grad(loss)(x), descent, func.jvp(loss, (x,), (x,))[1], wg.vmap(loss)(wg.stack([x, 2 * x]))

    check_same(function, [(normal(3, seed=k),) for k in range(4)])


def test_a_parameter_that_is_written_to_before_backward():
    w = leaf(3)

    def function(x):
        y = func.fori_loop(0, 3, lambda i, c: c * w, x)
        with wg.no_grad():
            w.add_(1)
        y.sum().backward()

    for one in (function, wg.capture(function)):
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            one(wg.ones(3, dtype=wg.float64))


def test_dropout_is_recorded_as_before():
    w = leaf(8)

    def function(x):
        y = func.fori_loop(0, 3, lambda i, c: wg.nn.functional.dropout(c * w, 0.5, True), x)
        return wg.autograd.grad(y.sum(), w)

    captured = wg.capture(function)
    for k in range(5):
        x = normal(8, seed=k)
        wg.manual_seed(k)
        expected = function(x)
        wg.manual_seed(k)
        assert bits(captured(x)) == bits(expected)
    assert wg.replay.explain(captured).replays == 3


def test_hooks_of_parameters_are_called_once():
    w = leaf(3)
    seen = []
    w.register_hook(lambda grad: seen.append(grad.tolist()))

    def function(x):
        w.grad = None
        func.fori_loop(0, 3, lambda i, c: c * w, x).sum().backward()
        return (w.grad,)

    expected = function(wg.ones(3, dtype=wg.float64))[0].tolist()
    seen.clear()
    captured = wg.capture(function, quiet=True)
    assert captured(wg.ones(3, dtype=wg.float64))[0].tolist() == expected
    assert seen == [expected]


def test_memory_of_a_gradient_grows_with_the_carry_alone():
    def bytes_of(count):
        captured = wg.capture(lambda w, x: wg.autograd.grad(
            func.fori_loop(0, count, lambda i, c: (c * w).sin() + (c * c).cos(), x).sum(), w)[0])  # fmt: skip
        args = leaf(2), normal(2, seed=1)
        assert captured(*args).tolist() == captured(*args).tolist()
        return wg.replay.explain(captured).programs[0].counts()

    few, many = bytes_of(16), bytes_of(1016)
    assert many.instruction_bytes == few.instruction_bytes
    assert many.arena_bytes - few.arena_bytes <= 1.3 * 1000 * 2 * 8


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("count", [1, 2, 9])
def test_rows_that_are_the_carry(reverse, count):
    w = leaf(4, 4)

    def function(xs, h):
        def step(h, x):
            h = h + wg.tanh(h @ w + x) * h
            return h, (h, h.sum(), h)

        last, (ys, sums, again) = func.scan(step, h, xs, reverse=reverse)
        return wg.autograd.grad((ys * ys).sum() + last.sum() + sums.prod() + (again * 3).sum(), [w, xs, h])

    names = check_same(function, [(leaf(count, 2, 4, seed=k), leaf(2, 4, seed=k + 1)) for k in range(4)])
    assert names.count("scan_backward") == (1 if count == 1 else 2)


def test_rows_that_are_the_carry_before():
    w = leaf(4, 4)

    def function(xs, h):
        last, ys = func.scan(lambda h, x: (h + wg.tanh(h @ w + x) * h, h), h, xs)
        return wg.autograd.grad((ys * ys).sum() + last.sum(), [w, xs, h])

    check_same(function, [(leaf(5, 2, 4, seed=k), leaf(2, 4, seed=k + 1)) for k in range(4)])


def test_nested_loops():
    w, v = leaf(3, 3), leaf(3, 3, seed=1)

    def function(x, xs):
        scale = v.exp()

        def step(c, row):
            inner = func.fori_loop(0, 3, lambda i, s: (s @ w + row * scale.index_select(0, i.reshape(1))).tanh(), c)
            return inner, inner.sum()

        last, ys = func.scan(step, x, xs)
        return wg.autograd.grad((ys * ys).sum() + last.sum(), [w, v, x, xs])

    captured = wg.capture(function)
    for k in range(4):
        args = leaf(2, 3, seed=k), leaf(5, 2, 3, seed=k + 1)
        for one, other in zip(captured(*args), function(*args), strict=True):
            wg.testing.assert_close(one, other, rtol=1e-12, atol=1e-12)
    assert wg.replay.explain(captured).replays == 3
    assert [step.name for step in wg.replay.explain(captured).programs[-1].steps].count("scan_backward") == 1


def test_closures_that_depend_on_each_other():
    w = leaf(3)

    def function(x):
        scale = w.exp()
        half = scale * 0.5
        y = func.fori_loop(0, 5, lambda i, c: (c * scale + w * half).sin(), x)
        return wg.autograd.grad((y * y).sum(), [w, x])

    assert "fori_loop" not in check_same(function, [(leaf(3, seed=k),) for k in range(4)], replays=2)


def test_closures_that_are_views():
    w = leaf(2, 3)

    def function(x):
        first, second = w.t().unbind(1)
        y = func.fori_loop(0, 5, lambda i, c: (c * first + second).sin(), x)
        return wg.autograd.grad((y * y).sum(), [w, x])

    assert "fori_loop_backward" in check_same(function, [(leaf(3, seed=k),) for k in range(4)])
