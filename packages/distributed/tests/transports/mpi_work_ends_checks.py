"""Checks of how works end, on all ranks (mpi_run.py): in destroyed groups, interrupted, in threads, together."""

from __future__ import annotations

import gc
import signal
import threading
import weakref
from datetime import timedelta
from typing import Any

import pytest
import wengert as wg
import wengert.distributed as dist
from wengert_distributed.errors import DistBackendError

dist.init_process_group("mpi")
RANK, SIZE = dist.get_rank(), dist.get_world_size()
WORLD = dist.group.WORLD
NEXT, BEFORE = (RANK + 1) % SIZE, (RANK - 1) % SIZE


def check_what_is_open_in_a_destroyed_group_is_delivered() -> None:
    group = dist.new_group()
    gaps, rows = wg.ones(6)[::2], wg.full((SIZE, 3), float(RANK)).t()
    works = [dist.all_reduce(gaps, group=group, async_op=True), dist.broadcast(rows, 1, group=group, async_op=True)]
    future = works[0].get_future()
    dist.destroy_process_group(group)
    assert gaps.tolist() == [SIZE] * 3
    assert rows.equal(wg.ones(3, SIZE))
    assert future.value()[0] is gaps
    assert all(work.wait() and work.exception() is None for work in works)


def check_a_receive_that_nobody_answers_fails_with_its_group() -> None:
    group = dist.new_group(timeout=timedelta(seconds=0.2))
    works = [dist.irecv(wg.zeros(3), BEFORE, group), dist.irecv(wg.zeros(3, 2).t(), BEFORE, group)]
    future = works[0].get_future()
    dist.destroy_process_group(group)
    for waits in (works[0].wait, works[1].wait, works[0].result, future.wait):
        with pytest.raises(DistBackendError, match=r"recv.*group was destroyed before it had ended|recv.*has ended"):
            waits()
    dist.barrier()


class InterruptError(BaseException):
    """An exception that a handler of signals raises."""


def interrupt(*_: Any) -> None:
    raise InterruptError


def check_a_wait_that_is_interrupted_may_go_on() -> None:
    if RANK == 0:
        before = signal.signal(signal.SIGALRM, interrupt)
        y, total = wg.zeros(3), wg.ones(3)
        received, reduced = dist.irecv(y, 1), dist.all_reduce(total, async_op=True)
        for work in (received, reduced, received):
            signal.setitimer(signal.ITIMER_REAL, 0.03)
            with pytest.raises(InterruptError):
                work.wait()
            assert "under way" in repr(work)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        dist.send(wg.zeros(1), 1)
        assert reduced.wait()
        assert received.wait()
        assert (y.tolist(), total.tolist()) == ([5.0] * 3, [SIZE] * 3)
    else:
        if RANK == 1:
            dist.recv(wg.zeros(1), 0)
            dist.send(wg.full((3,), 5.0), 0)
        dist.all_reduce(wg.ones(3))
    dist.barrier()


def check_several_threads_wait_for_one_collective() -> None:
    for _ in range(20):
        gaps, found = wg.ones(200, 20).t(), []
        work = dist.all_reduce(gaps, async_op=True)

        def wait(work: Any = work, gaps: wg.Tensor = gaps, found: list[float] = found) -> None:
            work.wait()
            found.append(gaps.sum().item())  # the results are there when any wait has ended

        threads = [threading.Thread(target=wait) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert found == [4000.0 * SIZE] * 4


def check_threads_have_groups_of_their_own() -> None:
    groups, errors = [dist.new_group() for _ in range(3)], []

    def program(number: int) -> None:
        group = groups[number]
        try:
            for step in range(30):
                x, y = wg.full((50,), float(RANK + number)), wg.zeros(5)
                dist.all_reduce(x, group=group)
                assert x[0].item() == sum(range(SIZE)) + number * SIZE
                dist.all_reduce(x, dist.ReduceOp.MAX, group, async_op=True).wait()
                received = dist.irecv(y, BEFORE, group)
                dist.isend(wg.full((5,), float(step)), NEXT, group).wait()
                received.wait()
                assert y.tolist() == [step] * 5
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=program, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not errors
    for group in groups:
        dist.destroy_process_group(group)


def check_a_work_that_its_own_callback_holds_is_collected() -> None:
    received = dist.irecv(wg.zeros(3), BEFORE)
    received.get_future().then(lambda _, work=received: work)
    dist.isend(wg.ones(3), NEXT).wait()
    received.wait()
    reference = weakref.ref(received)
    del received
    gc.collect()
    assert reference() is None


def check_a_callback_finds_its_work_ended() -> None:
    log: list[Any] = []
    received = dist.irecv(wg.zeros(2), BEFORE)

    def note(future: Any) -> None:
        log.extend([received.is_completed(), received.wait(), future.value()[0].tolist()])
        received.get_future().then(lambda _: log.append("inner"))
        raise ValueError("a planted error")

    child = received.get_future().then(note)
    sent = dist.isend(wg.ones(2), NEXT)
    assert received.wait()
    sent.wait()
    assert log == [True, True, [1.0, 1.0], "inner"]
    with pytest.raises(RuntimeError, match="a planted error"):
        child.wait()


def check_averages_of_complex_numbers_are_rounded_once() -> None:
    for dtype, real in ((wg.complex64, wg.float32), (wg.complex128, wg.float64)):
        parts = wg.arange(1, 101).to(real)
        for async_op in (False, True):
            x = wg.complex(parts, -parts) * (1 if RANK else 1 + (100 - SIZE))
            work = dist.all_reduce(x, dist.ReduceOp.AVG, async_op=async_op)
            if work is not None:
                work.wait()
            assert x.dtype is dtype
            expected = parts * 100 / SIZE
            assert x.real.equal(expected)
            assert x.imag.equal(-expected)


def check_collectives_of_several_tensors_give_a_future() -> None:
    tensors = [wg.ones(2), wg.ones(6)[::2], wg.ones(())]
    future = dist.all_reduce_coalesced(tensors, async_op=True)
    assert isinstance(future, wg.futures.Future)
    assert future.then(lambda done: len(done.value())).wait() == 3
    assert [one.tolist() for one in future.wait()] == [[SIZE] * 2, [SIZE] * 3, SIZE]
    assert future.done()
    outputs = [[wg.zeros(2), wg.zeros(())] for _ in range(SIZE)]
    gathered = dist.all_gather_coalesced(outputs, [wg.full((2,), float(RANK)), wg.tensor(float(RANK))], async_op=True)
    assert len(gathered.wait()) == 2 * SIZE
    assert [[one.tolist() for one in each] for each in outputs] == [[[r, r], r] for r in range(SIZE)]
    assert dist.all_reduce_coalesced([], async_op=True).wait() == []
    dist.barrier()
    assert not WORLD.host.pending
