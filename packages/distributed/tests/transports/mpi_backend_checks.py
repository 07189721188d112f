"""Checks of MPI's process group against NumPy, on all ranks (mpi_run.py): moves, reductions, splits, waiting."""

from __future__ import annotations

import functools
import time

import numpy as np
from mpi4py import MPI
from wengert_distributed.backends.mpi import MpiGroup
from wengert_distributed.interface.process_group import Call
from wengert_distributed.reduce_op import RedOpType

RANK, SIZE = MPI.COMM_WORLD.Get_rank(), MPI.COMM_WORLD.Get_size()
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
ARITHMETIC = {
    RedOpType.SUM: np.add, RedOpType.PRODUCT: np.multiply, RedOpType.MIN: np.minimum, RedOpType.MAX: np.maximum,
}  # fmt: skip
BITWISE = {RedOpType.BAND: np.bitwise_and, RedOpType.BOR: np.bitwise_or, RedOpType.BXOR: np.bitwise_xor}


@functools.cache
def world() -> MpiGroup:
    return MpiGroup.connect(-1, -1, None, 20)


def values(rank: int, count: int, dtype: str) -> np.ndarray:
    """Return a rank's values: small integers, so that no sum is rounded."""
    return (np.arange(count) * (rank + 2) % 5 + 1).astype(dtype)


def reduction(function: np.ufunc, count: int, dtype: str) -> np.ndarray:
    """Return NumPy's reduction of all ranks' values."""
    return functools.reduce(function, [values(rank, count, dtype) for rank in range(SIZE)])


def finish(request) -> None:
    if request is not None:
        assert request.wait(20)


def check_rank_and_size() -> None:
    assert (world().rank, world().size) == (RANK, SIZE)
    assert world().communicator.handle != MPI.COMM_WORLD.handle


def check_reductions_of_all_dtypes() -> None:
    for dtype in (*INTEGERS, "float32", "float64"):
        for op, function in (ARITHMETIC | BITWISE if dtype in INTEGERS else ARITHMETIC).items():
            for count in (1, 37, 5000):
                expected = reduction(function, count, dtype)
                array = values(RANK, count, dtype)
                finish(world().all_reduce(array, op))
                np.testing.assert_array_equal(array, expected)


def check_reduce_and_reduce_scatter() -> None:
    for op, function in ARITHMETIC.items():
        for root in range(SIZE):
            array = values(RANK, 11, "float64")
            finish(world().reduce(array, root, op))
            expected = reduction(function, 11, "float64") if root == RANK else values(RANK, 11, "float64")
            np.testing.assert_array_equal(array, expected)
        array, output = values(RANK, 6 * SIZE, "int32"), np.zeros(6, "int32")
        finish(world().reduce_scatter(output, array, op))
        np.testing.assert_array_equal(output, reduction(function, 6 * SIZE, "int32")[6 * RANK : 6 * RANK + 6])


def check_moves_of_all_dtypes() -> None:
    for dtype in (*INTEGERS, "bool", "float16", "float32", "float64", "complex64", "complex128"):
        every = np.concatenate([values(rank, 3, dtype) for rank in range(SIZE)])
        mine = values(RANK, 3, dtype)
        output = np.zeros_like(every)
        finish(world().all_gather(output, mine))
        np.testing.assert_array_equal(output, every)
        for root in range(SIZE):
            array = values(RANK, 3, dtype)
            finish(world().broadcast(array, root))
            np.testing.assert_array_equal(array, values(root, 3, dtype))
            output = np.zeros_like(every) if root == RANK else None
            finish(world().gather(output, mine, root))
            if output is not None:
                np.testing.assert_array_equal(output, every)
            part = np.zeros_like(mine)
            finish(world().scatter(part, every if root == RANK else None, root))
            np.testing.assert_array_equal(part, mine)


def check_parts_of_different_sizes() -> None:
    counts = [RANK + other for other in range(SIZE)]  # what rank r sends to rank s: r + s values r
    array, output = np.full(sum(counts), RANK, "float32"), np.zeros(sum(counts), "float32")
    finish(world().all_to_all(output, array, counts, counts))
    np.testing.assert_array_equal(output, np.repeat(np.arange(SIZE), counts).astype("float32"))


def check_outputs_that_share_memory_with_inputs() -> None:
    memory = np.zeros(3 * SIZE, "float32")
    memory[3 * RANK : 3 * RANK + 3] = RANK
    finish(world().all_gather(memory, memory[3 * RANK : 3 * RANK + 3]))
    np.testing.assert_array_equal(memory, np.repeat(np.arange(SIZE), 3).astype("float32"))
    finish(world().reduce_scatter(memory[:3], memory, RedOpType.SUM))
    np.testing.assert_array_equal(memory[:3], np.full(3, RANK * SIZE, "float32"))


def check_arrays_without_elements() -> None:
    empty = np.zeros(0, "float32")
    assert world().all_reduce(empty, RedOpType.SUM) is None
    assert world().broadcast(empty, 0) is None
    assert world().all_gather(empty, empty) is None
    finish(world().all_to_all(empty, empty, [0] * SIZE, [0] * SIZE))


def check_sends_around_the_ring() -> None:
    right, left = (RANK + 1) % SIZE, (RANK - 1) % SIZE
    for count in (1, 100_000):
        array, output = np.full(count, RANK, "float64"), np.zeros(count, "float64")
        receive, send = world().recv(output, left, 3), world().send(array, right, 3)
        finish(send)
        finish(receive)
        assert receive.source == left
        assert (output == left).all()


def check_a_receive_from_any_rank() -> None:
    if RANK == 0:
        sources = set()
        for _ in range(SIZE - 1):
            output = np.zeros(1, "int64")
            request = world().recv(output, None, 9)
            finish(request)
            assert request.source == output[0]
            sources.add(request.source)
        assert sources == set(range(1, SIZE))
    else:
        finish(world().send(np.array([RANK]), 0, 9))


def check_collectives_progress_in_the_background() -> None:
    if SIZE == 1:
        return  # nothing is under way
    arrays = [np.full(200_000, RANK, "float32") for _ in range(6)]
    requests = [world().all_reduce(array, RedOpType.SUM) for array in arrays]
    for request in requests:
        request.background()
    limit = time.monotonic() + 20
    while not all(request.test() for request in requests):
        assert time.monotonic() < limit
        time.sleep(0.001)
    for array in arrays:
        assert (array == sum(range(SIZE))).all()


def check_a_wait_takes_a_request_back_from_the_background() -> None:
    if SIZE == 1:
        return
    for late in range(SIZE):
        if late == RANK:
            time.sleep(0.02)
        array = np.full(1000, RANK, "int32")
        request = world().all_reduce(array, RedOpType.MAX)
        request.background()
        finish(request)
        assert (array == SIZE - 1).all()


def check_many_collectives_are_under_way_at_once() -> None:
    same, own = np.random.default_rng(0), np.random.default_rng(RANK)  # the order is the same, the waits differ
    under_way = []
    for _ in range(150):
        count, root = int(same.integers(1, 3000)), int(same.integers(SIZE))
        array, kind = values(RANK, count, "int64"), same.integers(3)
        output = np.zeros(count * SIZE, "int64")
        if kind == 0:
            request, result = world().all_reduce(array, RedOpType.SUM), array
            expected = reduction(np.add, count, "int64")
        elif kind == 1:
            request, result, expected = world().broadcast(array, root), array, values(root, count, "int64")
        else:
            request, result = world().all_gather(output, array), output
            expected = np.concatenate([values(rank, count, "int64") for rank in range(SIZE)])
        if request is not None and own.random() < 0.7:
            request.background()
        under_way.append((request, result, expected))
        while under_way and own.random() < 0.4:
            request, result, expected = under_way.pop(own.integers(len(under_way)))
            finish(request)
            np.testing.assert_array_equal(result, expected)
    for request, result, expected in under_way:
        finish(request)
        np.testing.assert_array_equal(result, expected)


def check_a_late_rank_is_waited_for() -> None:
    if RANK == SIZE - 1:
        time.sleep(0.1)
    finish(world().barrier())
    array = np.full(1 << 20, 1, "float32")
    if RANK == 0:
        time.sleep(0.1)
    finish(world().all_reduce(array, RedOpType.SUM))
    assert (array == SIZE).all()


def check_parts_of_the_ranks() -> None:
    ranks = list(reversed(range(0, SIZE, 2)))
    part = world().split(ranks, 1)
    assert (part is None) == (RANK % 2 == 1)
    if part is not None:
        assert (part.rank, part.size) == (ranks.index(RANK), len(ranks))
        array = np.array([RANK])
        finish(part.all_reduce(array, RedOpType.SUM))
        assert array[0] == sum(ranks)
        finish(part.barrier())
        part.close()
    alone = world().split([RANK], 2 + RANK)
    finish(alone.all_reduce(array := np.ones(3), RedOpType.SUM))
    finish(alone.barrier())
    assert array.sum() == 3
    alone.close()


def check_peers_say_where_the_others_are() -> None:
    if SIZE == 1:
        assert world().peers() == []
        return
    group = world().split(list(range(SIZE)), 50)
    group.announce(Call(1, "all_reduce", ("SUM", "float32", (2,))))
    array = np.ones(2, "float32")
    if RANK > 0:
        finish(world().barrier())  # rank 0 waits alone until here
        finish(group.all_reduce(array, RedOpType.SUM))
    else:
        request = group.all_reduce(array, RedOpType.SUM)
        assert not request.wait(0.02)
        assert [(peer.rank, peer.call, peer.state) for peer in group.peers()] == [
            (rank, None, "finished") for rank in range(1, SIZE)
        ]
        finish(world().barrier())
        finish(request)
    finish(world().barrier())
    for peer in group.peers():
        assert peer.state == "finished"
        assert peer.call.number == 1
        assert peer.call.name == "all_reduce"
        assert "SUM" in peer.call.text
    finish(world().barrier())
    group.close()


def check_the_group_closes() -> None:
    world().close()
