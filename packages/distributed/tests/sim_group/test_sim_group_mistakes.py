"""Mistakes of distributed programs, planted: each shows on the simulated group, by wrong values and by RaceError."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import wengert as wg
from wengert_testing.sim_group import RaceError, run_ranks

dist = wg.distributed
SEEDS = range(5)
SIZES = (3, 5, 3, 3)


def buckets(rank: int) -> list[Any]:
    return [wg.full((size,), float(10**index * (rank + 1))) for index, size in enumerate(SIZES)]


def right_values(n: int) -> list[float]:
    return [10.0**index * n * (n + 1) / 2 for index in range(len(SIZES))]


def right() -> list[float]:
    """Reduce buckets while others are still computed, as data parallel training does."""
    works = [(bucket, dist.all_reduce(bucket, async_op=True)) for bucket in buckets(dist.get_rank())]
    for _, work in works:
        work.wait()
    return [float(bucket[0]) for bucket, _ in works]


def missing_wait() -> list[float]:
    """The last bucket is read before its reduction has ended."""
    works = [(bucket, dist.all_reduce(bucket, async_op=True)) for bucket in buckets(dist.get_rank())]
    for _, work in works[:-1]:
        work.wait()
    return [float(bucket[0]) for bucket, _ in works]


def no_wait_at_all() -> list[float]:
    tensors = buckets(dist.get_rank())
    for bucket in tensors:
        dist.all_reduce(bucket, async_op=True)
    return [float(bucket[0]) for bucket in tensors]


def buffer_reused_too_early() -> list[float]:
    """A flat buffer is filled for the next bucket before the reduction of the last one has ended."""
    flat, results = wg.zeros(max(SIZES)), []
    works = []
    for bucket in buckets(dist.get_rank()):
        part = flat[: bucket.numel()]
        part.copy_(bucket)
        works.append((part, dist.all_reduce(part, async_op=True)))
    for part, work in works:
        work.wait()
        results.append(float(part[0]))
    return results


def input_overwritten() -> list[float]:
    """The input of an all_gather is set to 0 at once."""
    x = wg.full((2,), float(dist.get_rank() + 1))
    out = wg.empty(2 * dist.get_world_size())
    work = dist.all_gather_into_tensor(out, x, async_op=True)
    x.zero_()
    work.wait()
    return [float(out.sum())]


def sent_memory_overwritten() -> list[float]:
    rank, n = dist.get_rank(), dist.get_world_size()
    x, got = wg.full((2,), float(rank + 1)), wg.empty(2)
    work = dist.isend(x, (rank + 1) % n)
    x.zero_()
    dist.recv(got, (rank - 1) % n)
    work.wait()
    return [float(got[0])]


def output_read_too_early() -> list[float]:
    """A program uses the tensor of a receive before it is there."""
    rank, n = dist.get_rank(), dist.get_world_size()
    got = wg.full((2,), float((rank - 1) % n + 1))  # the right values, by accident
    send, receive = dist.isend(wg.full((2,), float(rank + 1)), (rank + 1) % n), dist.irecv(got, (rank - 1) % n)
    result = float(got[0])
    send.wait()
    receive.wait()
    return [result]


@pytest.mark.parametrize("n", [2, 3, 4])
def test_the_right_program_gives_the_right_values_with_every_seed(n: int) -> None:
    for seed in SEEDS:
        assert run_ranks(n, right, seed=seed) == [right_values(n)] * n


@pytest.mark.parametrize("mistake", [missing_wait, no_wait_at_all], ids=lambda one: one.__name__)
def test_a_missing_wait_is_reported(mistake: Callable[[], Any]) -> None:
    for seed in SEEDS:
        with pytest.raises(RaceError, match=r"rank 0, all_reduce number 4 \(SUM float32 \[3\]\): .* never waited for"):
            run_ranks(2, mistake, seed=seed)


def test_a_missing_wait_gives_wrong_values() -> None:
    assert all(run_ranks(2, no_wait_at_all, seed=seed, checks=False) != [right_values(2)] * 2 for seed in SEEDS)
    wrong = [run_ranks(2, missing_wait, seed=seed, checks=False) != [right_values(2)] * 2 for seed in range(10)]
    assert any(wrong)  # the last bucket may happen to have been reduced


@pytest.mark.parametrize(
    ("mistake", "name"),
    [(buffer_reused_too_early, "all_reduce"), (input_overwritten, "all_gather"), (sent_memory_overwritten, "send")],
    ids=lambda one: getattr(one, "__name__", one),
)
def test_memory_written_to_too_early_is_reported(mistake: Callable[[], Any], name: str) -> None:
    for seed in SEEDS:
        with pytest.raises(RaceError, match=rf"rank \d, {name} .*: the program wrote to its (input|output) before"):
            run_ranks(3, mistake, seed=seed)


def test_memory_written_to_too_early_gives_wrong_values() -> None:
    for seed in SEEDS:
        assert run_ranks(3, buffer_reused_too_early, seed=seed, checks=False) != [right_values(3)] * 3
        assert run_ranks(3, input_overwritten, seed=seed, checks=False) == [[0.0]] * 3
        assert run_ranks(3, sent_memory_overwritten, seed=seed, checks=False) == [[0.0]] * 3


def test_outputs_hold_nan_until_they_are_there() -> None:
    assert np.isnan(run_ranks(3, output_read_too_early)).all()


def test_integer_outputs_hold_the_largest_integer_until_they_are_there() -> None:
    def program() -> int:
        out = wg.zeros(2, dtype=wg.int32)
        work = dist.all_gather_into_tensor(out, wg.ones(1, dtype=wg.int32), async_op=True)
        early = int(out[0])
        work.wait()
        return early

    assert run_ranks(2, program) == [2**31 - 1] * 2


def in_order_of(order: list[int]) -> list[float]:
    """Reduce the buckets in another order on rank 1."""
    tensors = buckets(dist.get_rank())
    for index in order if dist.get_rank() == 1 else range(len(tensors)):
        dist.all_reduce(tensors[index])
    return [float(bucket[0]) for bucket in tensors]


def test_another_order_of_buckets_of_one_size_gives_wrong_values() -> None:
    for seed in SEEDS:
        assert run_ranks(2, in_order_of, [0, 1, 3, 2], seed=seed) != [right_values(2)] * 2


def test_another_order_of_buckets_of_different_sizes_raises() -> None:
    for seed in SEEDS:
        with pytest.raises(dist.DistBackendError, match=r"all_reduce\(SUM float32 \[[35]\]\), collective 1 failed"):
            run_ranks(2, in_order_of, [1, 0, 2, 3], seed=seed)


def test_asynchronous_collectives_end_in_random_order() -> None:
    def program() -> tuple[int, ...]:
        tensors = [wg.ones(2) for _ in range(4)]
        works = [dist.all_reduce(tensor, async_op=True) for tensor in tensors]
        order: list[int] = []
        while len(order) < len(works):
            order += [index for index, work in enumerate(works) if index not in order and work.is_completed()]
        return tuple(order)

    orders = {run_ranks(2, program, seed=seed, delays=2e-6)[0] for seed in range(6)}
    assert len(orders) > 1


def test_a_run_repeats_by_its_seed() -> None:
    def program() -> list[float]:
        rank, n = dist.get_rank(), dist.get_world_size()
        if rank:
            dist.send(wg.full((1,), float(rank)), 0)
        got = []
        for _ in range(n - 1 if rank == 0 else 0):
            x = wg.zeros(1)
            dist.recv(x)
            got.append(float(x))
        return [*got, float(wg.rand(1))]

    assert all(run_ranks(5, program, seed=seed, checks=False)[0][:4] == run_ranks(5, program, seed=seed)[0][:4]
               for seed in range(4))  # fmt: skip


def test_each_rank_has_the_random_generator_of_the_caller() -> None:
    def program() -> list[float]:
        first = wg.rand(1)
        dist.barrier()
        return [float(first), float(wg.rand(1))]

    wg.manual_seed(3)
    alone = [float(wg.rand(1)), float(wg.rand(1))]
    wg.manual_seed(3)
    assert run_ranks(3, program) == [alone] * 3
    assert float(wg.rand(1)) == alone[0]
