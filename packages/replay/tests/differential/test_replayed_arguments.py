"""Captured beside eager: arguments and results that share memory, are written, expanded or empty."""

from __future__ import annotations

import wengert as wg

from .scenarios import attempt, scenario


@scenario(replays=3)
def test_views_of_an_argument_are_written(capture):
    def write(x):
        x[1:].mul_(2)
        x.view(2, 2)[0].add_(10)
        x.t()[3] = -1
        return x.sum()

    f = capture(write)
    for k in range(4):
        x = wg.arange(4.0) + k
        view = x[2:]
        yield f(x), x, view


@scenario(replays=3)
def test_an_argument_is_a_view_of_a_larger_tensor(capture):
    f = capture(lambda x: x.add_(1).mul_(x))
    base = wg.arange(12.0).view(3, 4)
    for k in range(4):
        yield f(base[:, 1:3]), base, k


@scenario(replays=4)
def test_one_tensor_comes_twice(capture):
    f = capture(lambda x, y: x.add_(1) * y)
    for k in range(3):
        x = wg.full((3,), float(k))
        yield f(x, x), x
    for k in range(3):
        x, y = wg.full((3,), float(k)), wg.ones(3)
        yield f(x, y), x, y


@scenario(reason="two arguments share memory")
def test_two_arguments_lie_in_one_base(capture):
    f = capture(lambda x, y: x.add_(1) * y)
    for k in range(4):
        base = wg.arange(6.0) + k
        yield f(base[:4], base[2:]), base


@scenario(replays=3)
def test_an_argument_is_also_outside(capture):
    """A tensor that is an argument and reached from outside counts as the argument: that is documented."""
    w = wg.arange(4.0)
    f = capture(lambda x: (x * w).sum() + x.add_(1).sum() + w.sum())
    for _ in range(4):
        yield f(w), w


@scenario(replays=3)
def test_an_argument_becomes_a_tensor_from_outside(capture):
    w = wg.arange(4.0)
    f = capture(lambda x: (x * w).sum() + x.add_(1).sum() + w.sum())
    for k in range(4):
        x = wg.full((4,), float(k))
        yield f(x), x, w
    for _ in range(4):
        yield f(w), w


@scenario(reason="shares memory with a tensor from outside")
def test_an_argument_is_a_view_of_a_tensor_outside(capture):
    w = wg.arange(4.0)

    def write(x):
        x.mul_(2)
        return w.sum() + x.sum()

    f = capture(write)
    for _ in range(4):
        yield f(w[1:3]), w


@scenario(replays=2)
def test_an_argument_becomes_a_view_of_a_tensor_outside(capture):
    w = wg.arange(4.0)

    def write(x):
        x.mul_(2)
        return w.sum() + x.sum()

    f = capture(write)
    for _ in range(3):
        yield f(wg.ones(2)), w
    for _ in range(3):
        yield f(w[1:3]), w


@scenario(replays=3)
def test_tensors_outside_share_memory(capture):
    base = wg.arange(8.0)
    left, right = base[:5], base[3:]

    def write(x):
        left.add_(x)
        right.mul_(2)
        return left.sum() + right.sum() + base.sum()

    f = capture(write)
    for k in range(4):
        yield f(wg.full((5,), float(k))), base, left, right


@scenario(replays=3)
def test_out_is_an_argument(capture):
    f = capture(lambda x, out: wg.matmul(x, x, out=out).add_(1))
    for k in range(4):
        x, out = wg.full((3, 3), float(k)), wg.zeros(3, 3)
        got = f(x, out)
        yield got, out, got is out


@scenario(replays=3)
def test_out_is_outside(capture):
    out = wg.zeros(3)
    f = capture(lambda x: wg.add(x, out, out=out))
    for k in range(4):
        yield f(wg.full((3,), float(k))), out


@scenario(replays=2)
def test_out_is_resized(capture):
    out = wg.zeros(0)
    f = capture(lambda x: wg.add(x, 1, out=out))
    for k in range(4):
        yield f(wg.full((3,), float(k))), out


@scenario(replays=2)
def test_out_overlaps_an_input(capture):
    def write(x):
        return attempt(wg.add, x[:3], x[1:], out=x[1:])

    f = capture(write)
    for k in range(3):
        x = wg.arange(4.0) + k
        yield f(x), x


@scenario(reason="two results or gradients share memory")
def test_results_are_views_of_each_other(capture):
    def cut(x):
        y = x * 2
        return y[0], y[1:], y

    f = capture(cut)
    for k in range(3):
        a, b, c = f(wg.arange(4.0) + k)
        a.add_(100)
        yield a, b, c


@scenario(reason="a result is a view of an argument")
def test_a_result_is_a_view_of_an_argument(capture):
    f = capture(lambda x: x[1:])
    for k in range(3):
        x = wg.arange(4.0) + k
        y = f(x)
        y.zero_()
        yield x, y


@scenario(replays=2)
def test_a_result_is_an_argument(capture):
    f = capture(lambda x, y: (y.add_(1), x))
    for k in range(3):
        x, y = wg.arange(4.0) + k, wg.zeros(1)
        a, b = f(x, y)
        yield a is y, b is x, x, y


@scenario(replays=3)
def test_a_result_is_outside(capture):
    w = wg.ones(3)
    f = capture(lambda x: (w.add_(x), w, w[1:]))
    for k in range(4):
        a, b, c = f(wg.full((3,), float(k)))
        yield a is w, b is w, c, w
        c.mul_(3)


@scenario(replays=2)
def test_a_result_is_a_view_with_gaps(capture):
    f = capture(lambda x: ((x * 2)[:, ::2], (x * 3).t(), (x + 1).expand(2, *x.shape), (x - 1)[1, 1:]))
    for k in range(3):
        yield f(wg.arange(12.0).view(3, 4) + k)


@scenario(replays=3)
def test_results_are_writable(capture):
    f = capture(lambda x: [x + 1, x.sum(), x * 2])
    kept = []
    for k in range(4):
        got = f(wg.full((3,), float(k)))
        for one in got:
            one.add_(1)
        kept.append(got)
        yield kept


@scenario(replays=4)
def test_an_argument_has_a_step_of_zero(capture):
    f = capture(lambda x: (x * 2).sum(0))
    for k in range(3):
        yield f(wg.tensor([1.0, k]).expand(3, 2))
        yield f(wg.full((1,), float(k)).expand(4))


@scenario(replays=2)
def test_an_expanded_argument_is_written(capture):
    f = capture(lambda x: attempt(x.add_, 1))
    for k in range(3):
        x = wg.tensor([1.0, k]).expand(3, 2)
        yield f(x), x


@scenario(replays=4)
def test_an_argument_is_empty(capture):
    f = capture(lambda x, y: (x * 2, y.sum(0), wg.cat([x, x]), x.sum()))
    for k in range(3):
        yield f(wg.zeros(0), wg.ones(0, 3)), k
        yield f(wg.zeros(0, 2), wg.ones(2, 0)), k


@scenario(replays=3)
def test_overlapping_writes_in_a_row(capture):
    def shift(x):
        x[1:].copy_(x[:-1].clone())
        x[:-1] += x[1:].clone()
        x[0], x[-1] = x[-1].clone(), x[0].clone()
        return x * 1

    f = capture(shift)
    for k in range(4):
        x = wg.arange(5.0) * (k + 1)
        yield f(x), x


@scenario(replays=3)
def test_a_copy_that_overlaps(capture):
    f = capture(lambda x: attempt(x[1:].copy_, x[:-1]))
    for k in range(4):
        x = wg.arange(5.0) * (k + 1)
        yield f(x), x


@scenario(reason="a result is a view of an argument")
def test_a_result_is_a_detached_view_of_an_argument(capture):
    functions = [capture(lambda x: x.detach()), capture(lambda x: (x.t().detach()[1:], x.sum()))]
    for k in range(3):
        for f in functions:
            x = wg.arange(4.0).view(2, 2) + k
            a = f(x)
            (a if isinstance(a, wg.Tensor) else a[0]).add_(100)
            yield a, x
