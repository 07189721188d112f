"""Copies between a device and pinned memory of the host that are not waited for, and memory shared by DLPack."""

from __future__ import annotations

import pytest
import wengert as torch
from wengert_core.backends.accelerator import functions
from wengert_testing.sim import RaceError
from wengert_testing.sim.order import WORLD
from wengert_testing.sim.storage import FREED

api = functions("sim")
Stream, stream, current_stream, synchronize = (
    api[name] for name in ("Stream", "stream", "current_stream", "synchronize")
)


def forget():
    """The races of a test that is about them."""
    WORLD.races.clear()


# ---- to the host


def test_a_copy_to_the_host_that_is_not_waited_for_arrives_by_waiting():
    x = torch.arange(4, device="sim")
    y = x.to("cpu", non_blocking=True)
    assert y.is_pinned()
    assert set(y.tolist()) == {int.from_bytes([FREED] * 8, "little", signed=True)}  # too early: nothing is there yet
    synchronize()
    assert y.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "wait",
    [lambda e: e.synchronize(), lambda e: current_stream().synchronize(), lambda e: torch.ones(1, device="sim").item()],
    ids=["event", "stream", "item"],
)
def test_all_that_waits_for_it_lets_it_arrive(wait):
    target = torch.zeros(2, 3).pin_memory()
    target.copy_(torch.ones(2, 3, device="sim"), non_blocking=True)
    event = current_stream().record_event()
    assert target.tolist() != [[1.0] * 3] * 2
    wait(event)
    assert target.tolist() == [[1.0] * 3] * 2


def test_bfloat16_moves_both_ways_without_waiting():
    values = torch.tensor([1.5, -2.0, 3e38], dtype=torch.bfloat16)
    there = values.pin_memory().to("sim", non_blocking=True)
    back = there.to("cpu", non_blocking=True)
    assert back.is_pinned()
    assert back.dtype is torch.bfloat16
    assert back.view(torch.int16).tolist() == [int.from_bytes([FREED] * 2, "little", signed=True)] * 3  # too early
    synchronize()
    assert back.view(torch.int16).tolist() == values.view(torch.int16).tolist()


def test_a_query_that_says_it_is_done_is_enough():
    y = torch.ones(2, device="sim").to("cpu", non_blocking=True)
    event = current_stream().record_event()
    assert not event.query()
    WORLD.now = event.done + 1.0  # the host does something else for a while
    assert event.query()
    assert y.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    "copy",
    [
        lambda x: torch.zeros(3).copy_(x, non_blocking=True),  # not pinned
        lambda x: x.to("cpu", torch.float64, non_blocking=True),  # converted on the way
        lambda x: torch.zeros(6).pin_memory()[::2].copy_(x, non_blocking=True),  # not contiguous
        lambda x: x.to("cpu"),
    ],
)
def test_other_copies_wait(copy):
    assert copy(torch.arange(3.0, device="sim")).tolist() == [0.0, 1.0, 2.0]


def test_the_copy_is_of_what_the_stream_had_computed_then():
    x = torch.zeros(3, device="sim")
    y = x.to("cpu", non_blocking=True)
    x.add_(5)  # behind the copy, on the same stream
    del x
    synchronize()
    assert y.tolist() == [0.0, 0.0, 0.0]


def test_a_write_on_another_stream_that_does_not_wait_for_the_copy_is_a_race():
    side = Stream()
    x = torch.zeros(3, device="sim")
    side.wait_stream(current_stream())
    y = x.to("cpu", non_blocking=True)
    with stream(side), pytest.raises(RaceError, match="writes memory that a copy to pinned memory on"):
        x.add_(5)
    forget()
    side.wait_stream(current_stream())
    with stream(side):
        x.add_(5)
    synchronize()
    assert y.tolist() == [0.0] * 3


def test_memory_that_is_freed_under_a_copy_on_another_stream_is_found():
    side = Stream()
    x = torch.zeros(3, device="sim")
    side.wait_stream(current_stream())
    with stream(side):
        y = x.to("cpu", non_blocking=True)
    del x  # its own stream may use the memory again, and does not know of the copy
    assert WORLD.races
    assert "is freed while a copy to pinned memory on" in WORLD.races[0]
    forget()
    side.synchronize()
    assert y.tolist() == [0.0] * 3


def test_a_write_of_the_host_under_a_copy_is_found():
    y = torch.ones(3, device="sim").to("cpu", non_blocking=True)
    y.zero_()
    with pytest.raises(RaceError, match=r"pinned memory was written to while a copy on .* wrote it"):
        synchronize()
    forget()


# ---- there and back


def test_pinned_memory_is_read_by_the_next_copy_of_the_same_stream():
    y = torch.ones(3, device="sim").to("cpu", non_blocking=True)
    assert y.to("sim", non_blocking=True).tolist() == [1.0] * 3


def test_a_copy_from_where_another_streams_copy_has_not_arrived_is_a_race():
    side = Stream()
    y = torch.ones(3, device="sim").to("cpu", non_blocking=True)
    with stream(side), pytest.raises(RaceError, match="uses pinned memory that a copy to pinned memory on"):
        y.to("sim", non_blocking=True)
    forget()
    synchronize()


def test_save_on_cpu_does_not_wait():
    x = torch.tensor([1.0, 2.0], device="sim", requires_grad=True)
    before = dict(WORLD.host)
    with torch.autograd.graph.save_on_cpu(pin_memory=True):
        y = (x * x).exp()
    assert dict(WORLD.host) == before  # the host has waited for nothing
    y.sum().backward()
    assert torch.allclose(x.grad.cpu(), (2 * x * (x * x).exp()).detach().cpu())


def pack_on_stream():
    """A loss whose saved tensors go to the host on a stream of their own."""
    x = torch.tensor([1.0, 2.0], device="sim", requires_grad=True)
    side = Stream()
    side.wait_stream(current_stream())
    with stream(side), torch.autograd.graph.save_on_cpu(pin_memory=True):
        y = (x * x).sum()
    current_stream().wait_stream(side)
    return x, y, side


def test_save_on_cpu_is_read_on_the_stream_of_its_node():
    x, y, _ = pack_on_stream()
    y.backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_save_on_cpu_waits_for_its_copy_when_another_stream_reads():
    _, y, _ = pack_on_stream()
    assert y.grad_fn.next_functions[0][0]._saved_self.tolist() == [1.0, 2.0]  # read here, on the default stream


def test_without_its_event_that_would_be_a_race(monkeypatch):
    from wengert_testing.sim import SimStream

    x = torch.tensor([1.0, 2.0], device="sim", requires_grad=True)
    side = Stream()
    side.wait_stream(current_stream())
    with stream(side), torch.autograd.graph.save_on_cpu(pin_memory=True):
        y = (x * x).sum()
    with monkeypatch.context() as patch:
        patch.setattr(SimStream, "wait_event", lambda self, event: None)
        with pytest.raises(RaceError):
            y.grad_fn.next_functions[0][0]._saved_self.tolist()
    forget()
    synchronize()
    side.synchronize()


# ---- DLPack


def test_dlpack_shares_memory_of_a_device():
    x = torch.arange(6.0, device="sim:1").reshape(2, 3)
    assert x.__dlpack_device__() == (12, 1)
    y = torch.from_dlpack(x.t()[1:])
    assert y.device == x.device
    assert (tuple(y.shape), y.stride()) == ((2, 2), (1, 3))
    y.add_(10)
    assert x.tolist() == [[0.0, 11.0, 12.0], [3.0, 14.0, 15.0]]
    del x
    assert y.tolist() == [[11.0, 14.0], [12.0, 15.0]]
    copied = torch.from_dlpack(y, copy=True)
    y.zero_()
    assert copied.tolist() == [[11.0, 14.0], [12.0, 15.0]]


def test_the_streams_of_both_sides_are_ordered():
    side = Stream()
    x = torch.ones(3, device="sim")
    capsule = x.__dlpack__(stream=side.number)  # the consumer's, which then waits for the current one
    with stream(side):
        assert (torch.from_dlpack(capsule) + 1).tolist() == [2.0] * 3


def test_a_capsule_that_nobody_orders_is_a_race():
    side = Stream()
    x = torch.ones(3, device="sim")
    capsule = x.__dlpack__(stream=-1)
    with stream(side), pytest.raises(RaceError):
        torch.from_dlpack(capsule) + 1
    forget()


@pytest.mark.parametrize(
    ("call", "error", "phrase"),
    [
        (lambda x: x.__dlpack__(stream="a"), TypeError, "stream must be ``int`` or ``none``"),
        (lambda x: x.__dlpack__(dl_device=(1, 0)), BufferError, "cannot be exported to the DLPack device"),
        (lambda x: x.requires_grad_().__dlpack__(), BufferError, "Can't export tensors that require gradient"),
        (lambda x: torch.from_dlpack(x, device="cpu"), BufferError, "cannot move data to device cpu: it is on sim:0"),
    ],
)
def test_what_dlpack_refuses(call, error, phrase):
    with pytest.raises(error, match=phrase):
        call(torch.ones(2, device="sim"))


def test_the_interface_of_cuda_arrays_is_for_cuda():
    for device in ("cpu", "sim"):
        assert not hasattr(torch.ones(2, device=device), "__cuda_array_interface__")
    with pytest.raises(AttributeError, match="Can't get __cuda_array_interface__ on non-CUDA tensor type"):
        _ = torch.ones(2).__cuda_array_interface__
