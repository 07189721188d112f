"""Checks of all_reduce for programs that wait at once, over real MPI, on all ranks (mpi_run.py)."""

from __future__ import annotations

import operator
import sys
from functools import reduce

import numpy as np
import pytest
import wengert as wg
import wengert.distributed as dist

dist.init_process_group("mpi")
RANK, SIZE = dist.get_rank(), dist.get_world_size()
WORLD = dist.group.WORLD
OPS = {"SUM": operator.add, "PRODUCT": operator.mul, "MIN": wg.minimum, "MAX": wg.maximum}
FLOATS = (wg.float32, wg.float64)
TAKEN = (*FLOATS, wg.uint8, wg.int8, wg.int16, wg.int32, wg.int64)


def values(rank: int, dtype, *shape: int) -> wg.Tensor:
    """Return small integers, so that no sum is rounded."""
    count = int(np.prod(shape))
    return (wg.arange(count) * (rank + 2) % 4 + 1).reshape(shape).to(dtype)


def reduction(name: str, dtype, *shape: int) -> wg.Tensor:
    every = [values(rank, dtype, *shape) for rank in range(SIZE)]
    return sum(every) / SIZE if name == "AVG" else reduce(OPS[name], every)


def check_tensors_that_it_takes() -> None:
    for dtype in TAKEN:
        for name in (*OPS, *(["AVG"] if dtype in FLOATS else [])):
            for shape in ((), (1,), (7,), (3, 4), (2, 1, 3), (1,) * 8, (20000,)):
                x = values(RANK, dtype, *shape)
                version = x._version
                assert WORLD.blocking.all_reduce(x, getattr(dist.ReduceOp, name)) is True
                assert x.equal(reduction(name, dtype, *shape)), (dtype, name, shape)
                assert x._version == version + 1


def check_a_part_of_a_tensor() -> None:
    whole = wg.zeros(4, 5)
    whole[1:3] = values(RANK, wg.float32, 2, 5)
    assert WORLD.blocking.all_reduce(whole[1:3], dist.ReduceOp.AVG)
    assert whole[1:3].equal(reduction("AVG", wg.float32, 2, 5))
    assert whole[0].eq(0).all()
    assert whole[3].eq(0).all()


def check_tensors_that_need_gradients() -> None:
    leaf = wg.ones(3, requires_grad=True)
    for op in (dist.ReduceOp.SUM, dist.ReduceOp.AVG):
        assert WORLD.blocking.all_reduce(leaf, op)
        with wg.no_grad():
            assert WORLD.blocking.all_reduce(leaf, op)
    assert leaf.tolist() == [SIZE * SIZE] * 3
    assert leaf._version == 4
    assert leaf.is_leaf
    factor = wg.ones(3)
    y = leaf * factor
    dist.all_reduce(factor)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def check_what_it_leaves_to_others() -> None:
    count = WORLD.host.count
    shared = np.ones(3, "float32")
    shared.flags.writeable = False
    for x in (
        wg.ones(3, 4).t(), wg.ones(0), wg.ones(3, dtype=wg.float16), wg.ones(3, dtype=wg.bfloat16),
        wg.ones(3, dtype=wg.complex64), wg.ones(3, dtype=wg.bool), wg.nn.Parameter(wg.ones(2)),
        wg.ones(1, 1, 1, 1, 1, 1, 1, 1, 2), [1.0], None,
    ):  # fmt: skip
        assert WORLD.blocking.all_reduce(x, dist.ReduceOp.SUM) is False
    for op in (dist.ReduceOp.BAND, 3, None):
        assert WORLD.blocking.all_reduce(wg.ones(3), op) is False
    assert WORLD.blocking.all_reduce(wg.ones(3, dtype=wg.int64), dist.ReduceOp.AVG) is False
    assert WORLD.host.count == count
    x = wg.full((3,), RANK + 1.0)
    dist.all_reduce(x, dist.ReduceOp(dist.ReduceOp.AVG))
    assert x.eq((SIZE + 1) / 2).all()
    for x in (wg.ones(3, 4).t(), wg.ones(3, dtype=wg.float16), wg.ones(1, 1, 1, 1, 1, 1, 1, 1, 2), wg.ones(0)):
        dist.all_reduce(x)
        assert x.eq(SIZE).all()


def check_ranks_may_have_tensors_with_and_without_gaps() -> None:
    x = wg.ones(4, 4) * (RANK + 1)
    x = x.t() if RANK % 2 else x
    dist.all_reduce(x)
    assert x.eq(SIZE * (SIZE + 1) / 2).all()


def check_many_in_a_row() -> None:
    """Between collectives that take another way: all count one sequence."""
    total = wg.zeros(5, dtype=wg.float64)
    for step in range(300):
        x = wg.full((5,), float(RANK + step), dtype=wg.float64)
        if step % 7 == 3:
            dist.broadcast(x, step % SIZE)
            x *= SIZE
        else:
            work = dist.all_reduce(x, async_op=step % 5 == 2)
            if work is not None:
                work.wait()
        total += x
    every = sum((step % SIZE + step) * SIZE if step % 7 == 3 else SIZE * step + SIZE * (SIZE - 1) // 2
                for step in range(300))  # fmt: skip
    assert total.eq(every).all()


def check_the_newest_call_is_known() -> None:
    backend = WORLD.host.backend
    dist.all_reduce(wg.ones(2, 3))
    call = backend.call
    assert (call.number, call.name, call.text) == (WORLD.host.count, "all_reduce", "SUM float32 [2, 3]")
    dist.barrier()
    assert backend.call.name == "barrier"
    dist.all_reduce(wg.ones(5, dtype=wg.int32), dist.ReduceOp.MAX)
    assert backend.call.text == "MAX int32 [5]"
    if RANK < 2:
        (dist.send if RANK == 0 else dist.recv)(wg.ones(1), 1 - RANK)
        assert backend.call.name in ("send", "recv")
    dist.all_reduce(wg.ones(()))
    assert backend.call.text == "SUM float32 []"


def check_groups_have_their_own() -> None:
    pairs = [dist.new_group([first, first + 1]) for first in range(0, SIZE - 1, 2)]
    mine = pairs[RANK // 2]
    x = wg.ones(3) * RANK
    dist.all_reduce(x, group=mine)
    assert x.eq(RANK // 2 * 4 + 1).all()
    alone = [dist.new_group([rank]) for rank in range(SIZE)][RANK]
    assert alone.blocking is None
    dist.all_reduce(x, group=alone)
    assert x.eq(RANK // 2 * 4 + 1).all()


def check_it_runs_two_functions_of_python_where_the_others_come_at_once() -> None:
    frames: list[str] = []
    x = wg.ones(16)
    fewest = 100
    for _ in range(200):  # another rank may be late, which takes more
        frames.clear()
        sys.setprofile(lambda frame, event, argument: frames.append(frame.f_code.co_name) if event == "call" else None)
        try:
            dist.all_reduce(x)
        finally:
            sys.setprofile(None)
        fewest = min(fewest, len(frames))
    assert fewest == 2, frames
