"""``cond`` in captured functions: one instruction that runs one of two bodies, beside eager runs."""

from __future__ import annotations

import warnings

import pytest
import wengert as wg
from wengert_replay.loops.unrolled import UNROLLED

from .test_loop_indices import facts_of, leaf, normal

func = wg.func


def check_same(function, calls, replays=None, branches=0):
    """Check that a captured function gives what the function gives in each call; return the names of its operations."""
    captured = wg.capture(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for args in calls:
            assert facts_of(captured(*args)) == facts_of(function(*args))
    found = wg.replay.explain(captured)
    assert found.replays == (len(calls) - 1 if replays is None else replays), found.reasons
    assert found.programs[-1].n_branches == branches
    return [step.name for step in found.programs[-1].steps]


def pairs(make=normal, count=8):
    return [(make(3, seed=k), make(3, seed=k + 50)) for k in range(count)]


FUNCTIONS = {
    "two functions": (lambda x, y: x * y, lambda x, y: (x - y).sin()),
    "an operand as it is": (lambda x, y: x, lambda x, y: y * 2),
    "a view": (lambda x, y: x.flip(0), lambda x, y: y[:3]),
    "several uses": (lambda x, y: x * x * y + y, lambda x, y: (x * y).exp() * x),
    "in place": (lambda x, y: (x * y).mul_(2), lambda x, y: (x + y).clone().add_(x)),
}


OPERANDS = ("an operand as it is", "a view")
"""Functions that give an operand's memory: the first call looks whether somebody writes to it."""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_predicate_chooses(name):
    def function(x, y):
        return func.cond((x * y).sum() > 0, *FUNCTIONS[name], x, y) * 2

    assert "cond" in check_same(function, pairs(), 6 if name in OPERANDS else 7)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients(name):
    w = leaf(3, seed=9)

    def function(x, y):
        z = func.cond((x * y).sum() > 0, *FUNCTIONS[name], x * w, y)
        return wg.autograd.grad((z * z).sum(), [x, y, w], allow_unused=True)

    alike = name in ("two functions", "several uses", "in place")
    captured = wg.capture(function)
    for args in pairs(leaf):
        assert facts_of(captured(*args)) == facts_of(function(*args))
    found = wg.replay.explain(captured)
    assert (found.replays, found.programs[-1].n_branches) == ((7, 0) if alike else (5, 1))
    assert ("cond_backward" in [step.name for step in found.programs[-1].steps]) == alike


def test_closures_and_parameters():
    w, factor = leaf(3, seed=9), normal(3, seed=10)

    def step(x):
        w.grad = None
        loss = func.cond(x[0] > 0, lambda: (w * x * factor).sum(), lambda: (w + x).exp().sum())
        loss.backward()
        return loss.detach(), w.grad.clone()

    captured = wg.capture(step)
    for k in range(8):
        factor.mul_(1.1)
        x = normal(3, seed=k)
        assert facts_of(captured(x)) == facts_of(step(x))
    found = wg.replay.explain(captured)
    assert found.replays >= 5
    assert all(one.n_branches == 0 for one in found.programs)


def test_results_with_a_graph():
    w = leaf(3, seed=9)
    captured = wg.capture(
        lambda x, y: func.cond(x.sum() > 0, lambda a, b: (a * b * w).sin(), lambda a, b: a * w - b, x, y)
    )
    for x, y in pairs(leaf):
        found, expected = ((f(x, y).exp() ** 2).sum() for f in (captured, captured.function))
        assert facts_of(wg.autograd.grad(found, [x, y, w])) == facts_of(wg.autograd.grad(expected, [x, y, w]))
    assert wg.replay.explain(captured).replays == 7


def test_gradients_of_gradients():
    def function(x, y):
        z = func.cond((x * y).sum() > 0, lambda a, b: (a * b).sin(), lambda a, b: a * a * b, x, y)
        (first,) = wg.autograd.grad(z.sum(), x, create_graph=True)
        return wg.autograd.grad((first * first).sum(), [x, y])

    captured = wg.capture(function)
    for args in pairs(leaf):
        wg.testing.assert_close(captured(*args), function(*args), rtol=1e-12, atol=1e-12)
    assert wg.replay.explain(captured).replays == 6


LOOPS = {
    "fori_loop": lambda body, x, n: func.fori_loop(0, n, body, x),
    "scan": lambda body, x, n: func.scan(lambda c, i: (body(i, c), c.sum()), x, wg.arange(6))[0],
    "while_loop": lambda body, x, n: func.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, body(s[0], s[1])),
                                                     (n * 0, x))[1],
    "nested": lambda body, x, n: func.fori_loop(0, n, lambda i, c: func.fori_loop(0, 2, body, c), x),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
def test_inside_of_loops(name):
    table = normal(9, 3, seed=4)

    def body(i, c):
        return func.cond(c.sum() > i, lambda a: a * 0.5 - table[i], lambda a: a + table[i : i + 3].sum(0) * i, c)

    calls = [(normal(3, seed=k), wg.tensor(n)) for k, n in enumerate((4, 2, 6, 1, 5, 0))]
    assert name in {*check_same(lambda x, n: LOOPS[name](body, x, n), calls), "nested"}


@pytest.mark.parametrize("count", [1, 5])
def test_gradients_inside_of_loops(count):
    def function(x, y):
        def step(c, i):
            c = func.cond(c.sum() > 0, lambda a: (a * y - i).sin(), lambda a: a + y * i, c)
            return c, c.sum()

        c, sums = func.scan(step, x, wg.arange(float(count), dtype=wg.float64))
        return wg.autograd.grad((c * c).sum() + sums.sum(), [x, y])

    assert "scan_backward" in check_same(function, pairs(leaf))


def test_conds_inside_of_conds():
    def inner(a):
        return func.cond(a[0] > 0, lambda a: a * 2, lambda a: func.cond(a[1] > 0, wg.sin, wg.cos, a), a)

    assert "cond" in check_same(lambda x, y: func.cond(x.sum() > 0, inner, lambda a: inner(-a) + y, x), pairs())


def test_a_function_that_calls_itself():
    def halve(x):
        return func.cond(x.abs().sum() > 1, lambda a: halve(a * 0.5), lambda a: a + 1, x)

    calls = [(wg.full((2,), size),) for size in (3.0, 0.1, 100.0, 7.0, 0.2, 3.0)]
    captured = wg.capture(halve)
    for args in calls * 2:
        assert facts_of(captured(*args)) == facts_of(halve(*args))


def test_random_numbers_are_those_of_the_chosen_function():
    def function(x):
        y = func.cond(x.sum() > 0, lambda a: a + wg.rand(3), lambda a: a * wg.randn(3) + wg.rand(3), x)
        return y + wg.rand(3)

    captured = wg.capture(function)
    for k in range(6):
        x = normal(3, seed=k).float()
        wg.manual_seed(k)
        expected, after = function(x), wg.rand(1)
        wg.manual_seed(k)
        assert captured(x).tolist() == expected.tolist()
        assert wg.rand(1).tolist() == after.tolist()
    assert wg.replay.explain(captured).replays == 5
    assert wg.replay.explain(captured).programs[0].n_branches == 0


def raise_error(x):
    return wg.linalg.cholesky(-(x * x).sum() * wg.eye(3, dtype=x.dtype))[0]


@pytest.mark.parametrize("other", [
    raise_error, lambda x: x[:2] * 2, lambda x: x.float(), lambda x: (x, x), lambda x: 1.0,
    lambda x: x.sum().item() * x, lambda x: x[x > 100], lambda x: wg.stack([x, x], 1)[:, 0],
])  # fmt: skip
def test_functions_that_are_not_alike_are_behind_a_guard(other):
    def function(x):
        found = func.cond(x.sum() > -1000, lambda x: x * 2, other, x)
        return found + 1

    assert "cond" not in check_same(function, [(normal(3, seed=k),) for k in range(4)], 3)


WEIGHT, COUNTS, CALLS = leaf(3), wg.zeros(3, dtype=wg.float64), []


def write(x):
    COUNTS.add_(1)
    return x * 2


def write_to_operand(x):
    return x.mul_(3)


def run_backward(x):
    (WEIGHT * x).sum().backward()
    return x * 2


def call_python(x):
    wg.compiler.disable(CALLS.append)(1)
    return x * 2


def write_in_a_loop(x):
    return func.fori_loop(0, 2, lambda i, c: COUNTS.add_(c) * 1, x)


@pytest.mark.parametrize("other", [write, write_to_operand, run_backward, call_python, write_in_a_loop])
def test_the_function_that_is_not_chosen_changes_nothing(other):
    def forget():
        WEIGHT.grad = None
        COUNTS.zero_()
        CALLS.clear()

    captured = wg.capture(lambda x: func.cond(x.sum() > 0, lambda x: x * 2, other, x), quiet=True)
    forget()
    for k in range(3):
        x = normal(3, seed=k).abs()
        assert captured(x).tolist() == (x * 2).tolist()
    assert (WEIGHT.grad, COUNTS.tolist(), CALLS) == (None, [0.0] * 3, [])
    results = []
    for one in (captured, captured.function):
        x = -normal(3).abs()
        results.append((one(x).tolist(), x.tolist(), COUNTS.tolist(), len(CALLS)))
        forget()
    assert results[0] == results[1]


def test_numbers_among_results():
    captured = wg.capture(lambda x: func.cond(x.sum() > 0, lambda x: (x, 3, None), lambda x: (x * 2, 3, None), x))
    for k in range(4):
        x = normal(3, seed=k)
        found, expected = captured(x), captured.function(x)
        assert found[0].tolist() == expected[0].tolist()
        assert found[1:] == (3, None)
    assert wg.replay.explain(captured).replays == 2  # the result may be the argument itself: a branch for each


def test_errors_of_the_chosen_function():
    def function(x, index):
        return func.cond(index.sum() > 1, lambda x: x.gather(0, index), lambda x: x * 2, x)

    captured = wg.capture(function)
    x = wg.arange(3.0)
    for last in (1, 0, 7, 1, 7, 0):
        index = wg.tensor([0, 0, last])
        if last == 7:
            for one in (function, captured):
                with pytest.raises(RuntimeError, match="index 7 is out of bounds for dimension 0 with size 3"):
                    one(x, index)
        else:
            assert captured(x, index).tolist() == function(x, index).tolist()


def test_predicates_of_every_kind():
    for predicate in (lambda x: x.sum() > 0, lambda x: (x.sum() > 0).reshape(1, 1), lambda x: (x[0] > 0).int(),
                      lambda x: x[0].clamp(min=0), lambda x: wg.complex(x[0].clamp(min=0), x[1] * 0)):  # fmt: skip
        UNROLLED.clear()
        check_same(lambda x, p=predicate: func.cond(p(x), wg.sin, wg.cos, x), [(normal(3, seed=k),) for k in range(6)])
    assert check_same(lambda x: func.cond(True, wg.sin, wg.cos, x), [(normal(3),)] * 3) == ["sin"]


def test_transforms_around_and_inside():
    def choose(x):
        return func.cond(x.sum() > 0, lambda x: x.sin().sum(), lambda x: (x * x).sum(), x)

    def function(x):
        return func.grad(choose)(x), func.jvp(choose, (x,), (x,))[1], wg.vmap(choose)(wg.stack([x, -x])), \
            func.cond(x[0] > 0, func.grad(choose), lambda x: x * 2, x)  # fmt: skip

    captured = wg.capture(function)
    for k in range(8):
        x = normal(3, seed=k)
        assert facts_of(captured(x)) == facts_of(function(x))
    assert wg.replay.explain(captured).replays >= 4


def test_validation():
    rate = [2.0]
    captured = wg.capture(lambda x: func.cond(x.sum() > 0, lambda x: x * rate[0], wg.sin, x), validate=True)
    x = normal(3).abs()
    for one in (x, -x, x, -x):
        captured(one)
    assert wg.replay.explain(captured).replays == 3
    rate[0] = 3.0
    captured(-x)
    with pytest.raises(wg.replay.ReplayDiffersError):
        captured(x)


def test_printing():
    captured = wg.capture(lambda x: func.cond(x.sum() > 0, wg.sin, wg.cos, x))
    captured(wg.ones(3))
    lines = [line.split("  #")[0] for line in str(wg.replay.explain(captured).programs[0]).splitlines()]
    assert lines[-5:] == ["%3 = cond(%2, a0): float32[3]  [choice]", "    if true:", "    %0 = sin(w0): float32[3]",
                          "    if false:", "    %0 = cos(w0): float32[3]"]  # fmt: skip


@pytest.mark.parametrize("derive", [lambda w: w + 1, lambda w: w * w, lambda w: w[:], lambda w: func.cond(
    w.sum() > 0, lambda a: a * 2, lambda a: a * 3, w)])  # fmt: skip
@pytest.mark.parametrize("is_body", [False, True])
def test_gradients_of_tensors_from_outside_one_of_which_is_computed_from_the_other(derive, is_body):
    weight = wg.tensor([0.5, -0.25, 1.0], requires_grad=True)

    def choose(x, w):
        v = derive(w)
        return func.cond(x.sum() > 0, lambda a: a * v + w, lambda a: a - v * w, x)

    def differentiate(x):
        if is_body:
            y, _ = func.scan(lambda c, row: (choose(row + c.sum(), c) * 0.5, None), weight, wg.stack([x, x]))
        else:
            y = choose(x, weight)
        return wg.autograd.grad(y.sum(), weight)[0]

    captured = wg.capture(differentiate, quiet=True)
    for factor in (1.0, 1.0, -1.0, 2.0, -2.0):
        x = wg.tensor([1.0, 2.0, 3.0]) * factor
        assert captured(x).tolist() == differentiate(x).tolist()
    assert wg.replay.explain(captured).replays
