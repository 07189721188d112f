"""Functions on a device that read numbers, and whose results have a graph: calls and gradients beside eager ones."""

from __future__ import annotations

import gc
import weakref

import pytest
import wengert as wg
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from sim_graphs import SIM, on_sim

explain = wg.replay.explain


class State:
    """Tensors from outside, and a generator."""

    def __init__(self):
        wg.manual_seed(3)
        self.w = on_sim([[1.0, -2.0], [0.5, 1.5]], requires_grad=True)
        self.b = on_sim([0.5, -1.0], requires_grad=True)
        self.mean = on_sim([0.0, 1.0])
        self.count = on_sim(0)
        self.generator = wg.Generator(device="sim").manual_seed(5)

    def facts(self):
        grads = [None if one.grad is None else one.grad.tolist() for one in (self.w, self.b)]
        versions = [one._version for one in (self.w, self.b, self.mean, self.count)]
        drawn = wg.get_rng_state().tolist(), self.generator.get_state().tolist()
        return self.w.tolist(), self.b.tolist(), self.mean.tolist(), self.count.tolist(), grads, versions, drawn


def before(s, x):
    if x.sum() > 0:
        return (x @ s.w + s.b).tanh()
    return (x * s.b).exp()


def behind(s, x):
    y = (x @ s.w + s.b).tanh()
    return y.sum() if y[0] > 0 else y.square().sum()


def between(s, x):
    y = x @ s.w
    z = y * 2 if (y > 0).any() else y - 1
    if z.sum().item() > 3:
        z = z * s.b
    return z, y.sum()


def noisy(s, x):
    y = x + wg.rand(2, device="sim")
    if y.sum() > 0:
        y = y * s.b * wg.rand(2, device="sim", generator=s.generator)
    return (wg.nn.functional.dropout(y, 0.5) @ s.w).sin()


def counting(s, x):
    s.mean.mul_(0.5).add_(x.detach(), alpha=0.5)
    s.count.add_(1)
    y = (x - s.mean) * s.b
    if s.mean.sum() > 0:
        s.mean.data.sub_(0.25)
        y = y @ s.w
    s.count.add_(1)
    return y.sum() + s.mean.sum()


def on_the_host(s, x):
    y = x @ s.w
    numbers = y.detach().sign().cpu()
    return y.sum() if numbers[0] > 0 else (y * s.b).sum()


FUNCTIONS = [before, behind, between, noisy, counting, on_the_host]
POSITIVE, NEGATIVE, MIXED = [1.0, 2.0], [-1.0, -4.0], [2.0, -0.5]
ROWS = [POSITIVE, POSITIVE, POSITIVE, NEGATIVE, POSITIVE, NEGATIVE, NEGATIVE, MIXED, MIXED, MIXED, POSITIVE, NEGATIVE]


def total(result):
    if isinstance(result, tuple):
        return sum((one.sum() for one in result[1:]), result[0].sum())
    return result.sum()


def values(result):
    if isinstance(result, tuple):
        return [values(one) for one in result]
    return result.tolist(), result.requires_grad


def compare(function, run_all, replays):
    """Compare what run_all gives for a function that is captured with what it gives for the function."""
    seen = []
    for is_captured in (False, True):
        s = State()
        run = wg.capture(lambda x: function(s, x)) if is_captured else lambda x: function(s, x)  # noqa: B023
        seen.append(list(run_all(s, run)))
    for k, (eager, captured) in enumerate(zip(*seen, strict=True)):
        assert repr(captured) == repr(eager), k  # NaN is not equal to NaN
    found = explain(run)
    assert found.replays >= replays, found
    return found


@pytest.mark.parametrize("has_gradient", [False, True])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_backward_behind_each_call(function, has_gradient):
    def run_all(s, run):
        for row in ROWS:
            x = on_sim(row, requires_grad=has_gradient)
            result = run(x)
            total(result).backward()
            yield values(result), x.grad if x.grad is None else x.grad.tolist(), s.facts()
            with wg.no_grad():
                s.b.sub_(0.01 * s.b.grad) if s.b.grad is not None else None

    found = compare(function, run_all, 5)
    assert not found.reasons, found


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2], [2, 2, 0, 0]])
@pytest.mark.parametrize("function", [before, behind, between, noisy, on_the_host])
def test_several_calls_before_their_backwards(function, order):
    def run_all(s, run):
        for turn in range(5):
            rows = [POSITIVE, NEGATIVE, POSITIVE, [0.5 * turn, -1.0]]
            inputs = [on_sim(row, requires_grad=True) for row in rows]
            results = [run(x) for x in inputs]
            for k in order:
                total(results[k]).backward(retain_graph=order.count(k) > 1)
            yield list(map(values, results)), [None if x.grad is None else x.grad.tolist() for x in inputs], s.facts()

    compare(function, run_all, 5)


@pytest.mark.parametrize("function", [before, behind, between])
def test_derivatives_of_derivatives(function):
    def run_all(s, run):
        for row in ROWS:
            x = on_sim(row, requires_grad=True)
            (first,) = wg.autograd.grad(total(run(x)), x, create_graph=True)
            found = wg.autograd.grad((first * first).sum() + x.sum(), [x, s.w], allow_unused=True)
            yield first.tolist(), [None if one is None else one.tolist() for one in found], s.facts()

    compare(function, run_all, 5)


def test_ways_with_and_without_a_graph():
    def function(s, x):
        return (x * s.b).sum() if x[0] > 0 else x * 2

    def run_all(s, run):
        for row in ROWS:
            result = run(on_sim(row))
            if result.requires_grad:
                result.backward()
            yield values(result), s.facts()

    compare(function, run_all, 5)


def test_calls_without_gradients_in_between():
    def run_all(s, run):
        for k, row in enumerate(ROWS * 2):
            with wg.set_grad_enabled(k % 3 != 0):
                result = run(on_sim(row))
            if k % 3 == 1:
                total(result).backward()
            yield values(result), s.facts()

    compare(between, run_all, 8)


def test_state_of_python_that_changes_the_number_is_an_error():
    factor = [1.0]
    w = on_sim([1.0, 2.0], requires_grad=True)
    run = wg.capture(lambda x: (x * w).sum() if (x * factor[0]).sum() > 0 else (w - x).sum())
    x = on_sim(POSITIVE)
    run(x)
    result = run(x)
    factor[0] = -1.0
    with pytest.raises(RuntimeError, match="gives other results when backward runs it again"):
        result.backward()
    assert w.grad is None
    factor[0] = 1.0
    result = run(x)
    result.backward()
    assert w.grad.tolist() == POSITIVE


def test_an_error_of_the_function_behind_a_number():
    def function(s, x):
        s.mean.add_(1)
        y = x * s.b
        if y.sum() > 10:
            raise ValueError("large")
        return y.sum()

    def run_all(s, run):
        for row in ([1.0, 1.0], [1.0, 1.0], [100.0, 1.0], [1.0, 1.0], [100.0, 1.0], [2.0, 1.0]):
            try:
                result = run(on_sim(row))
                result.backward()
            except ValueError as error:
                result = on_sim(len(str(error)))
            yield values(result), s.facts()

    compare(function, run_all, 2)


def test_a_write_between_a_call_and_its_backward_is_an_error():
    s = State()
    run = wg.capture(lambda x: before(s, x))
    for k in range(6):
        result = run(on_sim(POSITIVE))
        if k % 2:
            with wg.no_grad():
                s.w.add_(1)
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                result.sum().backward()
        else:
            result.sum().backward()


def test_memory_goes_with_its_call():
    s = State()
    run = wg.capture(lambda x: behind(s, x))
    for row in ROWS:
        run(on_sim(row)).backward()
    memory = SIM["memory_allocated"]()
    for row in ROWS * 5:
        run(on_sim(row)).backward()
        run(on_sim(row))
    gc.collect()
    assert SIM["memory_allocated"]() == memory
    gone = weakref.ref(explain(run).programs[0])
    del run
    gc.collect()
    assert gone() is None
    assert SIM["memory_allocated"]() < memory


STEPS = {
    "product": lambda s, x: x @ s.w, "bias": lambda s, x: x + s.b, "tanh": lambda s, x: x.tanh(),
    "dropout": lambda s, x: wg.nn.functional.dropout(x, 0.5), "own": lambda s, x: x * wg.rand(2, device="sim",
                                                                                           generator=s.generator),
    "statistics": lambda s, x: (s.mean.add_(x.detach()), x)[1], "read": lambda s, x: x - s.mean.detach().clone(),
    "count": lambda s, x: (s.count.add_(1), x)[1], "view": lambda s, x: wg.stack([x[1], x[0] * 2]),
    "detach": lambda s, x: x * x.detach(), "in place": lambda s, x: (x * 1).mul_(s.b),
}  # fmt: skip
READS = {
    "sign": lambda s, x: x.sum() > 0, "any": lambda s, x: (x.detach() > 1).any(), "mean": lambda s, x: s.mean[0] > 1,
    "count": lambda s, x: s.count.item() % 2 == 1, "weight": lambda s, x: s.w[0, 0].item() > 0.9,
    "never": lambda s, x: False,
}  # fmt: skip
BLOCK = st.lists(st.sampled_from(sorted(STEPS)), max_size=3)
PROGRAM = st.lists(st.tuples(BLOCK, st.sampled_from(sorted(READS)), BLOCK, BLOCK), min_size=1, max_size=3)
ROW = st.lists(st.sampled_from([-3.0, -1.0, 0.5, 2.0]), min_size=2, max_size=2)
CALLS = st.lists(st.tuples(ROW, st.sampled_from(["now", "later", "never", "twice"])), min_size=4, max_size=9)


@settings(max_examples=60, deadline=None, phases=[Phase.generate])  # to shrink an example takes minutes
@given(PROGRAM, CALLS, st.booleans())
def test_random_programs(program, calls, has_gradient):
    def function(s, x):
        y = x
        for ahead, read, then, otherwise in program:
            for name in ahead:
                y = STEPS[name](s, y)
            for name in then if READS[read](s, y) else otherwise:
                y = STEPS[name](s, y)
        return (y * s.b).sum()

    names = {name for row in program for part in (row[0], row[2], row[3]) for name in part}
    writes = not names.isdisjoint({"statistics", "count"})  # which an earlier call's backward may have read

    def run_all(s, run):
        waiting = []
        for row, when in calls:
            x = on_sim(row, requires_grad=has_gradient)
            result = run(x)
            waiting += [result] if when == "later" and not writes else []
            for _ in range({"now": 1, "twice": 2}.get(when, 0)):
                result.backward(retain_graph=True)
            yield values(result), x.grad if x.grad is None else x.grad.tolist(), s.facts()
        for result in reversed(waiting):
            result.backward()
            yield s.facts()

    compare(function, run_all, 0)
