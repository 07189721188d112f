"""Checks of the collectives for programs that wait at once, but for all_reduce, on all ranks (mpi_run.py)."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import pytest
import wengert as wg
import wengert.distributed as dist

dist.init_process_group("mpi")
RANK, SIZE = dist.get_rank(), dist.get_world_size()
WORLD = dist.group.WORLD
BLOCKING = WORLD.blocking
LAST = SIZE - 1
REDUCED = (wg.float32, wg.float64, wg.uint8, wg.int8, wg.int16, wg.int32, wg.int64)
MOVED = (*REDUCED, wg.float16, wg.bfloat16, wg.bool, wg.complex64, wg.complex128, wg.uint16, wg.uint32, wg.uint64)
SHAPES = ((3,), (2, 3), (1, 2, 1), (4000,))
OPS = {"SUM": operator.add, "PRODUCT": operator.mul, "MIN": wg.minimum, "MAX": wg.maximum}


def values(rank: int, dtype: Any, *shape: int) -> wg.Tensor:
    """Return small integers, so that no sum is rounded."""
    count = functools.reduce(operator.mul, shape, 1)
    return (wg.arange(count) * (rank + 2) % 4 + 1).reshape(shape).to(dtype)


def parts(dtype: Any, *shape: int) -> list[wg.Tensor]:
    """Return the tensors of all ranks."""
    return [values(rank, dtype, *shape) for rank in range(SIZE)]


def blank(dtype: Any, *shape: int) -> wg.Tensor:
    return wg.zeros(shape, dtype=dtype)


def separate(dtype: Any, *shape: int) -> list[wg.Tensor]:
    return [blank(dtype, *shape) for _ in range(SIZE)]


def together(dtype: Any, *shape: int) -> list[wg.Tensor]:
    return list(blank(dtype, SIZE, *shape).unbind(0))


def take(outputs: list[wg.Tensor], method: Callable[..., bool], *arguments: Any) -> None:
    """Call a collective that is carried out, and compare the versions of its outputs with those before."""
    before, count = [x._version for x in outputs], WORLD.host.count
    assert method(*arguments) is True
    assert WORLD.host.count == count + 1
    raised = SIZE if len({x.untyped_storage().data_ptr() for x in outputs}) < len(outputs) else 1
    assert [x._version for x in outputs] == [version + raised for version in before]


def same(found: Any, expected: Any) -> bool:
    return all(a.equal(b) for a, b in zip(found, expected, strict=True))


def check_moves_of_all_dtypes() -> None:
    for dtype in MOVED:
        for shape in SHAPES:
            every = parts(dtype, *shape)
            for root in (0, LAST):
                x = every[RANK].clone()
                take([x] if root != RANK else [], BLOCKING.broadcast, x, root)
                assert x.equal(every[root]), (dtype, shape)
                for made in (separate, together):
                    lists = made(dtype, *shape) if root == RANK else None
                    take(lists or [], BLOCKING.gather, every[RANK], lists, root)
                    assert lists is None or same(lists, every)
                    inputs = made(dtype, *shape) if root == RANK else None
                    for into, value in zip(inputs or [], every, strict=False):
                        into.copy_(value)
                    out = blank(dtype, *shape)
                    take([out], BLOCKING.scatter, out, inputs, root)
                    assert out.equal(every[RANK])
            for made in (separate, together):
                lists = made(dtype, *shape)
                take(lists, BLOCKING.all_gather, lists, every[RANK])
                assert same(lists, every)
            whole = blank(dtype, SIZE, *shape)
            take([whole], BLOCKING.all_gather, whole, every[RANK])
            assert same(whole, every)
            received = blank(dtype, SIZE, *shape)
            sent = wg.stack([values(RANK + 3 * to, dtype, *shape) for to in range(SIZE)])
            take([received], BLOCKING.all_to_all, received, sent)
            expected = [values(sender + 3 * RANK, dtype, *shape) for sender in range(SIZE)]
            assert same(received, expected)
            for lists, inputs in ((separate, list(sent.unbind(0))), (together, [one.clone() for one in sent])):
                take(outputs := lists(dtype, *shape), BLOCKING.all_to_all, outputs, inputs)
                assert same(outputs, expected)


def check_reductions() -> None:
    for dtype in REDUCED:
        for name in (*OPS, *(["AVG"] if dtype.is_floating_point else [])):
            op = getattr(dist.ReduceOp, name)
            for shape in SHAPES:
                every = parts(dtype, *shape)
                expected = sum(every) / SIZE if name == "AVG" else functools.reduce(OPS[name], every)
                x = every[RANK].clone()
                take([x] if RANK == LAST else [], BLOCKING.reduce, x, LAST, op)
                assert x.equal(expected if RANK == LAST else every[RANK]), (dtype, name)
                rows = [wg.stack([values(rank + to, dtype, *shape) for to in range(SIZE)]) for rank in range(SIZE)]
                total = sum(rows) / SIZE if name == "AVG" else functools.reduce(OPS[name], rows)
                for inputs in (rows[RANK], [row.clone() for row in rows[RANK]], list(rows[RANK].unbind(0))):
                    out = blank(dtype, *shape)
                    take([out], BLOCKING.reduce_scatter, out, inputs, op)
                    assert out.equal(total[RANK]), (dtype, name)


def check_what_they_leave_to_others() -> None:
    count = WORLD.host.count
    good, lists, op = wg.ones(2 * SIZE), separate(wg.float32, 2), dist.ReduceOp.SUM
    for bad in (wg.ones(SIZE, 2).t(), wg.ones(0), wg.nn.Parameter(good), None):
        assert not BLOCKING.broadcast(bad, 0)
        assert not BLOCKING.reduce(bad, 0, op)
        assert not BLOCKING.all_gather(bad, wg.ones(2))
        assert not BLOCKING.all_gather(lists, bad)
        assert not BLOCKING.gather(bad, lists, RANK)
        assert not BLOCKING.gather(wg.ones(2), [bad, *lists[1:]], RANK)
        assert not BLOCKING.scatter(bad, lists, RANK)
        assert not BLOCKING.reduce_scatter(wg.ones(2), bad, op)
        assert not BLOCKING.reduce_scatter(bad, good, op)
        assert not BLOCKING.all_to_all(bad, good)
        assert not BLOCKING.all_to_all(good, bad)
    for bad in (lists[1:], tuple(lists), [wg.ones(3), *lists[1:]], [wg.ones(2, dtype=wg.int32), *lists[1:]], good[:1]):
        assert not BLOCKING.all_gather(bad, wg.ones(2))
        assert not BLOCKING.gather(wg.ones(2), bad, RANK)
        assert not BLOCKING.scatter(wg.ones(2), bad, RANK)
        assert not BLOCKING.reduce_scatter(wg.ones(2), bad, op)
        assert not BLOCKING.all_to_all(lists, bad)
        assert not BLOCKING.all_to_all(bad, lists)
    assert not BLOCKING.all_gather(good, good[:2])  # memory that is read and written
    assert not BLOCKING.reduce_scatter(good[:2], good, op)
    assert not BLOCKING.all_to_all(good, good)
    assert not BLOCKING.all_to_all(wg.ones(2 * SIZE + 1), wg.ones(2 * SIZE + 1))
    assert not BLOCKING.all_to_all(wg.ones(()), wg.ones(()))
    for dtype in (wg.float16, wg.bfloat16, wg.complex64, wg.bool, wg.uint16):
        assert not BLOCKING.reduce(wg.ones(3, dtype=dtype), 0, op)
        assert not BLOCKING.reduce_scatter(wg.ones(2, dtype=dtype), good.to(dtype), op)
    assert not BLOCKING.reduce(wg.ones(3, dtype=wg.int64), 0, dist.ReduceOp.AVG)
    assert WORLD.host.count == count


def check_an_input_that_is_a_part_of_the_output() -> None:
    whole = wg.full((2 * SIZE,), float(RANK))
    dist.all_gather_into_tensor(whole, whole[2 * RANK : 2 * RANK + 2])
    assert whole.tolist() == [float(rank) for rank in range(SIZE) for _ in range(2)]


def check_ranks_may_have_tensors_with_and_without_gaps() -> None:
    """One rank comes by the shorter way, the next one by the other."""
    for dtype in MOVED:
        gaps = RANK % 2

        def arrange(x: wg.Tensor, gaps: int = gaps) -> wg.Tensor:
            return x.repeat_interleave(2, -1)[..., ::2] if gaps else x

        every = parts(dtype, 3, SIZE)
        mine = arrange(every[RANK])
        assert mine.is_contiguous() is not bool(gaps)
        x = mine.clone() if not gaps else arrange(every[RANK].clone())
        dist.broadcast(x, LAST)
        assert x.equal(every[LAST]), dtype
        outs = [arrange(one) for one in separate(dtype, 3, SIZE)]
        dist.all_gather(outs, mine)
        assert same(outs, every)
        whole = arrange(blank(dtype, SIZE, 3, SIZE))
        dist.all_gather_into_tensor(whole, mine)
        assert same(whole, every)
        dist.gather(mine, outs if RANK == 0 else None, 0)
        out = arrange(blank(dtype, 3, SIZE))
        dist.scatter(out, [arrange(one) for one in every] if RANK == LAST else None, LAST)
        assert out.equal(every[RANK])
        received = arrange(blank(dtype, SIZE, 3))
        dist.all_to_all_single(received, arrange(values(RANK, dtype, SIZE, 3)))
        assert same(received, [values(rank, dtype, SIZE, 3)[RANK] for rank in range(SIZE)])
        if dtype in REDUCED:
            dist.reduce(x := arrange(every[RANK].clone()), 0)
            assert RANK or x.equal(sum(every))
            dist.reduce_scatter_tensor(out := arrange(blank(dtype, 3)), arrange(values(RANK, dtype, SIZE, 3)))
            assert out.equal(sum(values(rank, dtype, SIZE, 3)[RANK] for rank in range(SIZE)))


def check_the_newest_call_is_as_without_the_shorter_way() -> None:
    backend = WORLD.host.backend
    x, big = wg.ones(2, 3), wg.ones(2 * SIZE, 3)
    out = wg.empty(2 * SIZE, 3)
    lists = separate(wg.float32, 2, 3)
    on_last = lists if RANK == LAST else None
    calls = (
        lambda: dist.broadcast(x, LAST), lambda: dist.reduce(x, LAST), lambda: dist.all_gather_into_tensor(out, x),
        lambda: dist.all_gather(lists, x), lambda: dist.gather(x, on_last, LAST),
        lambda: dist.scatter(x, on_last, LAST), lambda: dist.reduce_scatter_tensor(x, big),
        lambda: dist.reduce_scatter(x, lists, dist.ReduceOp.MAX), lambda: dist.all_to_all_single(out, big),
        lambda: dist.all_to_all(lists, separate(wg.float32, 2, 3)),
    )  # fmt: skip
    for call in calls:
        call()
        short = backend.call
        WORLD.blocking = None
        try:
            call()
        finally:
            WORLD.blocking = BLOCKING
        plain = backend.call
        assert (short.number, short.name, short.text) == (plain.number - 1, plain.name, plain.text)


def check_saved_tensors_that_are_written_to() -> None:
    leaf = wg.ones(2, requires_grad=True)
    for write in (
        lambda x: dist.all_gather([x, *separate(wg.float32, 2)[1:]], wg.ones(2)),
        lambda x: dist.reduce_scatter_tensor(x, wg.ones(2 * SIZE)),
        lambda x: dist.scatter(x, separate(wg.float32, 2) if RANK == 0 else None, 0),
    ):
        factor = wg.ones(2)
        y = leaf * factor
        write(factor)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.sum().backward()


def check_roots_in_groups_are_global_ranks() -> None:
    group = dist.new_group(list(range(1, SIZE)))
    if RANK:
        x = wg.full((3,), float(RANK))
        dist.broadcast(x, LAST, group=group)
        assert x.tolist() == [LAST] * 3
        dist.broadcast(x := wg.full((3,), float(RANK)), group=group, group_src=0)
        assert x.tolist() == [1] * 3
