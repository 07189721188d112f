"""Calls of a captured function before their backwards: what each backward reads is kept, and nothing is run twice."""

from __future__ import annotations

import gc

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert_core import memory

explain = wg.replay.explain


def weights():
    wg.manual_seed(3)
    return [wg.randn(4, 4, requires_grad=True), wg.randn(3, 4, requires_grad=True)]


def cell(h, x, w, u):
    return (h @ w + x @ u).tanh() * (x.sum() + h).sigmoid()


def run_loop(function, parameters, length, start=0.5):
    """A recurrent network: its result, and gradients of parameters and of the inputs."""
    xs = [wg.full((2, 3), 0.1 * k + start).requires_grad_() for k in range(length)]
    h = wg.zeros(2, 4)
    for x in xs:
        h = function(h, x, *parameters)
    gradients = wg.autograd.grad((h * h).sum(), [*parameters, *xs])
    return h, gradients


def same(one, other):
    return one.detach().numpy().tobytes() == other.detach().numpy().tobytes() and one.shape == other.shape


@pytest.mark.parametrize("length", [1, 2, 30])
def test_a_loop_of_calls_has_the_gradients_of_an_eager_loop(length):
    parameters = weights()
    captured = wg.capture(cell)
    for k in range(5):
        h, found = run_loop(captured, parameters, length, 0.1 * k)
        twin, expected = run_loop(cell, parameters, length, 0.1 * k)
        assert same(h, twin)
        assert all(same(one, other) for one, other in zip(found, expected, strict=True))


def test_no_call_of_a_loop_is_run_twice():
    parameters = weights()
    captured = wg.capture(cell)
    for _ in range(3):
        run_loop(captured, parameters, 20)
    runs = explain(captured).replays
    before = [one.reruns for one in explain(captured).programs]
    run_loop(captured, parameters, 20)
    assert explain(captured).replays == runs + 20
    assert [one.reruns for one in explain(captured).programs] == before


def test_backwards_in_any_order():
    f = wg.capture(lambda x: x.exp() * x)
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]):
        xs = [wg.tensor([0.1 * k, 1.0], requires_grad=True) for k in range(4)]
        ys = [f(x) for x in xs]
        for k in order:
            ys[k].sum().backward()
            twin = xs[k].detach().requires_grad_()
            (twin.exp() * twin).sum().backward()
            assert same(xs[k].grad, twin.grad)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.booleans()), max_size=25))
def test_calls_and_backwards_in_any_order_and_number(steps):
    """Each step calls the function again, or asks for gradients of a call (keeping its graph or not), or drops it."""
    w = wg.tensor([0.5, 1.5], requires_grad=True)

    def plain(x):
        return (x * w).sin() * x, (x * 2).exp()

    f, held = wg.capture(plain), {}
    for number, (slot, asks, keeps) in enumerate(steps):
        if slot not in held:
            x = wg.tensor([0.1 * number, 1.0], requires_grad=True)
            held[slot] = x, f(x), plain(x)
        elif asks:
            x, got, expected = held[slot]
            pairs = [wg.autograd.grad(sum(one.sum() for one in ys), [x, w], retain_graph=keeps)
                     for ys in (got, expected)]  # fmt: skip
            assert all(same(one, other) for one, other in zip(*pairs, strict=True))
            if not keeps:
                del held[slot]
        else:
            del held[slot]


def test_a_kept_graph_of_many_calls_is_run_again_once_only():
    parameters = weights()
    captured = wg.capture(cell)
    for _ in range(3):
        run_loop(captured, parameters, 5)
    h = wg.zeros(2, 4)
    for k in range(5):
        h = captured(h, wg.full((2, 3), 0.1 * k).requires_grad_(), *parameters)
    rows = [wg.autograd.grad(h[0, k % 4], parameters, retain_graph=True) for k in range(3)]
    counts = [one.reruns for one in explain(captured).programs]
    rows += [wg.autograd.grad(h[0, k % 4], parameters, retain_graph=True) for k in range(3)]
    assert [one.reruns for one in explain(captured).programs] == counts
    for one, other in zip(rows[:3], rows[3:], strict=True):
        assert all(same(a, b) for a, b in zip(one, other, strict=True))


def test_copies_go_with_their_graphs():
    f = wg.capture(lambda x: (x.exp() * x).sum())
    x = wg.ones(100_000, requires_grad=True)
    for _ in range(3):
        f(x).backward()
        x.grad = None
    gc.collect()
    before = memory.stats()["bytes_in_use"]
    ys = [f(x) for _ in range(4)]
    during = memory.stats()["bytes_in_use"]
    del ys
    gc.collect()
    after = memory.stats()["bytes_in_use"]
    assert during - before > 1_000_000
    assert after == before


def test_a_parameter_that_changes_between_calls_and_backward_is_an_error():
    parameters = weights()
    captured = wg.capture(cell)
    for _ in range(3):
        run_loop(captured, parameters, 3)
    h = wg.zeros(2, 4)
    for _ in range(3):
        h = captured(h, wg.ones(2, 3), *parameters)
    with wg.no_grad():
        parameters[0].mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        h.sum().backward()


def test_a_tensor_from_outside_that_backward_reads_may_not_change_between():
    scale = wg.tensor([1.0, 2.0])
    f = wg.capture(lambda x: (x * scale).sum())
    xs = [wg.ones(2, requires_grad=True) for _ in range(3)]
    for x in xs:
        f(x).backward()
        x.grad = None
    first, second = f(xs[0]), f(xs[1])
    scale.mul_(2)
    for y in (second, first):
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.backward()
