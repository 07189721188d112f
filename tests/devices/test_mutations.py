"""Proof by mutation that the simulated device finds what is missing: each test takes a synchronisation or a copy away.

Those of a backward's own waits are in test_streams.py.
"""

from __future__ import annotations

import numpy as np
import pytest
import wengert as torch
from wengert_core.backends.accelerator import functions
from wengert_testing.sim import RaceError, SimDevice
from wengert_testing.sim.order import WORLD

api = functions("sim")
Stream, stream, current_stream, synchronize = (
    api[name] for name in ("Stream", "stream", "current_stream", "synchronize")
)


def forget():
    """The races of a test that is about them."""
    WORLD.races.clear()


# ---- copies


def test_an_upload_that_takes_any_memory_for_pinned_is_found_out(monkeypatch):
    from wengert_core.exchange import device_memory

    monkeypatch.setattr(device_memory, "is_pinned", lambda tensor: True)
    x = torch.ones(3)
    y = x.to("sim", non_blocking=True)
    x.zero_()
    with pytest.raises(RaceError, match="pinned memory was written to while a copy"):
        y.tolist()
    forget()


def test_a_download_that_takes_any_memory_for_pinned_is_found_out(monkeypatch):
    from wengert_core.exchange import device_memory

    monkeypatch.setattr(device_memory, "is_pinned", lambda tensor: True)
    y = torch.zeros(3).copy_(torch.ones(3, device="sim"), non_blocking=True)
    assert y.tolist() != [1.0] * 3
    synchronize()


def test_a_gradient_whose_stream_is_not_recorded_is_freed_too_early(monkeypatch):
    def program():
        x = torch.ones(3, device="sim", requires_grad=True)
        side = Stream()
        side.wait_stream(current_stream())
        with stream(side):
            y = x * x * x
        current_stream().wait_stream(side)
        (y * 2).sum().backward()
        synchronize()
        side.synchronize()

    program()
    assert WORLD.races == []
    monkeypatch.setattr(SimDevice, "record_stream", lambda self, memory, stream: None)
    program()
    assert any("is freed while" in race for race in WORLD.races)
    forget()


def test_a_copy_between_devices_that_the_source_does_not_wait_for_is_found_out(sim, monkeypatch):
    """What is written next into the source must come behind the copy."""

    def transfer(source, target):
        here, there = source._place.stream(), target._place.stream()
        there.wait_stream(here)
        stamp = there.launch("a copy between devices")
        source._block.read_by(stamp)
        target[...] = target._place.wrap_result(source._data.copy(), [])

    x = torch.ones(3, device="sim") * 3
    x.to("sim:1")
    x.add_(1)
    monkeypatch.setattr(sim, "transfer", transfer)
    y = x.to("sim:1")
    with pytest.raises(RaceError, match="writes memory that a copy between devices"):
        x.add_(1)
    forget()
    assert y.tolist() == [4.0] * 3


@pytest.mark.parametrize("missing", ["from the stream of the work", "to the stream of the work"])
def test_a_kernel_that_computes_on_a_stream_of_its_own_has_to_wait_on_both_sides(sim, monkeypatch, missing):
    side = Stream()

    def kernel(xp, x):
        own = current_stream()
        if missing != "from the stream of the work":
            side.wait_stream(own)
        with stream(side):
            y = xp.exp(x)
        if missing != "to the stream of the work":
            own.wait_stream(side)
        return y

    x = torch.zeros(3, device="sim")
    monkeypatch.setitem(sim.kernels, "exp", kernel)
    with pytest.raises(RaceError):
        x.exp() + 1
    forget()
    synchronize()
    side.synchronize()


def test_a_kernel_that_copies_to_the_host_and_forgets_the_way_back_is_found_out(sim, monkeypatch):
    monkeypatch.setitem(sim.kernels, "mul", lambda xp, x, y: xp.add(x, y.get()))
    with pytest.raises(TypeError, match="an array of the host where one of the device is needed"):
        torch.ones(3, device="sim") * torch.ones(3, device="sim")


def test_a_constant_of_the_host_is_found_out():
    with pytest.raises(RuntimeError, match="to be on the same device"):
        torch.ones(3, device="sim") * torch.from_numpy(np.ones(3))


# ---- backward


def test_a_backward_whose_nodes_do_not_know_their_streams_is_found_out(monkeypatch):
    """Then it runs where it was called, which has not waited for the forward."""
    from wengert_core.backends import intercept
    from wengert_engine.reverse import streams

    def program():
        x = torch.tensor([1.0, 2.0], device="sim", requires_grad=True)
        side = Stream()
        side.wait_stream(current_stream())
        with stream(side):
            y = (x * x).exp()
            gradient = torch.ones(2, device="sim")
        with stream(side):
            loss = (y * gradient).sum()
        loss.backward(torch.ones((), device="sim"))
        synchronize()
        side.synchronize()

    program()
    intercept.set_note(lambda tensor, made_on: None)
    try:
        with pytest.raises(RaceError):
            program()
    finally:
        intercept.set_note(streams.note)
    forget()
    synchronize()
