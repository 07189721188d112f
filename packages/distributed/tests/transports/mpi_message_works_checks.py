"""Checks of sends and receives under way, on all ranks (mpi_run.py): their works, their errors, random orders."""

from __future__ import annotations

import gc
import random
import threading
from datetime import timedelta
from typing import Any

import pytest
import wengert as wg
import wengert.distributed as dist
from wengert_distributed.backends.mpi.message_work import MessageWork
from wengert_distributed.errors import DistBackendError

dist.init_process_group("mpi")
RANK, SIZE = dist.get_rank(), dist.get_world_size()
WORLD = dist.group.WORLD
BLOCKING = WORLD.blocking
NEXT, BEFORE = (RANK + 1) % SIZE, (RANK - 1) % SIZE
DTYPES = (
    wg.float32, wg.float64, wg.uint8, wg.int8, wg.int16, wg.int32, wg.int64, wg.float16, wg.bfloat16, wg.bool,
    wg.complex64, wg.complex128, wg.uint16, wg.uint32, wg.uint64,
)  # fmt: skip
SHAPES = ((), (3,), (2, 3), (1, 2, 1), (100_000,), (0,), (2, 0))


def values(seed: int, dtype: Any, shape: tuple[int, ...]) -> wg.Tensor:
    return (wg.ones(shape).reshape(-1).cumsum(0) * (seed + 2) % 4 + seed % 2).reshape(shape).to(dtype)


def with_layout(tensor: wg.Tensor, layout: int) -> wg.Tensor:
    """Return a tensor as it is, with gaps, or transposed."""
    if layout == 1 and tensor.ndim:
        whole = wg.zeros(*tensor.shape[:-1], 2 * tensor.shape[-1], dtype=tensor.dtype)
        whole[..., ::2] = tensor
        return whole[..., ::2]
    return tensor.transpose(0, -1).contiguous().transpose(0, -1) if layout == 2 and tensor.ndim else tensor


def check_messages_of_all_dtypes_and_shapes() -> None:
    count = WORLD.host.count
    for dtype in DTYPES:
        for shape in SHAPES:
            x, y = values(RANK, dtype, shape), wg.zeros(shape, dtype=dtype)
            received, sent = dist.irecv(y, BEFORE, tag=3), dist.isend(x, NEXT, tag=3)
            assert isinstance(received, dist.Work)
            assert isinstance(sent, dist.Work)
            assert (type(sent) is MessageWork) == (type(received) is MessageWork) == (x.numel() > 0)
            assert sent.wait() is received.wait() is True
            assert y.equal(values(BEFORE, dtype, shape)), (dtype, shape)
            assert (x._version, y._version) == (0, 1)
            assert received.wait()
            assert y._version == 1  # a second wait changes nothing
            assert received.source_rank() == BEFORE
            with pytest.raises(RuntimeError, match="sourceRank"):
                sent.source_rank()
    assert WORLD.host.count == count  # ranks agree on no order of messages
    assert not WORLD.host.pending


def check_what_a_work_says_of_itself() -> None:
    y = wg.zeros(2)
    received = dist.irecv(y, BEFORE)
    future = received.get_future()
    assert repr(received) == "<Work: recv, under way>"
    assert not received.is_completed()
    with pytest.raises(RuntimeError, match=r"Should call wait\(\) before.*recv is under way"):
        received.result()
    dist.barrier()
    sent = dist.isend(wg.full((2,), float(RANK)), NEXT)
    assert future.wait()[0] is y
    assert y.tolist() == [BEFORE, BEFORE]
    assert repr(received) == "<Work: recv, ended>"
    assert received.is_completed()
    assert received.is_success()
    assert received.exception() is None
    assert received.result()[0] is y
    sent.synchronize()
    assert sent.get_future().value()[0].tolist() == [RANK, RANK]


def check_receives_from_any_rank_say_from_which() -> None:
    dist.barrier()
    if RANK:
        dist.isend(wg.full((2,), float(RANK)), 0).wait()
        return
    tensors = [wg.zeros(2) for _ in range(SIZE - 1)]
    works = [dist.irecv(tensor) for tensor in tensors]
    for work, tensor in zip(reversed(works), reversed(tensors), strict=True):
        work.wait()
        assert tensor.tolist() == [work.source_rank()] * 2
    assert sorted(work.source_rank() for work in works) == list(range(1, SIZE))


def check_what_they_leave_to_others() -> None:
    x = wg.ones(2, 3)
    for begin in (BLOCKING.isend, BLOCKING.irecv):
        for bad in (x.t(), wg.ones(0), wg.nn.Parameter(x), None):
            assert begin(bad, NEXT, 0) is None
        for rank in (RANK, SIZE, -1, 1 << 70, True, 1.0, "1"):
            assert begin(x, rank, 0) is None
        for tag in (-1, 1 << 70, None, 1.0):
            assert begin(x, NEXT, tag) is None
    with pytest.raises(TypeError):
        MessageWork()
    with pytest.raises(TypeError):
        dist.Work()


def check_a_batch_takes_all_kinds_of_tensors() -> None:
    shapes = ((2, 3), (4,), (0,), ())
    sources = [with_layout(values(RANK, wg.float32, shape), number % 3) for number, shape in enumerate(shapes)]
    targets = [with_layout(wg.zeros(shape), (number + 1) % 3) for number, shape in enumerate(shapes)]
    ops = [dist.P2POp(dist.isend, source, NEXT, tag=number) for number, source in enumerate(sources)]
    ops += [dist.P2POp(dist.irecv, target, BEFORE, tag=number) for number, target in enumerate(targets)]
    for work in dist.batch_isend_irecv(ops):
        work.wait()
    for number, target in enumerate(targets):
        assert target.equal(values(BEFORE, wg.float32, shapes[number]))
    group = dist.new_group()
    op = dist.P2POp(dist.isend, wg.ones(1), NEXT, group)
    dist.destroy_process_group(group)
    with pytest.raises(ValueError, match="is not initialized in the world group map"):
        dist.batch_isend_irecv([op])


def check_groups_name_their_own_ranks() -> None:
    group = dist.new_group(list(reversed(range(SIZE))), sort_ranks=False)
    other = SIZE - 1 - NEXT
    for by_group in (False, True):
        y = wg.zeros(2)
        source, target = ({"group_src": SIZE - 1 - BEFORE}, {"group_dst": other}) if by_group else (
            {"src": BEFORE}, {"dst": NEXT})  # fmt: skip
        received = dist.irecv(y, group=group, **source)
        dist.isend(wg.full((2,), float(RANK)), group=group, **target).wait()
        received.wait()
        assert y.tolist() == [BEFORE, BEFORE]
        assert received.source_rank() == SIZE - 1 - BEFORE
    dist.destroy_process_group(group)


def check_a_message_that_does_not_fit_raises() -> None:
    pattern = r"recv\(float32 \[2\] from rank 0\).*(?s:.*)(?i:truncat)"
    for step in range(3):
        dist.barrier()
        if RANK == 0:
            dist.isend(wg.ones(4), 1).wait()
        if RANK == 1:
            work = dist.irecv(wg.zeros(2), 0)
            future = work.get_future()
            if step == 1:
                while not work.is_completed():
                    pass
                assert re_matches(pattern, work.exception())
                assert not work.is_success()
            for failing in (work.wait, work.wait, work.result, future.wait, future.value):
                with pytest.raises(DistBackendError, match=pattern):
                    failing()
            assert repr(work) == "<Work: recv, failed>"
    dist.barrier()


def re_matches(pattern: str, error: Any) -> bool:
    with pytest.raises(DistBackendError, match=pattern):
        raise error
    return True


def check_a_receive_that_is_late() -> None:
    dist.barrier()
    if RANK == 1:
        y = wg.zeros(3)
        work = dist.irecv(y, 0, tag=7)
        with pytest.raises(RuntimeError, match="must not be negative"):
            work.wait(timedelta(seconds=-1))
        with pytest.raises(TypeError, match=r"datetime\.timedelta"):
            work.wait(3)  # type: ignore[arg-type]
        with pytest.raises(DistBackendError, match=r"recv\(float32 \[3\] from rank 0\) failed .*within 0.05 s"):
            work.wait(timedelta(seconds=0.05))
    dist.barrier()
    if RANK == 0:
        dist.send(wg.ones(3), 1, tag=7)  # the receive that was given up has the memory still
    dist.barrier()


def check_works_that_nobody_holds_move_their_memory() -> None:
    y = wg.zeros(1000)
    dist.irecv(y, BEFORE, tag=5)
    dist.isend(wg.full((1000,), float(RANK)), NEXT, tag=5)  # neither the tensor nor the work is held
    gc.collect()
    dist.barrier()
    for work in list(WORLD.host.pending):
        work.wait()
    assert y.tolist() == [BEFORE] * 1000
    group = dist.new_group()
    dist.irecv(y, BEFORE, group)
    dist.isend(wg.full((1000,), RANK + 10.0), NEXT, group)
    dist.destroy_process_group(group)  # it waits for what nobody has waited for
    assert y.tolist() == [BEFORE + 10.0] * 1000


def check_many_works_that_nobody_waits_for_are_let_go() -> None:
    for _ in range(1000):
        dist.irecv(wg.zeros(1), BEFORE)
        dist.isend(wg.ones(1), NEXT)
    dist.barrier()
    for work in list(WORLD.host.pending):
        assert work.wait()
    assert not WORLD.host.pending


def check_threads_wait_for_works_of_others() -> None:
    tensors = [wg.zeros(50) for _ in range(20)]
    received = [dist.irecv(tensor, BEFORE, tag=number) for number, tensor in enumerate(tensors)]
    sent = [dist.isend(wg.full((50,), float(number)), NEXT, tag=number) for number in range(20)]
    errors: list[BaseException] = []

    def wait_for(works: list[Any]) -> None:
        try:
            for work in works:
                work.wait()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=wait_for, args=(works,)) for works in (
        received, received[::-1], sent, [*sent[::-1], *received])]  # fmt: skip
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not errors
    assert [tensor.tolist() for tensor in tensors] == [[float(number)] * 50 for number in range(20)]
    assert {tensor._version for tensor in tensors} == {1}


def check_random_messages_in_flight_together() -> None:
    for seed in range(15):
        choice = random.Random(seed)
        pending: list[tuple[Any, wg.Tensor | None, wg.Tensor | None]] = []
        for step in range(60):
            source, target = choice.sample(range(SIZE), 2)
            dtype, shape = choice.choice(DTYPES), choice.choice(SHAPES)
            layouts, tag = [choice.randrange(3), choice.randrange(3)], choice.randrange(3)
            waits = choice.random() < 0.2
            patience = random.Random(1000 * seed + 10 * step + RANK)  # each rank waits at other times
            x = values(step, dtype, shape)
            if source == RANK:
                work = dist.isend(with_layout(x, layouts[0]), target, tag=tag)
                pending.append((work, None, None))
            elif target == RANK:
                y = with_layout(wg.zeros(shape, dtype=dtype), layouts[1])
                if waits:
                    dist.recv(y, source, tag=tag)
                    assert y.equal(x)
                else:
                    pending.append((dist.irecv(y, source, tag=tag), y, x))
            while len(pending) > patience.randint(1, 12):
                finish(*pending.pop(patience.randrange(len(pending))), patience.random() < 0.5)
        for one in reversed(pending):
            finish(*one, False)


def finish(work: Any, target: wg.Tensor | None, expected: wg.Tensor | None, polls: bool) -> None:
    """Wait for a message, or ask until it has ended, and compare what has come."""
    while polls and not work.is_completed():
        pass
    assert work.wait()
    assert target is None or target.equal(expected)
