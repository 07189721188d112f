"""Checks of sends and receives for programs that wait at once, on all ranks (mpi_run.py)."""

from __future__ import annotations

import functools
import operator
from typing import Any

import pytest
import wengert as wg
import wengert.distributed as dist
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
SHAPES = ((), (3,), (2, 3), (1, 2, 1), (100_000,))  # the last is longer than what MPI sends without an answer


def values(rank: int, dtype: Any, *shape: int) -> wg.Tensor:
    count = functools.reduce(operator.mul, shape, 1)
    return (wg.arange(count) * (rank + 2) % 4 + rank % 2).reshape(shape).to(dtype)


def pass_on(send: Any, receive: Any) -> Any:
    """Send to the next rank and receive from the one before; rank 0 sends first, so that no rank waits in a ring."""
    if RANK == 0:
        send()
        return receive()
    source = receive()
    send()
    return source


def check_messages_of_all_dtypes_are_taken() -> None:
    count = WORLD.host.count
    for dtype in DTYPES:
        for shape in SHAPES:
            x, y = values(RANK, dtype, *shape), wg.zeros(shape, dtype=dtype)
            versions = x._version, y._version
            sent: list[bool] = []
            source = pass_on(lambda x=x, s=sent: s.append(BLOCKING.send(x, NEXT, 3)),
                             lambda y=y: BLOCKING.recv(y, BEFORE, 3))  # fmt: skip
            assert (sent, source) == ([True], BEFORE)
            assert y.equal(values(BEFORE, dtype, *shape)), (dtype, shape)
            assert (x._version, y._version) == (versions[0], versions[1] + 1)
    assert WORLD.host.count == count  # ranks agree on no order of messages


def check_receives_from_any_rank_say_from_which() -> None:
    x = wg.full((2,), float(RANK))
    dist.barrier()
    if RANK:
        dist.send(x, 0)
    else:
        found = {}
        for _ in range(SIZE - 1):
            y = wg.zeros(2)
            source = dist.recv(y)
            found[source] = y.tolist()
        assert found == {rank: [rank, rank] for rank in range(1, SIZE)}


def check_messages_in_a_group_name_its_ranks() -> None:
    members = list(range(SIZE))[-3:]
    group = dist.new_group(members)
    first, second = members[-1], members[0]
    for by_group in (False, True):
        y = wg.zeros(2)
        if first == RANK:
            dist.send(y + 5, group=group, **({"group_dst": 0} if by_group else {"dst": second}))
            dist.send(y + 6, group=group, **({"group_dst": 0} if by_group else {"dst": second}))
        elif second == RANK:
            side = {"group_src": len(members) - 1} if by_group else {"src": first}
            assert dist.recv(y, group=group, **side) == first
            assert y.tolist() == [5, 5]
            assert dist.recv(y, group=group) == first
            assert y.tolist() == [6, 6]
    if RANK in members:
        dist.destroy_process_group(group)


def check_tags_divide_messages() -> None:
    first, second = wg.zeros(1), wg.zeros(1)
    dist.barrier()
    if RANK == 0:
        dist.send(wg.ones(1), 1, tag=1)
        dist.send(wg.full((1,), 2.0), 1, tag=2)
    if RANK == 1:
        dist.recv(second, 0, tag=2)
        dist.recv(first, 0, tag=1)
        assert (first.item(), second.item()) == (1.0, 2.0)


def check_what_they_leave_to_others() -> None:
    x = wg.ones(2, 3)
    for bad in (x.t(), wg.ones(0), wg.nn.Parameter(x), None):
        assert BLOCKING.send(bad, NEXT, 0) is False
        assert BLOCKING.recv(bad, NEXT, 0) is None
    for rank in (RANK, SIZE, -1, 1 << 70, True, 1.0, "1"):
        assert BLOCKING.send(x, rank, 0) is False
        assert BLOCKING.recv(x, rank, 0) is None
    for tag in (-1, 1 << 70, None, 1.0):
        assert BLOCKING.send(x, NEXT, tag) is False
        assert BLOCKING.recv(x, NEXT, tag) is None
    y = wg.zeros(3, 2).t()
    assert pass_on(lambda: dist.send(x.t().contiguous().t(), NEXT), lambda: dist.recv(y, BEFORE)) == BEFORE
    assert y.equal(x)


def check_a_message_that_does_not_fit_raises() -> None:
    dist.barrier()
    if RANK == 0:
        dist.send(wg.ones(4), 1)
    if RANK == 1:
        with pytest.raises(DistBackendError, match=r"recv\(float32 \[2\] from rank 0\).*(?s:.*)(?i:truncat)"):
            dist.recv(wg.zeros(2), 0)


def check_wrong_arguments_raise() -> None:
    x = wg.ones(2)
    for call, side in ((dist.send, "dst"), (dist.recv, "src"), (dist.isend, "dst"), (dist.irecv, "src")):
        with pytest.raises(TypeError, match="Expected parameter `tensor`"):
            call(None, NEXT)
        with pytest.raises(ValueError, match="should not be the same as the rank of the current process"):
            call(x, RANK)
        with pytest.raises(RuntimeError, match="invalid root rank"):
            call(x, SIZE)
        with pytest.raises(TypeError, match=f"Expected parameter `{side}` of type int"):
            call(x, "1")
        with pytest.raises(RuntimeError, match="Tag must be nonnegative"):
            call(x, NEXT, tag=-1)
        with pytest.raises(ValueError, match="Can't specify both"):
            call(x, NEXT, **{f"group_{side}": NEXT})
    with pytest.raises(ValueError, match="Must specify"):
        dist.send(x)
