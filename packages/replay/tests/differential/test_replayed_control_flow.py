"""Captured beside eager: numbers that Python reads, and errors."""

from __future__ import annotations

import numpy as np
import wengert as wg

from .scenarios import attempt, scenario


@scenario(replays=1)
def test_errors_of_arguments(capture):
    f = capture(lambda x, y: x @ y + x.sum())
    for shapes in ((2, 2), (2, 3), (2, 2), (3, 3), (2, 3)):
        yield attempt(f, wg.ones(2, shapes[0]), wg.ones(shapes[1], 2))


@scenario(replays=4)
def test_errors_of_values(capture):
    f = capture(lambda x, i: (x[i], x.gather(0, i), wg.nn.functional.embedding(i, x.view(-1, 1))))
    for number in (0, 1, 2, 3, 1, -1, 0):
        yield attempt(f, wg.arange(3.0), wg.tensor([number, 0]))
    g = capture(lambda a: wg.linalg.inv(a) + wg.linalg.cholesky(a))
    for k in (1.0, 2.0, 0.0, -1.0, 3.0):
        yield attempt(g, wg.eye(2) * k)


@scenario(replays=3)
def test_errors_in_the_middle(capture):
    w = wg.zeros(2)

    def step(x, i):
        w.add_(1)
        y = x * 2
        z = y.gather(0, i)
        w.add_(10)
        return z

    f = capture(step)
    for number in (0, 1, 5, 1, 5, 0):
        yield attempt(f, wg.arange(2.0), wg.tensor([number])), w


@scenario(replays=3)
def test_errors_in_the_middle_with_arguments_written(capture):
    def step(x, i):
        x.add_(1)
        y = x.gather(0, i)
        x.add_(10)
        return y

    f = capture(step)
    for number in (0, 1, 5, 1, 5, 0):
        x = wg.arange(2.0)
        yield attempt(f, x, wg.tensor([number])), x


@scenario(replays=2)
def test_errors_in_backward(capture):
    w = wg.ones(2, requires_grad=True)

    def step(x, i):
        w.grad = None
        y = (w * x).gather(0, i)
        y.sum().backward()

    f = capture(step)
    for number in (0, 1, 5, 1, 5, 0):
        yield attempt(f, wg.arange(2.0), wg.tensor([number])), w


@scenario(replays=3)
def test_errors_of_the_function(capture):
    def step(x, flag):
        y = x * 2
        if flag:
            raise ValueError(f"flag {flag}")
        return y

    f = capture(step)
    for flag in (0, 0, 1, 0, 1, 1, 0):
        yield attempt(f, wg.ones(2), flag)


@scenario(replays=3)
def test_caught_errors(capture):
    w = wg.zeros(2)

    def step(x):
        w.add_(1)
        first = attempt(w.add_, wg.ones(3))[0]
        second = attempt(wg.matmul, x, wg.ones(5))[0]
        third = attempt(lambda: wg.add(x, x, out=wg.zeros(2, dtype=wg.int32)))[0]
        return w.sum() + x, first, second, third

    f = capture(step)
    for k in range(4):
        yield f(wg.full((2,), float(k))), w


@scenario(replays=13)
def test_control_flow_on_values(capture):
    def newton(x):
        y, steps = x, 0
        while (y * y - x).abs().max() > 1e-5:
            y = (y + x / y) / 2
            steps += 1
        return y, steps

    f = capture(newton)
    for value in (2.0, 2.0, 3.0, 100.0, 2.0, 3.0, 3.0):
        yield f(wg.tensor([value], dtype=wg.float64))

    def select_large(x):
        return x[x > 1], x.nonzero(), wg.unique(x), int((x > 1).sum()), bool(x.any()), x.max().item()

    g = capture(select_large)
    for k in (0, 0, 1, 2, 0, 2, 1):
        yield g(wg.arange(4.0) + k), g(wg.arange(4.0) * k)


@scenario(replays=3)
def test_indices_from_values(capture):
    def step(x, i):
        return (
            x[i] + 1,
            x[int(i) :] + 1,
            x[i.item()] * 2,
            x.narrow(0, int(i), 1) + 1,
            list(range(int(i))),
            x[[int(i), 0]],
        )

    f = capture(step)
    for number in (0, 1, 1, 2, 0, 2):
        yield f(wg.arange(4.0), wg.tensor(number))


@scenario(replays=52)
def test_reading_in_other_ways(capture):
    readers = [lambda t: f"{t}", lambda t: str(t.tolist()), lambda t: bool((t > 1).all()), lambda t: len(t),
               lambda t: [float(one) for one in t], lambda t: t.equal(wg.ones(2)), lambda t: wg.allclose(t, wg.ones(2)),
               lambda t: hash(t.sum().item()), lambda t: 1.0 in t, lambda t: complex(t[0]), lambda t: t[0].__index__()
               if not t.is_floating_point() else 0, lambda t: t.numpy().sum(), lambda t: np.asarray(t).tolist(),
               lambda t: t.is_nonzero() if t.numel() == 1 else 0, lambda t: memoryview(t.numpy()).tobytes(),
               lambda t: t.data_ptr() > 0, lambda t: bytes(t.untyped_storage()) if False else 0,
               lambda t: t.untyped_storage().tolist() if hasattr(t.untyped_storage(), "tolist") else 0,
               lambda t: wg.is_nonzero(t[0]), lambda t: t.double().tolist(), lambda t: repr(t * 2),
               lambda t: min(t).item(), lambda t: sorted(t.tolist()), lambda t: divmod(t[0].item(), 2)]  # fmt: skip
    for read in readers:
        f = capture(lambda x, read=read: (x * 2, read(x * 1)))
        for k in (1.0, 1.0, 2.0, 0.0, 1.0):
            yield f(wg.full((2,), k))


@scenario(replays=15)
def test_reading_an_argument_in_other_ways(capture):
    readers = [
        lambda t: f"{t}",
        lambda t: t.tolist(),
        lambda t: float(t[0]),
        lambda t: t.numpy().sum(),
        lambda t: np.asarray(t).tolist(),
        lambda t: t.equal(wg.ones(2)),
        lambda t: 1.0 in t,
        lambda t: np.add(t, 1).tolist(),
        lambda t: memoryview(t.numpy()).tobytes(),
        lambda t: t._version,
    ]
    for read in readers:
        f = capture(lambda x, read=read: (x * 2, read(x)))
        for k in (1.0, 1.0, 2.0, 0.0, 1.0):
            yield f(wg.full((2,), k))


@scenario(replays=2)
def test_addresses_are_read(capture):
    f = capture(lambda x: x * 2 if x.data_ptr() % 2 == 0 else x)
    for k in range(3):
        yield f(wg.full((2,), float(k)))


@scenario(replays=3)
def test_numpy_functions(capture):
    f = capture(lambda x: np.tanh(x) + np.sum(x) if isinstance(x, wg.Tensor) else x)
    for k in range(4):
        yield f(wg.full((2,), float(k)))


@scenario(replays=2)
def test_numbers_that_change_outside(capture):
    # Python data is frozen: that is documented. A tensor in a list is looked up at recording only.
    weights = [wg.ones(2), wg.zeros(2)]
    f = capture(lambda x: sum(w * x for w in weights))
    for k in range(3):
        weights[1].add_(k)
        yield f(wg.full((2,), 2.0))


@scenario(replays=6)
def test_caught_errors_that_depend_on_values(capture):
    def step(a):
        try:
            return wg.linalg.cholesky(a)
        except RuntimeError:
            return a * 10

    f = capture(step)
    for k in (-1.0, -1.0, 1.0, 2.0, -1.0):
        yield f(wg.eye(2) * k)

    def pick(x, i):
        try:
            return x.gather(0, i)
        except RuntimeError:
            return x * 10

    g = capture(pick)
    for k in (5, 5, 1, 0, 5):
        yield g(wg.arange(3.0), wg.tensor([k]))


@scenario(reason="leaves a mode changed")
def test_modes_are_left_as_in_an_eager_run(capture):
    def step(x):
        wg.set_default_dtype(wg.float64)
        return x * 2

    f = capture(step)
    try:
        for _ in range(3):
            yield f(wg.ones(2)).tolist(), wg.get_default_dtype()
            wg.set_default_dtype(wg.float32)
    finally:
        wg.set_default_dtype(wg.float32)


@scenario(reason="differs in each call: return the tensor")
def test_numbers_that_are_logged(capture):
    f = capture(lambda x: (x * 2, x.sum().item()))
    for k in range(40):
        yield f(wg.full((2,), float(k)))


@scenario(replays=3)
def test_adaptive_steps(capture):
    def solve(y, tol):
        t, h, steps = 0.0, 0.1, 0
        while t < 1:
            h = min(h, 1 - t)
            whole = y - h * y
            half = y - h / 2 * y
            half = half - h / 2 * half
            error = (whole - half).abs().max().item()
            if error < tol:
                t, y, steps = t + h, half, steps + 1
            h = h * min(2.0, 0.9 * (tol / max(error, 1e-12)) ** 0.5)
        return y, steps

    f = capture(solve)
    for start in (1.0, 1.0, 2.0, 1.0, 2.0, 3.0):
        yield f(wg.full((2,), start, dtype=wg.float64), 1e-3)


@scenario(replays=1)
def test_early_stopping_with_writes(capture):
    w = wg.ones(2, requires_grad=True)
    moments = [wg.zeros(2), wg.zeros(2)]

    def step(x):
        for k in range(5):
            w.grad = None
            loss = (w * x).pow(2).sum()
            if loss.item() < 0.5:
                return loss.detach(), k
            loss.backward()
            with wg.no_grad():
                moments[0].mul_(0.9).add_(w.grad)
                w.sub_(0.1 * moments[0])
            if moments[0].abs().max() > 1:
                moments[1].add_(1)
        return loss.detach(), 5

    f = capture(step)
    for k in (1.0, 1.0, 0.1, 2.0, 1.0, 1.0, 3.0):
        yield f(wg.full((2,), k)), w, moments


@scenario(replays=18)
def test_guards_with_random_numbers_and_writes(capture):
    w = wg.zeros(2)

    def step(x):
        w.add_(wg.rand(2))
        if w.sum() > 3:
            w.zero_()
            return x * 2
        w.mul_(1.1)
        return x + wg.rand(2)

    f = capture(step)
    for k in range(20):
        yield f(wg.full((2,), float(k))), w, wg.get_rng_state()
