"""Checks of the functions of wengert.distributed over real MPI, against NumPy, on all ranks (mpi_run.py)."""

from __future__ import annotations

import functools
import operator

import wengert as wg
import wengert.distributed as dist

dist.init_process_group("mpi")
RANK, SIZE = dist.get_rank(), dist.get_world_size()
FLOATS = (wg.float16, wg.bfloat16, wg.float32, wg.float64)
INTEGERS = (wg.uint8, wg.int8, wg.int16, wg.int32, wg.int64)
COMPLEX = (wg.complex64, wg.complex128)


def values(rank: int, dtype) -> wg.Tensor:
    """Return small integers, so that no sum is rounded."""
    return (wg.arange(6) * (rank + 2) % 4 + 1).reshape(2, 3).to(dtype)


def every(dtype) -> list[wg.Tensor]:
    return [values(rank, dtype) for rank in range(SIZE)]


def check_all_reduce_of_every_dtype() -> None:
    for dtype in (*FLOATS, *INTEGERS, *COMPLEX):
        x = values(RANK, dtype)
        dist.all_reduce(x)
        assert x.dtype is dtype
        assert x.equal(functools.reduce(operator.add, every(dtype)))
    for dtype in (*FLOATS, *INTEGERS):
        for op, function in (("PRODUCT", operator.mul), ("MIN", wg.minimum), ("MAX", wg.maximum)):
            x = values(RANK, dtype)
            dist.all_reduce(x, getattr(dist.ReduceOp, op))
            assert x.equal(functools.reduce(function, every(dtype))), (dtype, op)


def check_averages_and_bools() -> None:
    for dtype in FLOATS:
        x = values(RANK, dtype)
        dist.all_reduce(x, dist.ReduceOp.AVG)
        assert x.equal((sum(one.double() for one in every(dtype)) / SIZE).to(dtype)), dtype
    b = wg.tensor([True, RANK == 0, False])
    dist.all_reduce(b, dist.ReduceOp.SUM)
    assert b.tolist() == [True, True, False]


def check_tensors_with_gaps() -> None:
    whole = wg.zeros(4, 6)
    whole[:, ::2] = RANK + 1.0
    dist.all_reduce(whole[:, ::2])
    assert whole[:, ::2].eq(SIZE * (SIZE + 1) / 2).all()
    assert whole[:, 1::2].eq(0).all()
    dist.broadcast(whole.t()[1:3], SIZE - 1)


def check_moves_of_every_dtype() -> None:
    for dtype in (*FLOATS, *INTEGERS, *COMPLEX, wg.bool):
        mine = values(RANK, dtype)
        parts = [wg.zeros(2, 3, dtype=dtype) for _ in range(SIZE)]
        dist.all_gather(parts, mine)
        assert all(part.equal(one) for part, one in zip(parts, every(dtype), strict=True))
        whole = wg.zeros(2 * SIZE, 3, dtype=dtype)
        dist.all_gather_into_tensor(whole, mine)
        assert whole.equal(wg.cat(every(dtype)))
        dist.broadcast(x := values(RANK, dtype), SIZE - 1)
        assert x.equal(values(SIZE - 1, dtype))
        dist.scatter(x, every(dtype) if RANK == 0 else None, 0)
        assert x.equal(mine)
        dist.gather(mine, parts if RANK == SIZE - 1 else None, SIZE - 1)


def check_reduce_scatter_and_all_to_all() -> None:
    for dtype in (wg.float32, wg.bfloat16, wg.int64):
        output = wg.zeros(3, dtype=dtype)
        dist.reduce_scatter_tensor(output, wg.arange(3 * SIZE).to(dtype))
        assert output.equal(((wg.arange(3) + 3 * RANK) * SIZE).to(dtype))
        swapped = wg.zeros(SIZE, dtype=dtype)
        dist.all_to_all_single(swapped, wg.full((SIZE,), RANK, dtype=dtype))
        assert swapped.equal(wg.arange(SIZE).to(dtype))


def check_sends_and_receives() -> None:
    left, right = (RANK - 1) % SIZE, (RANK + 1) % SIZE
    for dtype in (wg.float32, wg.bfloat16, wg.complex64):
        received = wg.zeros(2, 3, dtype=dtype)
        sends = [dist.P2POp(dist.isend, values(RANK, dtype), right), dist.P2POp(dist.irecv, received, left)]
        for work in dist.batch_isend_irecv(sends):
            work.wait()
        assert received.equal(values(left, dtype))
    if RANK == 0:
        assert sorted(dist.recv(wg.zeros(1)) for _ in range(SIZE - 1)) == list(range(1, SIZE))
    else:
        dist.send(wg.zeros(1), 0)


def check_asynchronous_collectives() -> None:
    tensors = [wg.full((1000,), RANK + number) for number in range(8)]
    works = [dist.all_reduce(tensor, async_op=True) for tensor in tensors]
    for work in reversed(works):
        assert work.wait()
        assert work.is_completed()
    for number, tensor in enumerate(tensors):
        assert tensor.eq(sum(range(SIZE)) + SIZE * number).all()


def check_objects() -> None:
    objects: list = [None] * SIZE
    dist.all_gather_object(objects, {"rank": RANK, "text": "x" * RANK * 1000})
    assert [one["rank"] for one in objects] == list(range(SIZE))
    content = [("a", 1), None] if RANK == 0 else [None, None]
    dist.broadcast_object_list(content, 0)
    assert content == [("a", 1), None]


def check_groups_of_some_ranks() -> None:
    even = dist.new_group(list(range(0, SIZE, 2)))
    odd = dist.new_group(list(range(1, SIZE, 2)))
    x = wg.tensor([float(RANK)])
    dist.all_reduce(x, group=odd if RANK % 2 else even)
    assert x.item() == sum(range(RANK % 2, SIZE, 2))
    dist.barrier()


def check_the_group_can_be_made_again() -> None:
    dist.barrier()
    dist.destroy_process_group()
    assert not dist.is_initialized()
    dist.init_process_group("mpi")
    x = wg.ones(2)
    dist.all_reduce(x)
    assert x.eq(SIZE).all()
    dist.destroy_process_group()
