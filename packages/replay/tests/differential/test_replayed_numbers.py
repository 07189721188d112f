"""Captured beside eager: dtypes, special numbers, random numbers, modes."""

from __future__ import annotations

import numpy as np
import wengert as wg

from .scenarios import attempt, scenario


@scenario(replays=24)
def test_all_dtypes(capture):
    f = capture(lambda x, y: (x + y, x * y, x == y, x.sum(), wg.cat([x, y]), x.clone(), wg.where(x == y, x, y)))
    for dtype in (wg.bool, wg.uint8, wg.int8, wg.int16, wg.int32, wg.int64, wg.float16, wg.bfloat16, wg.float32,
                  wg.float64, wg.complex64, wg.complex128):  # fmt: skip
        for k in range(3):
            x = wg.tensor([k, 1, 2, 0, 1]).to(dtype)
            y = wg.tensor([1, k, 2, 1, 0]).to(dtype)
            yield attempt(f, x, y)


@scenario(replays=10)
def test_mixed_dtypes(capture):
    f = capture(lambda x, y: (x + y, x / y, x.to(y.dtype) * 2, wg.add(x, y, alpha=2)))
    for other in (wg.int32, wg.float16, wg.bfloat16, wg.float64, wg.complex64):
        for k in range(3):
            yield f(wg.tensor([1.0, k]), wg.tensor([k + 1, 2]).to(other))


@scenario(replays=6)
def test_integers_at_their_ends(capture):
    f = capture(lambda x: (x + 1, x * x, -x, x.abs(), x // 3, x % 3, x << 1, x.sum()))
    for k in range(3):
        yield f(wg.tensor([127, -128, k], dtype=wg.int8))
        yield f(wg.tensor([2**63 - 1, -(2**63), k]))
    g = capture(lambda x, y: attempt(lambda: x // y))
    for k in (1, 2, 0, 1):
        yield g(wg.tensor([5]), wg.tensor([k]))


@scenario(replays=3)
def test_special_numbers(capture):
    f = capture(lambda x: (x / x, x * 0, x.sqrt(), x.log(), x.max(), x.sum(), (x > 0).any(), x.round(), x.sign()))
    for numbers in ([0.0, -0.0, 1.0], [float("inf"), -1.0, 0.0], [float("nan"), 2.5, 1e-40], [1e38, 1e38, 1e38]):
        yield f(wg.tensor(numbers))


@scenario(replays=5)
def test_nan_in_a_guard(capture):
    f = capture(lambda x: x * 2 if x.sum().item() > 0 else x * 3)
    for value in (float("nan"), float("nan"), 1.0, float("nan"), 0.0, -0.0):
        yield f(wg.full((2,), value))
    g = capture(lambda x: 1 / (wg.ones(1) * x.item()))
    for value in (0.0, -0.0, 0.0, -0.0):
        yield g(wg.tensor(value))


@scenario(replays=7)
def test_default_dtype_and_threads_change(capture):
    f = capture(lambda x: (x * wg.ones(2), wg.tensor(1.5), x.sum()))
    yield f(wg.ones(2)), f(wg.ones(2))
    before, threads = wg.get_default_dtype(), wg.get_num_threads()
    try:
        wg.set_default_dtype(wg.float64)
        yield f(wg.ones(2)), f(wg.ones(2))
        wg.set_num_threads(1)
        yield f(wg.ones(2)), f(wg.ones(2))
        wg.set_num_threads(2)
        yield f(wg.ones(2)), f(wg.ones(2))
    finally:
        wg.set_default_dtype(before)
        wg.set_num_threads(threads)
    yield f(wg.ones(2)), f(wg.ones(2))


@scenario(replays=2)
def test_default_dtype_is_changed_inside(capture):
    def step(x):
        wg.set_default_dtype(wg.float64)
        try:
            return x * wg.tensor(1.5), wg.ones(2)
        finally:
            wg.set_default_dtype(wg.float32)

    f = capture(step)
    for k in range(3):
        yield f(wg.full((2,), float(k)))


@scenario(replays=4)
def test_random_numbers(capture):
    generator = wg.Generator().manual_seed(5)

    def draw(x):
        return (x + wg.rand(2), wg.randn(3, generator=generator), wg.randint(0, 10, (2,)), wg.randperm(5),
                wg.bernoulli(wg.full((3,), 0.5)), wg.nn.functional.dropout(x, 0.5),
                wg.empty(2).uniform_(), wg.empty(2).normal_(), wg.multinomial(wg.ones(4), 2))  # fmt: skip

    f = capture(draw)
    for k in range(4):
        yield f(wg.full((2,), float(k))), wg.get_rng_state(), generator.get_state()
    wg.manual_seed(3)
    yield f(wg.ones(2)), wg.rand(2)


@scenario(replays=4)
def test_a_generator_is_an_argument(capture):
    f = capture(lambda x, g: x + wg.rand(2, generator=g))
    a, b = wg.Generator().manual_seed(1), wg.Generator().manual_seed(2)
    for _ in range(3):
        yield f(wg.ones(2), a), f(wg.ones(2), b)


@scenario(reason="or the state of a generator")
def test_a_seed_is_set_inside(capture):
    def step(x):
        wg.manual_seed(7)
        return x + wg.rand(2)

    f = capture(step)
    for _ in range(4):
        yield f(wg.ones(2)), wg.rand(1)


@scenario(reason="or the state of a generator")
def test_random_numbers_of_a_fork(capture):
    def step(x):
        with wg.random.fork_rng():
            wg.manual_seed(7)
            y = x + wg.rand(2)
        return y + wg.rand(2)

    f = capture(step)
    for _ in range(4):
        yield f(wg.ones(2)), wg.rand(1)


@scenario(replays=3)
def test_random_numbers_and_a_guard(capture):
    f = capture(lambda x: wg.rand(2) + (1 if x.item() > 0 else 2))
    for value in (1.0, 1.0, -1.0, 1.0, -1.0):
        yield f(wg.tensor(value)), wg.rand(1)
    g = capture(lambda x: 2 * x if wg.rand(1).item() > 0.5 else x)
    for _ in range(6):
        yield g(wg.ones(1)), wg.rand(1)


@scenario(reason="draws random numbers outside of wengert")
def test_random_numbers_of_numpy(capture):
    draws = np.random.default_rng(1)
    f = capture(lambda x: x + wg.tensor(draws.random(2)))
    first = f(wg.ones(2))
    yield first.shape


@scenario(replays=4)
def test_autocast_around_and_inside(capture):
    def inside(x):
        with wg.autocast("cpu", dtype=wg.bfloat16):
            return x @ x

    f, g = capture(inside), capture(lambda x: x @ x)
    for k in range(3):
        yield f(wg.full((2, 2), float(k)))
        with wg.autocast("cpu", dtype=wg.bfloat16):
            yield g(wg.full((2, 2), float(k)))
        yield g(wg.full((2, 2), float(k)))


@scenario(replays=2)
def test_large_tensors(capture):
    def step(x):
        y = (x * 2 + 1).tanh().view(100, -1)
        return y.sum(0), y.mean(), (y @ y.t()).sum(), y.softmax(1)[0], y.t().contiguous()[3]

    f = capture(step)
    for k in range(3):
        yield f(wg.linspace(-1, 1, 100000) * k)


@scenario(replays=2)
def test_constants_that_are_written(capture):
    def step(x):
        counter = wg.tensor([0.0, 0.0])
        for _ in range(3):
            counter += x
        big = wg.tensor(np.arange(2000.0))
        big[0] = x[0]
        big *= 2
        return counter, big, wg.arange(5).add_(1), wg.eye(2).mul_(x)

    f = capture(step)
    for k in range(3):
        yield f(wg.full((2,), float(k)))


@scenario(replays=15)
def test_conjugated_and_negated_arguments(capture):
    f = capture(lambda z: (z * 2, (z * 2).conj(), z.imag + 1, z.conj() @ z))
    for k in range(4):
        z = wg.complex(wg.arange(2.0) + k, wg.ones(2))
        yield f(z), f(z.conj()), f(-z), f(z.conj().clone())
        yield attempt(lambda z=z: f(z.imag)), attempt(lambda z=z: f(z.conj().imag))
