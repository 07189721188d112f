"""Streams: what the simulated device calls a race, and the order of a backward.

The references: "Stream semantics of backward passes". Each part of a backward runs on the stream of its forward
operation,
gradients are synchronised between streams, and the streams that were current at the call see finished leaves.
"""

from __future__ import annotations

import pytest
import wengert as torch
from wengert_core.backends.accelerator import functions
from wengert_testing.sim import RaceError, SimStream, races
from wengert_testing.sim.order import WORLD

sim_api = functions("sim")
Stream, Event, stream, current_stream, synchronize = (
    sim_api[name] for name in ("Stream", "Event", "stream", "current_stream", "synchronize")
)


def forget():
    """The races of a test that is about them."""
    WORLD.races.clear()


# ---- what the device finds


def test_work_on_a_stream_that_did_not_wait_is_a_race():
    side = Stream()
    x = torch.ones(3, device="sim")
    with stream(side), pytest.raises(RaceError, match=r"reads memory that .* on <sim stream \d+ of sim:0> writes"):
        x + 1
    forget()


@pytest.mark.parametrize(
    "wait",
    [
        lambda side: side.wait_stream(current_stream()),
        lambda side: side.wait_event(current_stream().record_event()),
        lambda side: synchronize(),
        lambda side: current_stream().synchronize(),
    ],
    ids=["stream", "event", "device", "host"],
)
def test_waiting_orders_it(wait):
    side = Stream()
    x = torch.ones(3, device="sim")
    wait(side)
    with stream(side):
        y = x + 1
    side.synchronize()
    assert y.tolist() == [2.0, 2.0, 2.0]


def test_writing_what_another_stream_still_reads_is_a_race():
    side = Stream()
    x = torch.ones(3, device="sim")
    side.wait_stream(current_stream())
    with stream(side):
        y = x + 1
    with pytest.raises(RaceError, match="writes memory that"):
        x.add_(1)
    forget()
    side.synchronize()
    assert y.tolist() == [2.0] * 3


def test_a_race_may_give_what_a_device_would_give():
    found = set()
    for seed in range(20):
        WORLD.random.seed(seed)
        x = torch.zeros(3, device="sim")
        synchronize()
        side = Stream()
        with races("stale") as seen:
            x.add_(5)
            WORLD.now += 0.2 * seed  # the host does something else
            with stream(side):
                y = x + 1
            synchronize()
            side.synchronize()
            assert seen
            found.add(y.cpu().tolist()[0])
    assert found == {1.0, 6.0}  # the write was done at times, and at times not
    forget()


def test_memory_that_is_freed_while_another_stream_uses_it_is_found(sim):
    side = Stream()
    x = torch.ones(3, device="sim")
    side.wait_stream(current_stream())
    with stream(side):
        y = x + 1
    del x
    assert WORLD.races
    assert "record_stream() would have kept it" in WORLD.races[0]
    forget()
    side.synchronize()
    assert y.tolist() == [2.0] * 3


def test_pinned_memory_that_changes_under_a_copy_is_a_race():
    x = torch.ones(3).pin_memory()
    y = x.to("sim", non_blocking=True)
    x.add_(1)
    with pytest.raises(RaceError, match="pinned memory was written to while a copy"):
        synchronize()
    forget()
    z = torch.ones(3).pin_memory()
    y = z.to("sim", non_blocking=True)
    synchronize()
    z.add_(1)
    synchronize()
    assert y.tolist() == [1.0, 1.0, 1.0]


def test_events_measure_time_and_happen_in_order():
    begin, end = Event(enable_timing=True), Event(enable_timing=True)
    begin.record()
    x = torch.ones(3, device="sim") + 1
    end.record()
    assert not end.query()
    end.synchronize()
    assert end.query()
    assert begin.elapsed_time(end) > 0
    assert x.tolist() == [2.0, 2.0, 2.0]


def test_copies_between_devices_wait_for_both():
    x = torch.ones(3, device="sim") * 3
    y = x.to("sim:1") + 1
    assert y.tolist() == [4.0, 4.0, 4.0]


# ---- the order of a backward


def on_a_side_stream():
    """A graph whose operations ran on a stream of their own, that the current one has waited for."""
    x = torch.tensor([1.0, 2.0], device="sim", requires_grad=True)
    side = Stream()
    side.wait_stream(current_stream())
    with stream(side):
        loss = (x * x).sum()
    current_stream().wait_stream(side)
    return x, loss, side


def test_a_backward_runs_on_the_streams_of_its_forward():
    x, loss, side = on_a_side_stream()
    ticks, own = side.ticks, current_stream().ticks
    loss.backward()
    assert side.ticks > ticks + 2
    assert current_stream().ticks <= own + 2  # the gradient that it starts with
    assert x.grad.tolist() == [2.0, 4.0]


def test_two_branches_on_two_streams_meet_in_one_leaf():
    x = torch.tensor([1.0, 2.0], device="sim", requires_grad=True)
    sides = [Stream(), Stream()]
    parts = []
    for k, side in enumerate(sides):
        side.wait_stream(current_stream())
        with stream(side):
            parts.append((x * (k + 2)).exp())
    for side in sides:
        current_stream().wait_stream(side)
    (parts[0] * parts[1]).sum().backward()
    assert torch.allclose(x.grad.cpu(), 5 * (x.detach().cpu() * 5).exp())


def test_the_caller_may_be_on_another_stream():
    x, loss, _ = on_a_side_stream()
    third = Stream()
    third.wait_stream(current_stream())
    with stream(third):
        loss.backward()
        assert (x.grad * 2).tolist() == [4.0, 8.0]  # on the stream that called


def test_the_gradient_that_is_given_must_be_there_for_the_caller():
    x = torch.tensor([1.0, 2.0], device="sim", requires_grad=True)
    y = x * 3
    side = Stream()
    with stream(side):
        gradient = torch.ones(2, device="sim")
    with pytest.raises(RaceError):
        y.backward(gradient)
    forget()
    current_stream().wait_stream(side)
    (x * 3).backward(gradient)
    assert x.grad.tolist() == [3.0, 3.0]
    synchronize()


def test_hooks_and_captures_see_finished_gradients():
    x, loss, _ = on_a_side_stream()
    (gradient,) = torch.autograd.grad(loss, x)
    assert (gradient + 1).tolist() == [3.0, 5.0]


def test_the_current_stream_is_what_it_was():
    x, loss, _ = on_a_side_stream()
    before = current_stream()
    loss.backward()
    assert current_stream() is before
    assert x.grad is not None


# ---- proof by mutation: without any one of its synchronisations a backward is found out


def waits_of(program):
    """How often streams wait for each other while a program runs."""
    calls = []
    original = SimStream.wait_stream
    SimStream.wait_stream = lambda self, other: (calls.append(1), original(self, other))[1]
    try:
        program()
    finally:
        SimStream.wait_stream = original
    return len(calls)


def without_wait(number, program):
    """Run a program with one of its waits left out. Whether that was a race."""
    count = iter(range(1_000_000))
    original = SimStream.wait_stream
    SimStream.wait_stream = lambda self, other: None if next(count) == number else original(self, other)
    try:
        program()
    except RaceError:
        return True
    finally:
        SimStream.wait_stream = original
        forget()
    return False


def test_each_wait_of_a_backward_is_needed():
    def program():
        loss.backward()
        x.grad + 1

    x, loss, _ = on_a_side_stream()
    n = waits_of(program)
    assert n >= 2  # the first gradient goes to the side stream, the leaf's is waited for
    found = []
    for k in range(n):
        x, loss, _ = on_a_side_stream()
        found.append(without_wait(k, program))
        synchronize()
    assert found == [True] * n


def test_a_backward_that_does_not_wait_at_its_end_is_found_out(monkeypatch):
    from wengert_engine.reverse import launch

    monkeypatch.setattr(launch, "finish", lambda used, before: None)
    x, loss, _ = on_a_side_stream()
    loss.backward()
    with pytest.raises(RaceError):
        x.grad + 1
    forget()
    synchronize()


def test_a_copy_between_devices_that_does_not_wait_is_found_out(sim, monkeypatch):
    def transfer(source, target):
        target[...] = target._place.wrap_result(source._data.copy(), [])
        source._block.read_by(target._place.stream().launch("a copy"))

    monkeypatch.setattr(sim, "transfer", transfer)
    x = torch.ones(3, device="sim") * 3
    with pytest.raises(RaceError):
        x.to("sim:1")
    forget()


def test_an_array_of_the_host_in_a_kernel_is_found_out(sim, monkeypatch):
    import numpy as np

    monkeypatch.setitem(sim.kernels, "exp", lambda xp, x: xp.multiply(x, np.ones(3)))
    with pytest.raises(TypeError, match="an array of the host where one of the device is needed"):
        torch.ones(3, device="sim").exp()
    monkeypatch.setitem(sim.kernels, "exp", lambda xp, x: np.exp(x))
    with pytest.raises(TypeError, match="SimArray"):
        torch.ones(3, device="sim").exp()


def test_a_kernel_of_the_plugin_replaces_the_reference(sim, monkeypatch):
    monkeypatch.setitem(sim.kernels, "exp", lambda xp, x: xp.exp(x) + 100)
    x = torch.zeros(2, device="sim", requires_grad=True)
    y = x.exp()
    assert y.tolist() == [101.0, 101.0]
    y.sum().backward()
    assert x.grad.tolist() == [101.0, 101.0]
    assert torch.zeros(2, device="sim").exp_().tolist() == [101.0, 101.0]
    assert torch.zeros(2).exp().tolist() == [1.0, 1.0]
