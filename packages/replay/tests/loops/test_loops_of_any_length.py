"""Gradients of loops whose number of iterations each call has anew: ``while_loop``, and bounds that are tensors."""

from __future__ import annotations

import warnings

import pytest
import wengert as wg

from .test_loop_indices import facts_of, leaf, normal

func = wg.func
COUNTS = [(3, 4, 2, 8, 1, 5), (1, 3, 2, 1, 7), (2, 3, 40, 100, 3, 500, 2), (0, 2, 0, 3), (4, 0, 3, 0, 2)]
W = leaf(3, seed=9)


LOOPS = {
    "while_loop": lambda x, n: func.while_loop(lambda s: s[1] < n, lambda s: ((s[0] * W).sin() + x, s[1] + 1),
                                               (x, n * 0))[0],
    "test of the carry": lambda x, n: func.while_loop(lambda c: (c * c).sum() < n, lambda c: c * 1.5 + W * 0.1, x),
    "upper bound": lambda x, n: func.fori_loop(0, n, lambda i, c: (c * W).sin() + x * i, x),
    "both bounds": lambda x, n: func.fori_loop(n - 3, n, lambda i, c: (c * W).sin() + x * i, x),
    "no closure": lambda x, n: func.fori_loop(0, n, lambda i, c: (c * 2).sin() + i, x),
    "rows by a number": lambda x, n: func.fori_loop(0, n, lambda i, c: c * W[i % 2 : i % 2 + 2].sum() - W[i % 3], x),
    "two loops": lambda x, n: func.fori_loop(0, n, lambda i, c: (c * W).sin(), func.while_loop(
        lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * 0.9), (n * 0, x))[1]),
    "a choice": lambda x, n: func.fori_loop(
        0, n, lambda i, c: func.cond(c.sum() > 0, lambda c: c * W, lambda c: c - W, c), x),
}  # fmt: skip


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize("name", LOOPS)
def test_gradients(name, counts):
    def function(x, n):
        z = LOOPS[name](x, n)
        return z.detach() + 0, *wg.autograd.grad((z * z).sum(), [x, W], allow_unused=True)

    captured = wg.capture(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for k, n in enumerate(counts):
            for _ in range(2):
                args = leaf(3, seed=k), wg.tensor(n)
                assert facts_of(captured(*args)) == facts_of(function(*args))
    found = wg.replay.explain(captured)
    assert found.replays >= len(counts) - 1, found.reasons


@pytest.mark.parametrize("name", ["while_loop", "upper bound"])
def test_one_program_for_all_counts(name):
    def function(x, n):
        z = LOOPS[name](x, n)
        return wg.autograd.grad((z * z).sum(), [x, W])

    captured = wg.capture(function)
    for k, n in enumerate((5, 1, 3, 11, 2, 15, 7)):
        args = leaf(3, seed=k), wg.tensor(n)
        assert facts_of(captured(*args)) == facts_of(function(*args))
    found = wg.replay.explain(captured)
    assert (found.replays, len(found.programs), found.programs[0].n_branches) == (6, 1, 0)
    assert {step.name for step in found.programs[0].steps} >= {LOOP_NAMES[name], f"{LOOP_NAMES[name]}_backward"}


LOOP_NAMES = {"while_loop": "while_loop", "upper bound": "fori_loop"}


@pytest.mark.parametrize("name", LOOPS)
def test_results_with_a_graph(name):
    captured = wg.capture(LOOPS[name])
    for k, n in enumerate((3, 5, 2, 40, 4)):
        x, n = leaf(3, seed=k), wg.tensor(n)
        found, expected = ((f(x, n).exp().sum(), [x, W]) for f in (captured, captured.function))
        assert facts_of(wg.autograd.grad(*found, allow_unused=True)) \
            == facts_of(wg.autograd.grad(*expected, allow_unused=True))  # fmt: skip


def test_training_with_a_loop_of_any_length():
    def step(x, n):
        W.grad = None
        loss = (LOOPS["while_loop"](x, n) ** 2).sum()
        loss.backward()
        return loss.detach(), W.grad.clone()

    captured = wg.capture(step)
    for k, n in enumerate((3, 6, 2, 9, 1, 30, 4)):
        args = normal(3, seed=k), wg.tensor(n)
        assert facts_of(captured(*args)) == facts_of(step(*args))
    assert wg.replay.explain(captured).replays >= 3
    W.grad = None


def test_gradients_of_gradients():
    def function(x, n):
        (first,) = wg.autograd.grad(LOOPS["upper bound"](x, n).sum(), x, create_graph=True)
        return wg.autograd.grad((first * first).sum(), [x, W])

    captured = wg.capture(function)
    for k, n in enumerate((3, 3, 5, 3, 5)):
        args = leaf(3, seed=k), wg.tensor(n)
        wg.testing.assert_close(captured(*args), function(*args), rtol=1e-12, atol=1e-12)


def test_inside_of_a_scan():
    def function(xs, h):
        def step(h, x):
            h = func.while_loop(lambda c: (c * c).sum() > 1, lambda c: c * 0.5 + W * 0.01, h + x)
            return h, h.sum()

        last, sums = func.scan(step, h, xs)
        return wg.autograd.grad((sums * sums).sum() + last.sum(), [xs, h, W], allow_unused=True)

    captured = wg.capture(function)
    for k in range(5):
        args = leaf(4, 3, seed=k), leaf(3, seed=k + 1)
        wg.testing.assert_close(captured(*args), function(*args), rtol=1e-12, atol=1e-12)


def test_errors_and_validation():
    captured = wg.capture(lambda x, n: wg.autograd.grad(LOOPS["rows by a number"](x, n).sum(), x)[0], validate=True)
    for k, n in enumerate((3, 4, 2)):
        captured(leaf(3, seed=k), wg.tensor(n))
    assert wg.replay.explain(captured).replays == 2
    outside = wg.capture(lambda x, n: wg.autograd.grad(func.fori_loop(0, n, lambda i, c: c * x[i], x).sum(), x)[0])
    for n in (2, 3, 4, 3):
        x = leaf(3, seed=n)
        for one in (outside, outside.function):
            if n == 4:
                with pytest.raises(IndexError, match="index 3 is out of bounds for dimension 0 with size 3"):
                    one(x, wg.tensor(n))
            else:
                one(x, wg.tensor(n))


@pytest.mark.parametrize("counts", [(2, 0, 3, 0), (0, 2, 0, 3)])
def test_a_carry_without_a_graph_after_an_iteration(counts):
    captured = wg.capture(lambda x, n: func.fori_loop(0, n, lambda i, c: c.detach() * 2, x * 1))
    for n in counts:
        for _ in range(2):
            x = leaf(3, seed=n)
            found, expected = captured(x, wg.tensor(n)), captured.function(x, wg.tensor(n))
            assert found.requires_grad == expected.requires_grad
            assert facts_of(found) == facts_of(expected)


def test_bodies_that_differentiate():
    w = leaf(3, seed=2)

    def function(x):
        def body(i, c):
            return c * wg.autograd.grad((c * w).sin().sum(), w, create_graph=True)[0]

        y = func.fori_loop(0, 3, body, x)
        return y.detach() + 0, *wg.autograd.grad(y.sum(), [x, w])

    captured = wg.capture(function)
    for k in range(4):
        x = leaf(3, seed=k)
        assert facts_of(captured(x)) == facts_of(function(x))


def test_strides_of_the_last_carry_depend_on_the_number_of_iterations():
    """A carry of other strides has other kernels behind the loop, and so other bits: such a call is no replay."""
    weight = wg.randn(30, 30)

    def function(x, n):
        return func.fori_loop(0, n, lambda i, c: (c.t() + 0.1).tanh(), x) @ weight

    captured = wg.capture(function, quiet=True)
    for n in (2, 2, 4, 3, 3, 2, 0, 5):
        x = wg.randn(30, 30)
        assert captured(x, wg.tensor(n)).numpy().tobytes() == function(x, wg.tensor(n)).numpy().tobytes()


@pytest.mark.parametrize("counts", [(0, 0, 2, 2, 0, 3, 3, 1, 2, 2, 2), (2, 0, 3, 3, 2, 2)])
def test_a_guard_behind_a_loop_that_has_no_iteration(counts):
    def double(x, n):
        y = func.fori_loop(0, n, lambda i, c: (c + 1).tanh(), x)
        return y * 2 if float(y.sum()) > 0 else y

    captured = wg.capture(double, quiet=True)
    for n in counts:
        assert captured(wg.ones(2), wg.tensor(n)).tolist() == double(wg.ones(2), wg.tensor(n)).tolist()
    explanation = wg.replay.explain(captured)
    before = explanation.replays
    for _ in range(3):
        captured(wg.ones(2), wg.tensor(2))
    assert wg.replay.explain(captured).replays >= before + 2
