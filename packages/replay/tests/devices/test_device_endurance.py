"""Captured functions on a device under stress: streams, threads, autocast, views of arguments, many replays."""

from __future__ import annotations

import gc
import threading

import pytest
import wengert as wg
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from sim_graphs import SIM, on_sim

explain = wg.replay.explain


# ---- streams


def aside(s, y, k):
    """Compute on another stream, and wait for it."""
    here = SIM["current_stream"]()
    side = s.streams[k]
    side.wait_stream(here)
    with SIM["stream"](side):
        z = y * 2 + s.w
        y.record_stream(side)
    here.wait_stream(side)
    z.record_stream(here)
    return z


def by_event(s, y, k):
    here = SIM["current_stream"]()
    side = s.streams[k]
    before = here.record_event()
    side.wait_event(before)
    with SIM["stream"](side):
        z = (y - s.w).sin()
        behind = side.record_event()
    y.record_stream(side)
    u = y.cos()
    here.wait_event(behind)
    z.record_stream(here)
    return z + u


def writes_aside(s, y, k):
    here = SIM["current_stream"]()
    side = s.streams[k]
    side.wait_stream(here)
    with SIM["stream"](side):
        s.total.add_(y.detach())
    y.record_stream(side)
    here.wait_stream(side)
    return y + s.total.detach()


STEPS = {
    "aside": aside, "event": by_event, "write": writes_aside, "own": lambda s, y, k: y * s.w,
    "sum": lambda s, y, k: y - y.sum(),
    "random": lambda s, y, k: y + wg.rand(3, device="sim"), "in place": lambda s, y, k: (y * 1).mul_(s.w),
    "number": lambda s, y, k: y * 2 if y.sum() > 0 else y - 1,
}  # fmt: skip


class State:
    def __init__(self):
        wg.manual_seed(3)
        self.w, self.total = on_sim([1.0, -2.0, 0.5], requires_grad=True), wg.zeros(3, device="sim")
        self.streams = [SIM["Stream"](), SIM["Stream"]()]

    def facts(self):
        grad = None if self.w.grad is None else self.w.grad.tolist()
        return grad, self.total.tolist(), self.total._version, wg.rand(1, device="sim").item()


PROGRAM = st.lists(st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 1)), min_size=1, max_size=6)


@settings(max_examples=40, deadline=None, phases=[Phase.generate])  # to shrink an example takes minutes
@given(PROGRAM, st.sampled_from(["no gradient", "inside", "outside"]), st.booleans())
def test_random_programs_with_streams(program, kind, is_aside):
    def function(s, x):
        y = x
        for name, k in program:
            y = STEPS[name](s, y, k)
        if kind == "no gradient":
            return y.detach() * 1
        loss = (y * s.w).sum()
        if kind == "inside":
            loss.backward()
            return loss.detach()
        return loss

    seen = []
    for is_captured in (False, True):
        s = State()
        run = wg.capture(lambda x: function(s, x), quiet=True) if is_captured else lambda x: function(s, x)  # noqa: B023
        rows, caller = [], SIM["Stream"]()
        for k in range(6):
            x = on_sim([1.0, -1.0, 0.5 * k])
            caller.wait_stream(SIM["current_stream"]())
            with SIM["stream"](caller if is_aside else SIM["current_stream"]()):
                result = run(x)
                if kind == "outside":
                    result.backward()
                rows.append((result.tolist(), s.facts()))
            SIM["current_stream"]().wait_stream(caller)
        seen.append(rows)
    assert seen[0] == seen[1]
    names = [name for name, _ in program]
    if "number" not in names and (kind == "outside" or "write" not in names):
        assert explain(run).replays >= 3, explain(run)


# ---- autocast


@pytest.mark.parametrize("kind", ["forward", "backward", "step"])
def test_autocast_inside(kind):
    def function(s, x):
        with wg.autocast("sim", dtype=wg.bfloat16):
            y = (x @ s["a"]).relu() @ s["b"]
            z = y.float().sum()
        if kind == "forward":
            return y.detach() * 1, z.detach()
        if kind == "step":
            z.backward()
            with wg.no_grad():
                for one in (s["a"], s["b"]):
                    one.sub_(0.1 * one.grad)
                    one.grad = None
            return z.detach()
        return z

    seen = []
    for is_captured in (False, True):
        wg.manual_seed(2)
        s = {name: wg.randn(4, 4).to("sim").requires_grad_() for name in "ab"}
        run = wg.capture(lambda x: function(s, x), quiet=True) if is_captured else lambda x: function(s, x)  # noqa: B023
        rows = []
        for k in range(6):
            x = wg.full((2, 4), 0.1 * k, device="sim")
            result = run(x)
            if kind == "backward":
                result.backward()
            parts = result if isinstance(result, tuple) else (result,)
            grads = [None if one.grad is None else one.grad.tolist() for one in s.values()]
            rows.append(([(one.tolist(), one.dtype) for one in parts], grads, [one.tolist() for one in s.values()]))
        seen.append(rows)
    assert seen[0] == seen[1]
    assert explain(run).replays >= 3, explain(run)


# ---- views of arguments


VIEWS = {
    "row": lambda x: x[1], "column": lambda x: x[:, 0], "transposed": lambda x: x.t(), "flat": lambda x: x.view(-1),
    "step": lambda x: x.view(-1)[::2], "diagonal": lambda x: x.diagonal(), "all": lambda x: x,
    "detached": lambda x: x.detach()[0], "data": lambda x: x.data.t()[1],
}  # fmt: skip


@pytest.mark.parametrize("validate", [False, True])
@pytest.mark.parametrize("name", VIEWS)
def test_writes_to_views_of_arguments(name, validate):
    def function(x, y):
        part = VIEWS[name](x)
        part.mul_(2).add_(1)
        y[0] = x[1]
        VIEWS[name](y).sub_(part)
        return part * 1 if name == "data" else part, x.sum(), y[1]  # the version of ``data`` is its own

    seen = []
    for is_captured in (False, True):
        run = wg.capture(function, validate=validate) if is_captured else function
        rows = []
        for k in range(6):
            x, y = on_sim([[1.0, 2.0], [3.0, float(k)]]), on_sim([[0.0, 1.0], [float(k), 2.0]])
            kept = x[0]
            part, total, row = run(x, y)
            facts = [(one.tolist(), one._version, one.stride(), one.storage_offset()) for one in (x, y, kept, row)]
            x.add_(1)
            shares_version = name == "data" or part._version == x._version
            rows.append((facts, total.tolist(), part.tolist(), kept.tolist(), shares_version))
        seen.append(rows)
    assert seen[0] == seen[1]
    assert explain(run).replays >= 3, explain(run)


# ---- exceptions, threads, many replays


def test_an_exception_half_way_leaves_a_program_that_is_replayed():
    s, limit = State(), [100.0]

    def function(x):
        s.total.add_(x)
        y = x * s.w.detach()
        if y.sum() > 3:
            s.total.mul_(2)
            if s.total[0].item() > limit[0]:
                raise ValueError("too large")
        return y * 2

    run = wg.capture(function, quiet=True)
    expected = wg.zeros(3)
    weights = wg.tensor([1.0, -2.0, 0.5])
    for k in range(14):
        x = wg.tensor([float(k), 0.0, 0.0]) if k % 3 else wg.tensor([1.0, 0.0, 0.0])
        expected.add_(x)
        if (x * weights).sum() > 3:
            expected.mul_(2)
        if (x * weights).sum() > 3 and expected[0] > limit[0]:
            with pytest.raises(ValueError, match="too large"):
                run(x.to("sim"))
        else:
            assert run(x.to("sim")).tolist() == (x * weights * 2).tolist()
        assert s.total.tolist() == expected.tolist()


@pytest.mark.parametrize("has_graph", [False, True])
def test_two_threads_replay_one_program(has_graph):
    w = on_sim([1.0, 2.0], requires_grad=True)
    run = wg.capture(lambda x: (x * w).sum() if x.sum() > 0 else (x - w).sum(), quiet=True)
    failures = []

    def work(sign):
        stream = SIM["Stream"]()
        with SIM["stream"](stream):
            for k in range(40):
                value = sign * float(k % 3 + 1) * (-1 if k % 5 == 0 else 1)
                x = on_sim([value, value], requires_grad=has_graph)
                result = run(x)
                found = result.item(), wg.autograd.grad(result, x)[0].tolist() if has_graph else None
                expected = (3 * value, [1.0, 2.0]) if value > 0 else (2 * value - 3, [1.0, 1.0])
                if found != (expected[0], expected[1] if has_graph else None):
                    failures.append((value, found))

    for sign in (1, -1):
        for _ in range(3):
            run(on_sim([1.0 * sign, 1.0 * sign], requires_grad=has_graph)).backward()
    SIM["synchronize"]()
    threads = [threading.Thread(target=work, args=(sign,)) for sign in (1, -1)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not failures


def count_objects():
    gc.collect()
    return len(gc.get_objects())


@pytest.mark.parametrize("kind", ["plain", "step", "graph", "number"])
def test_many_replays_keep_nothing(kind):
    s = State()

    def function(x):
        if kind == "plain":
            return x * 2 + wg.rand(3, device="sim")
        if kind == "number":
            return x * 2 if x.sum() > 0 else x - 1
        loss = (x * s.w).sum()
        if kind == "graph":
            return loss
        s.w.grad = None
        loss.backward()
        return loss.detach()

    run = wg.capture(function)

    def call(n):
        x = on_sim([1.0, 2.0, 3.0])
        for _ in range(n):
            result = run(x)
            if kind == "graph":
                s.w.grad = None
                result.backward()

    call(50)
    objects, memory = count_objects(), SIM["memory_allocated"]()
    call(1_000)
    assert count_objects() <= objects + 20
    assert SIM["memory_allocated"]() <= memory
    assert explain(run).replays > 1_000
