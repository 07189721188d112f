"""Programs of large tensors: chains run block by block, and results are written where they stay, with eager bits."""

from __future__ import annotations

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st

N = 150_000  # elements: a sum of so many has sections


def numbers(n, dtype, seed=0):
    wg.manual_seed(seed)
    return wg.rand(n, dtype=dtype) - 0.5


def bits(value):
    return [bits(one) for one in value] if isinstance(value, (list, tuple)) else value.detach().numpy().tobytes()


@pytest.mark.parametrize("dtype", [wg.float32, wg.float64], ids=str)
@pytest.mark.parametrize("n", [4096, 5001, N])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_chain_with_its_gradient(dtype, n, threads):
    before = wg.get_num_threads()
    wg.set_num_threads(threads)
    try:
        x = numbers(n, dtype).requires_grad_()

        def step(scale):
            loss = (x * 0.5 + scale).tanh().exp().sum()
            return loss.detach(), *wg.autograd.grad(loss, [x])

        scales = [wg.tensor(0.1, dtype=dtype), wg.tensor(0.3, dtype=dtype), wg.tensor(-0.2, dtype=dtype)]
        captured = wg.capture(step)
        for scale in scales:
            assert bits(captured(scale)) == bits(step(scale))
        assert wg.replay.explain(captured).replays == 2
    finally:
        wg.set_num_threads(before)


@pytest.mark.parametrize("dtype", [wg.float32, wg.float64], ids=str)
def test_a_matrix_with_a_row_and_a_column(dtype):
    matrix, row, column = numbers(300 * 200, dtype).reshape(300, 200), numbers(200, dtype, 1), numbers(300, dtype, 2)

    def step(matrix, row, column):
        out = (matrix * row + column.reshape(-1, 1)).square()
        return out, out.sum(), -out / 3

    captured = wg.capture(step)
    for factor in (1.0, 2.0, -3.0):
        arguments = matrix * factor, row, column + factor
        assert bits(captured(*arguments)) == bits(step(*arguments))
    assert wg.replay.explain(captured).replays == 2


def test_results_are_theirs():
    """A result is written where it stays: no later replay writes there, and what its owner writes is read by none."""
    captured = wg.capture(lambda x: (x * 2, (x * 2 + 1).exp()))
    x = numbers(N, wg.float64)
    results = [captured(x + i) for i in range(5)]
    before = bits(results)
    for pair in results[:3]:
        for one in pair:
            one.zero_()
    assert bits(captured(x + 3)) == before[3]
    assert bits(results[3:]) == before[3:]
    assert len({one.data_ptr() for pair in results for one in pair}) == 10


def test_freed_results_give_their_memory_to_the_next():
    captured = wg.capture(lambda x: (x * 2, x * 3, x * 5))
    x = numbers(N, wg.float32)
    for i in range(6):
        a, b, c = captured(x + i)
        assert bits((a, b, c)) == bits(((x + i) * 2, (x + i) * 3, (x + i) * 5))
        del b, a
        other = numbers(N, wg.float32, i)
        del c, other


def test_gradients_that_are_replaced_are_written_where_they_stay():
    leaf = numbers(N, wg.float64).requires_grad_()

    def step(x):
        leaf.grad = None
        (leaf * leaf * x).sum().backward()

    captured, kept = wg.capture(step), []
    for i in range(5):
        x = numbers(N, wg.float64, i)
        captured(x)
        kept.append(leaf.grad)
        assert bits(leaf.grad) == bits(2 * leaf * x)
    assert wg.replay.explain(captured).replays >= 2
    assert len({one.data_ptr() for one in kept}) == 5


STEPS = {
    "exp": lambda a, b, which: a.clamp(max=2.0).exp(),
    "tanh": lambda a, b, which: a.tanh(),
    "neg": lambda a, b, which: -a,
    "mul": lambda a, b, which: a * b,
    "add": lambda a, b, which: a + b,
    "scale": lambda a, b, which: a * (0.25 + which),
    "matrix": lambda a, b, which: (a.reshape(50, -1) * b[:100]).reshape(-1),
}


@given(st.lists(st.tuples(st.sampled_from([*STEPS, "sum", "write"]), st.integers(0, 9)), min_size=2, max_size=9))
@settings(max_examples=40, deadline=None)
def test_random_chains(steps):
    def program(x, y):
        values, total = [x, y], x.sum()
        for kind, which in steps:
            a, b = values[which % len(values)], values[which * 7 % len(values)]
            if kind in STEPS:
                values.append(STEPS[kind](a, b, which))
            elif kind == "sum":
                total = total + a.sum()
            elif len(values) > 2:
                values[-1].add_(a)
        return values[-1] * 1.0, total

    captured = wg.capture(program)
    for seed in range(4):
        arguments = numbers(5000, wg.float64, seed), numbers(5000, wg.float64, seed + 10)
        assert bits(captured(*arguments)) == bits(program(*arguments))
    assert wg.replay.explain(captured).replays
