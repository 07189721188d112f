"""Values of collectives that move tensors, on simulated ranks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wengert as wg
from wengert_testing.sim_group import run_ranks

dist = wg.distributed
RANKS = 3
DTYPES = [
    wg.float64, wg.float32, wg.float16, wg.bfloat16, wg.complex64, wg.complex128, wg.bool, wg.uint8, wg.int8, wg.int16,
    wg.int32, wg.int64, wg.uint16, wg.uint32, wg.uint64,
]  # fmt: skip


def of_rank(rank: int, dtype: Any = wg.float32, shape: tuple[int, ...] = (2, 3)) -> Any:
    """Values of a rank; other ranks have others."""
    x = wg.arange(int(np.prod(shape))).view(shape) + 10 * rank
    return x % 3 > 1 if dtype is wg.bool else x.to(dtype)


def equal(a: Any, b: Any) -> bool:
    """Return whether two tensors have the same dtype, shape and bytes."""
    if (a.dtype, a.shape) != (b.dtype, b.shape):
        return False
    return a.numel() == 0 or bool((a == b).all())


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype_arrives(dtype: Any) -> None:
    def program() -> None:
        rank, n = dist.get_rank(), dist.get_world_size()
        own = of_rank(rank, dtype)
        everyone = [of_rank(one, dtype) for one in range(n)]
        x = own.clone()
        dist.broadcast(x, src=2)
        assert equal(x, everyone[2])
        gathered = [wg.zeros_like(own) for _ in range(n)]
        dist.all_gather(gathered, own)
        assert all(map(equal, gathered, everyone))
        stacked, joined = wg.zeros(n, 2, 3, dtype=dtype), wg.zeros(2 * n, 3, dtype=dtype)
        dist.all_gather_into_tensor(stacked, own)
        dist.all_gather_single(joined, own)
        assert equal(stacked, wg.stack(everyone))
        assert equal(joined, wg.cat(everyone))
        collected = [wg.zeros_like(own) for _ in range(n)] if rank == 1 else None
        dist.gather(own, collected, dst=1)
        assert collected is None or all(map(equal, collected, everyone))
        part = wg.zeros_like(own)
        dist.scatter(part, everyone if rank == 0 else None, src=0)
        assert equal(part, own)
        rows = wg.zeros(n, 3, dtype=dtype)
        dist.all_to_all_single(rows, of_rank(rank, dtype, (n, 3)))
        assert equal(rows, wg.stack([of_rank(one, dtype, (n, 3))[rank] for one in range(n)]))
        lists = [wg.zeros(3, dtype=dtype) for _ in range(n)]
        dist.all_to_all(lists, list(of_rank(rank, dtype, (n, 3))))
        assert equal(wg.stack(lists), rows)
        received = wg.zeros_like(own)
        work = dist.isend(own, (rank + 1) % n)
        assert dist.recv(received, (rank - 1) % n) == (rank - 1) % n
        work.wait()
        assert equal(received, everyone[rank - 1])

    run_ranks(RANKS, program)


def test_tensors_that_are_not_contiguous_are_read_and_written() -> None:
    def with_strides(x: Any) -> Any:
        return x.new_zeros(*x.shape, 2)[..., 1].copy_(x)

    def program() -> None:
        rank, n = dist.get_rank(), dist.get_world_size()
        own, everyone = with_strides(of_rank(rank)), [of_rank(one) for one in range(n)]
        x = own.clone(memory_format=wg.preserve_format)
        target = with_strides(x)
        dist.broadcast(target, src=1)
        assert equal(target, everyone[1])
        gathered = [with_strides(own) for _ in range(n)]
        dist.all_gather(gathered, own)
        assert all(map(equal, gathered, everyone))
        whole = with_strides(wg.zeros(n, 2, 3))
        dist.all_gather_into_tensor(whole, own)
        assert equal(whole, wg.stack(everyone))
        part = with_strides(own * 0)
        dist.scatter(part, [with_strides(one) for one in everyone] if rank == 0 else None)
        assert equal(part, own)
        rows = with_strides(wg.zeros(n, 3))
        dist.all_to_all_single(rows, with_strides(of_rank(rank, shape=(n, 3))))
        assert equal(rows, wg.stack([of_rank(one, shape=(n, 3))[rank] for one in range(n)]))
        received = with_strides(own * 0)
        work = dist.isend(own, (rank + 1) % n)
        dist.recv(received, (rank - 1) % n)
        work.wait()
        assert equal(received, everyone[rank - 1])

    run_ranks(RANKS, program)


def test_zero_size_tensors_are_moved() -> None:
    def program() -> None:
        rank, n = dist.get_rank(), dist.get_world_size()
        empty = wg.empty(0, 4)
        dist.broadcast(empty, 0)
        dist.all_gather([wg.empty(0, 4) for _ in range(n)], empty)
        dist.all_gather_into_tensor(wg.empty(0, 4), empty)
        dist.gather(empty, [wg.empty(0, 4) for _ in range(n)] if rank == 0 else None)
        dist.scatter(empty, [wg.empty(0, 4) for _ in range(n)] if rank == 0 else None)
        dist.reduce_scatter_tensor(empty, empty.clone())
        dist.all_to_all_single(empty.clone(), empty)
        work = dist.isend(empty, (rank + 1) % n)
        dist.recv(empty.clone(), (rank - 1) % n)
        work.wait()

    run_ranks(RANKS, program)


def test_all_to_all_single_with_splits_of_any_length() -> None:
    """Rank r sends s rows to rank s, and gets r rows from each."""

    def program() -> None:
        rank, n = dist.get_rank(), dist.get_world_size()
        source = of_rank(rank, wg.complex64, (sum(range(n)), 2))
        out = wg.zeros(rank * n, 2, dtype=wg.complex64)
        dist.all_to_all_single(out, source, [rank] * n, list(range(n)))
        first = sum(range(rank))
        parts = [of_rank(one, wg.complex64, (sum(range(n)), 2))[first : first + rank] for one in range(n)]
        assert equal(out, wg.cat(parts))

    run_ranks(RANKS, program)


def test_all_to_all_with_tensors_of_different_shapes() -> None:
    def program() -> None:
        rank, n = dist.get_rank(), dist.get_world_size()
        received = [wg.zeros(rank + 1, one + 1) for one in range(n)]
        dist.all_to_all(received, [wg.full((one + 1, rank + 1), float(10 * rank + one)) for one in range(n)])
        for one, tensor in enumerate(received):
            assert equal(tensor, wg.full((rank + 1, one + 1), float(10 * one + rank)))

    run_ranks(RANKS, program)


def test_lists_that_are_parts_of_one_tensor_are_written_without_a_copy() -> None:
    """The backend is given the memory of the tensor itself."""

    def program() -> None:
        seen: list[Any] = []
        whole = wg.zeros(RANKS, 2)
        transport = dist.group.WORLD.channels["cpu"].backend
        gather = transport.all_gather
        transport.all_gather = lambda output, array: seen.append(output) or gather(output, array)
        dist.all_gather(list(whole), wg.ones(2))
        assert np.shares_memory(seen[-1], whole.numpy())
        dist.all_gather([wg.zeros(2) for _ in range(RANKS)], wg.ones(2))
        assert not np.shares_memory(seen[-1], whole.numpy())

    run_ranks(RANKS, program)


@pytest.mark.parametrize("name", ["all_reduce", "broadcast"])
def test_contiguous_tensors_are_used_where_they_are(name: str) -> None:
    seen: list[Any] = []

    def program() -> None:
        for dtype in (wg.float32, wg.complex64, wg.bool):
            x = wg.ones(4, dtype=dtype)
            transport = dist.group.WORLD.channels["cpu"].backend
            method = getattr(type(transport), name).__get__(transport)
            setattr(transport, name, lambda array, *args, method=method: seen.append(array) or method(array, *args))
            getattr(dist, name)(x, **({"src": 0} if name == "broadcast" else {}))
            assert np.shares_memory(seen[-1], x.numpy())

    run_ranks(1, program)


def test_receive_from_any_rank_says_from_which() -> None:
    def program() -> list[int]:
        rank, n = dist.get_rank(), dist.get_world_size()
        if rank:
            dist.send(wg.tensor([rank]), 0)
            return []
        x, sources = wg.tensor([0]), []
        for _ in range(n - 1):
            source = dist.recv(x)
            assert source == int(x)
            sources.append(source)
        return sources

    orders = {tuple(run_ranks(4, program, seed=seed)[0]) for seed in range(8)}
    assert all(sorted(order) == [1, 2, 3] for order in orders)
    assert len(orders) > 1


def test_tags_tell_messages_apart() -> None:
    def program() -> None:
        if dist.get_rank() == 0:
            works = [dist.isend(wg.tensor([float(tag)]), 1, tag=tag) for tag in (1, 2)]
            for work in works:
                work.wait()
        else:
            x, y = wg.zeros(1), wg.zeros(1)
            dist.recv(x, 0, tag=2)
            dist.recv(y, 0, tag=1)
            assert (float(x), float(y)) == (2.0, 1.0)

    run_ranks(2, program)


def test_messages_of_one_tag_arrive_in_order() -> None:
    def program() -> None:
        tensors = [wg.tensor([float(i)]) for i in range(6)]
        if dist.get_rank() == 0:
            works = [dist.isend(tensor, 1) for tensor in tensors]
        else:
            got = [wg.zeros(1) for _ in tensors]
            works = [dist.irecv(one, 0) for one in got]
        for work in reversed(works):
            work.wait()
        assert dist.get_rank() == 0 or [float(one) for one in got] == list(range(6))

    for seed in range(3):
        run_ranks(2, program, seed=seed)


def test_batch_of_sends_and_receives_around_a_ring() -> None:
    def program() -> float:
        rank, n = dist.get_rank(), dist.get_world_size()
        x = wg.zeros(1)
        send = dist.P2POp(dist.isend, wg.tensor([float(rank)]), (rank + 1) % n)
        ops = [send, dist.P2POp(dist.irecv, x, (rank - 1) % n)]
        for work in dist.batch_isend_irecv(ops):
            work.wait()
        return float(x)

    assert run_ranks(RANKS, program) == [2.0, 0.0, 1.0]


def test_group_ranks_name_roots_and_peers_within_the_group() -> None:
    def program() -> None:
        group = dist.new_group([1, 2])
        if dist.get_rank() == 0:
            return
        x = wg.tensor([float(dist.get_rank())])
        dist.broadcast(x, group=group, group_src=1)
        assert float(x) == 2.0
        y = wg.tensor([float(dist.get_rank())])
        dist.broadcast(y, src=1, group=group)
        assert float(y) == 1.0
        if dist.get_rank(group) == 0:
            dist.send(wg.ones(1), group=group, group_dst=1)
        else:
            assert dist.recv(wg.zeros(1), group=group) == 1

    run_ranks(RANKS, program)


def test_all_gather_coalesced_gathers_each_tensor() -> None:
    def program() -> None:
        n = dist.get_world_size()
        outputs = [[wg.zeros(2), wg.zeros(2, 3)] for _ in range(n)]
        dist.all_gather_coalesced(outputs, [wg.full((2,), float(dist.get_rank())), of_rank(dist.get_rank())])
        for rank, (first, second) in enumerate(outputs):
            assert equal(first, wg.full((2,), float(rank)))
            assert equal(second, of_rank(rank))

    run_ranks(RANKS, program)
