"""Random programs: asynchronous collectives in one order on all ranks, waited for in another on each."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
import wengert as wg
from wengert_testing.sim_group import run_ranks

dist = wg.distributed
RANKS = 4
Started = tuple[Any, Callable[[], bool]]


def start_all_reduce(rank: int, number: int) -> Started:
    x = wg.full((number % 3 + 1,), float(rank + number))
    work = dist.all_reduce(x, async_op=True)
    return work, lambda: bool((x == sum(one + number for one in range(RANKS))).all())


def start_broadcast(rank: int, number: int) -> Started:
    x = wg.full((2, 3), float(10 * rank + number)).t()
    work = dist.broadcast(x, src=number % RANKS, async_op=True)
    return work, lambda: bool((x == 10 * (number % RANKS) + number).all())


def start_all_gather(rank: int, number: int) -> Started:
    out = wg.empty(RANKS, 2)
    work = dist.all_gather_into_tensor(out, wg.full((2,), float(rank * number)), async_op=True)
    return work, lambda: out[:, 0].tolist() == [one * number for one in range(RANKS)]


def start_reduce_scatter(rank: int, number: int) -> Started:
    out = wg.empty(1, dtype=wg.bfloat16)
    work = dist.reduce_scatter_tensor(out, (wg.arange(RANKS) * (number % 4)).bfloat16(), async_op=True)
    return work, lambda: float(out) == RANKS * rank * (number % 4)


def start_all_to_all(rank: int, number: int) -> Started:
    out = wg.empty(RANKS)
    work = dist.all_to_all_single(out, wg.arange(RANKS) + 10.0 * rank + number, async_op=True)
    return work, lambda: out.tolist() == [10.0 * one + rank + number for one in range(RANKS)]


def start_ring(rank: int, number: int) -> Started:
    """Send to the next rank and receive from the last one."""
    x = wg.empty(1)
    send = dist.isend(wg.tensor([float(rank + number)]), (rank + 1) % RANKS, tag=number)
    receive = dist.irecv(x, (rank - 1) % RANKS, tag=number)
    return wg.futures.collect_all(
        [send.get_future(), receive.get_future()]
    ), lambda: float(x) == (rank - 1) % RANKS + number


STARTS = [
    start_all_reduce, start_broadcast, start_all_gather, start_reduce_scatter, start_all_to_all, start_ring,
]  # fmt: skip


def random_program(seed: int) -> None:
    rank = dist.get_rank()
    common, own = random.Random(seed), random.Random(100 * seed + rank)
    under_way: list[Started] = []
    for number in range(15):
        under_way.append(common.choice(STARTS)(rank, number))
        while under_way and own.random() < 0.4:
            work, is_right = under_way.pop(own.randrange(len(under_way)))
            work.wait()
            assert is_right()
    own.shuffle(under_way)
    for work, is_right in under_way:
        work.wait()
        assert is_right()


@pytest.mark.parametrize("seed", range(8))
def test_whatever_order_ranks_wait_in_values_are_right(seed: int) -> None:
    run_ranks(RANKS, random_program, seed, seed=seed)
