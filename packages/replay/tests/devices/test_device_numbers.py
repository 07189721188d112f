"""Numbers that Python reads in functions that are captured on a device: each call beside an eager one."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from sim_graphs import SIM, on_sim
from wengert_core.extend import rng_states

explain = wg.replay.explain


def numbers_of(value):
    """Facts that can be seen of a result or of state."""
    if isinstance(value, wg.Tensor):
        grad = None if not value.is_leaf or value.grad is None else value.grad.tolist()
        return value.tolist(), value.dtype, value._version, value.requires_grad, grad
    return [numbers_of(one) for one in value] if isinstance(value, (tuple, list)) else value


def attempt(function, *args):
    try:
        return function(*args)
    except (ValueError, RuntimeError, IndexError) as error:
        return type(error).__name__, str(error)


class State:
    """Tensors from outside, and generators."""

    def __init__(self):
        wg.manual_seed(3)
        self.w = on_sim([1.0, 2.0])
        self.p = on_sim([0.5, -1.0], requires_grad=True)
        self.flag = wg.Generator(device="sim").manual_seed(5)

    def numbers(self):
        drawn = [state.tolist() for _, state in rng_states()]
        return numbers_of([self.w, self.p]), drawn, self.flag.get_state().tolist()


def check(make, calls, replays, reason="", **options):
    """Compare calls of a captured function with eager ones. make: gives it for a state; calls: of their arguments."""
    seen = []
    for is_captured in (False, True):
        state = State()
        function = make(state)
        run = wg.capture(function, quiet=True, **options) if is_captured else function
        rows = []
        for call in calls:
            args = [on_sim(one) if isinstance(one, list) else one for one in call]
            result = attempt(run, *args)
            rows.append((numbers_of(result) if is_error(result) else without_versions(result), numbers_of(args),
                         state.numbers()))  # fmt: skip
        seen.append(rows)
    for k, (eager, captured) in enumerate(zip(*seen, strict=True)):
        assert repr(captured) == repr(eager), k  # NaN is not equal to NaN
    found = explain(run)
    assert found.replays >= replays, found
    assert any(reason in one for one in found.reasons) if reason else not found.reasons, found
    return found


def is_error(result):
    return isinstance(result, tuple) and len(result) == 2 and isinstance(result[0], str)


def without_versions(result):
    """A result; versions of new tensors begin with 0 in a replay."""
    if isinstance(result, wg.Tensor):
        return result.tolist(), result.dtype, result.requires_grad
    return [without_versions(one) for one in result] if isinstance(result, (tuple, list)) else result


POSITIVE, NEGATIVE = ([1.0, 2.0],), ([-1.0, -4.0],)
MIXED = [POSITIVE, POSITIVE, NEGATIVE, POSITIVE, NEGATIVE, NEGATIVE, POSITIVE]


@pytest.mark.parametrize("validate", [False, True])
@pytest.mark.parametrize("read", [
    lambda t: bool(t.sum() > 0), lambda t: t.sum().item() > 0, lambda t: t.tolist()[0] > 0, lambda t: int(t[0]) > 0,
    lambda t: float(t.sum()) > 0, lambda t: (t > 0).any(), lambda t: t.equal(t.abs()), lambda t: t.cpu()[0].item() > 0,
    lambda t: t.amax() > 0, lambda t: complex(t[0]).real > 0, lambda t: t.bfloat16()[1].item() > 0,
    lambda t: t.double().t().tolist()[1] > 0, lambda t: wg.is_nonzero(t.sum() > 0), lambda t: 1.0 in t,
])  # fmt: skip
def test_ways_of_reading(read, validate):
    check(lambda s: lambda x: x * 2 if read(x * 3) else x - 1, MIXED, 3, validate=validate)


def test_what_is_outside_is_written_once():
    def make(s):
        def function(x):
            s.w.add_(x)
            s.w.data.mul_(2)
            if x.sum() > 0:
                s.w.sub_(1)
            y = s.w * 2
            if y.sum() > 10:
                s.w.mul_(0.5)
            return y

        return function

    check(make, MIXED + MIXED, 5)


def test_gradients():
    def make(s):
        def step(x):
            loss = (s.p * x).square().sum()
            loss.backward()
            if loss > 3:
                s.p.grad.mul_(0.1)
            with wg.no_grad():
                s.p.sub_(0.1 * s.p.grad)
            if s.p.grad.abs().sum() > 5:
                s.p.grad = None
            return loss.detach()

        return step

    check(make, MIXED + MIXED, 4)


def test_random_numbers():
    def make(s):
        def function(x):
            y = x + wg.rand(2, device="sim")
            if y.sum() > 0:
                y = y * wg.rand(2, device="sim", generator=s.flag)
            elif (y + wg.rand(2, device="sim") > -3).all():
                return y
            return y + wg.randn(2, device="sim")

        return function

    check(make, [*MIXED, *MIXED, ([-1.5, -1.5],), ([-1.0, -0.5],)], 5)


def test_arguments_that_are_written():
    def make(s):
        def function(x):
            x.add_(1)
            if x.sum() > 0:
                x.mul_(2)
            return x.sum() + 1

        return function

    check(make, MIXED, 3)


def test_errors_of_the_function():
    def make(s):
        def function(x):
            s.w.add_(x)
            (s.p * x).sum().backward()
            if x.sum() < 0:
                raise ValueError("negative")
            return s.w * 2

        return function

    check(make, MIXED, 2)


def test_errors_that_the_function_catches():
    def make(s):
        def function(x):
            try:
                if x[0].item() > 0:
                    raise ValueError("positive")
                y = x @ wg.ones(3, device="sim")
            except (ValueError, RuntimeError) as error:
                y = x * len(str(error))
            return y

        return function

    check(make, MIXED, 3)


def test_newtons_method():
    def make(s):
        def root(x):
            y, n = x * 1, 0
            while ((y * y - x).abs() > 1e-5).any():
                y, n = (y + x / y) / 2, n + 1
            return y, n

        return root

    values = (2.0, 3.0, 2.0, 9.0, 100.0, 3.0, 2.0, 100.0)
    check(make, [([value, 2.0],) for value in values], 3)


def test_views_of_arguments_and_arguments_themselves_are_results():
    check(lambda s: lambda x: (x, x[1:]) if x[0] > 0 else x[:1], MIXED, 3)


def test_outside_tensors_are_read_where_they_are():
    def make(s):
        def function(x):
            if s.w[0] > 3:
                s.w.zero_()
            s.w.add_(1)
            return x * 2

        return function

    check(make, [POSITIVE] * 9, 6)


def test_a_tensor_that_is_replaced_is_seen():
    values = iter([5.0, 5.0, 5.0, 0.0, 0.0, 5.0])
    box = [on_sim(5.0)]
    run = wg.capture(lambda x: x * 2 if box[0].item() > 3 else x * 3, quiet=True)
    for value in values:
        box[0] = on_sim(value)
        assert run(on_sim([1.0])).tolist() == ([2.0] if value > 3 else [3.0])


def test_a_number_that_differs_in_each_call():
    run = wg.capture(lambda x: x * x.sum().item())
    with pytest.warns(RuntimeWarning, match="a number that Python reads differs in each call"):
        found = [run(on_sim([k, 1.0])).tolist() for k in range(12)]
    assert found == [[k * (k + 1), k + 1] for k in range(12)]
    assert explain(run).replays == 0


def test_ways_are_bounded():
    def function(x):
        total = x * 0
        for k in range(6):
            total = total + (x if x[k] > 0 else -x)
        return total

    run = wg.capture(function, max_branches=5)
    rows = [[1.0 if number >> k & 1 else -1.0 for k in range(6)] for number in range(12)]
    with pytest.warns(RuntimeWarning, match="programs for 5 ways"):
        found = [run(on_sim(row)).tolist() for row in [*rows, *rows]]
    assert found == [function(on_sim(row)).tolist() for row in [*rows, *rows]]
    assert explain(run).replays >= 4


def test_numbers_of_another_stream_run_as_usual():
    side = SIM["Stream"]()

    def make(s):
        def function(x):
            here = SIM["current_stream"]()
            side.wait_stream(here)
            with SIM["stream"](side):
                y = x * 2
                try:
                    is_positive = bool(y[0] > 0)
                except RuntimeError:
                    is_positive = None
            here.wait_stream(side)
            return y if is_positive else y - 1

        return function

    check(make, MIXED, 0, "numbers are read where the capture cannot end")


def test_work_of_another_stream_that_is_waited_for():
    side = SIM["Stream"]()

    def make(s):
        def function(x):
            here = SIM["current_stream"]()
            side.wait_stream(here)
            with SIM["stream"](side):
                y = x * 2
            here.wait_stream(side)
            return y if y[0] > 0 else y - 1

        return function

    check(make, MIXED, 3)


def test_numbers_of_another_device_run_as_usual():
    other = wg.ones(1, device="sim:1")
    reason = "another device"
    check(lambda s: lambda x: x * 2 if other.item() > 0 else x, MIXED, 0, reason)


def test_python_functions_behind_a_number_run_as_usual():
    calls = []

    def make(s):
        @wg.compiler.disable
        def count():
            calls.append(1)
            return 3.0

        return lambda x: x * count() if x[0] > 0 else x

    check(make, MIXED, 0, "a Python function is called inside of it, behind a number")
    assert len(calls) == 2 * 4 + 1  # the call that shows it


def test_memory_is_let_go():
    run = wg.capture(lambda x: (x * 2 if x.sum() > 0 else x - 1) + box[0])
    box = [on_sim([1.0, 2.0])]
    for (values,) in MIXED:
        run(on_sim(values))
    dead = weakref.ref(box.pop())
    gc.collect()
    assert dead() is None
    explain(run)
    memory = SIM["memory_allocated"]()
    box.append(on_sim([3.0, 4.0]))
    for (values,) in MIXED * 3:
        assert run(on_sim(values)).tolist()[0] == (2 * values[0] if values[0] > 0 else values[0] - 1) + 3
    assert SIM["memory_allocated"]() < memory + 10000


def test_threads():
    run = wg.capture(lambda x: x * 2 if x.sum() > 0 else x - 1)
    failures = []

    def work():
        for k in range(30):
            value = float(k % 3 - 1)
            expected = 2 * value if value > 0 else value - 1
            found = run(on_sim([value])).tolist()
            if found != [expected]:
                failures.append((value, found))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not failures


STEPS = {
    "write": lambda s, x: (s.w.add_(x), x)[1],
    "data": lambda s, x: (s.w.data.mul_(0.5), x)[1],
    "detached": lambda s, x: (s.w.detach().sub_(x), x)[1],
    "view": lambda s, x: (s.w[0].mul_(2), x)[1],
    "out": lambda s, x: (wg.add(s.w, x, out=s.w), x)[1],
    "slice": lambda s, x: (s.w.__setitem__(slice(1), x[1:]), x)[1],
    "argument": lambda s, x: x.add_(1) * 1,
    "random": lambda s, x: x + wg.rand(2, device="sim"),
    "generator": lambda s, x: x * wg.rand(2, device="sim", generator=s.flag),
    "noise": lambda s, x: (s.w.normal_(), x)[1],
    "backward": lambda s, x: ((s.p * x.detach()).square().sum().backward(), x)[1],
    "no gradient": lambda s, x: (setattr(s.p, "grad", None), x)[1],
    "update": lambda s, x: (s.update(), x)[1],
    "from outside": lambda s, x: x + s.w,
    "reshape": lambda s, x: x.flip(0) * 2,
}  # fmt: skip
READS = {
    "sign": lambda s, x: x.sum() > 0,
    "outside": lambda s, x: s.w[0].item() > 1,
    "gradient": lambda s, x: s.p.grad is not None and bool(s.p.grad.sum() > 0),
    "parameter": lambda s, x: s.p.tolist()[0] > 0,
    "all": lambda s, x: (x < 3).all(),
    "error": lambda s, x: fail() if x[0] > 40 else False,
}  # fmt: skip


def fail():
    raise ValueError("too large")


class RandomState(State):
    def update(self):
        with wg.no_grad():
            self.p.sub_(0.1 * self.p if self.p.grad is None else self.p.grad.clamp(-1, 1))


STEP = st.sampled_from(sorted(STEPS))
BLOCK = st.lists(STEP, max_size=3)
PROGRAM = st.lists(st.tuples(BLOCK, st.sampled_from(sorted(READS)), BLOCK, BLOCK), min_size=1, max_size=3)
VALUE = st.sampled_from([-3.0, -1.0, 0.5, 2.0, 50.0])


@settings(max_examples=60, deadline=None)
@given(PROGRAM, st.lists(st.lists(VALUE, min_size=2, max_size=2), min_size=4, max_size=8), st.booleans())
def test_random_programs(program, calls, validate):
    def make(s):
        def function(x):
            y = x * 1
            for before, read, then, otherwise in program:
                for name in before:
                    y = STEPS[name](s, y)
                for name in then if READS[read](s, y) else otherwise:
                    y = STEPS[name](s, y)
            return y.detach() * 1

        return function

    seen = []
    for is_captured in (False, True):
        state = RandomState()
        run = wg.capture(make(state), quiet=True, validate=validate) if is_captured else make(state)
        rows = []
        for values in calls * 2:
            x = on_sim(values)
            result = attempt(run, x)
            rows.append((result if is_error(result) else without_versions(result), numbers_of(x), state.numbers()))
        seen.append(rows)
    for k, (eager, captured) in enumerate(zip(*seen, strict=True)):
        assert repr(captured) == repr(eager), k  # NaN is not equal to NaN
