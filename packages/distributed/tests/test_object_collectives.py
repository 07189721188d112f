"""Python objects between simulated ranks."""

from __future__ import annotations

from typing import Any

import pytest
import wengert as wg
from wengert_testing.sim_group import run_ranks

dist = wg.distributed
RANKS = 3


def of_rank(rank: int) -> dict[str, Any]:
    return {"rank": rank, "text": "x" * rank, "list": [None] * rank}


def test_objects_of_different_lengths_are_gathered_on_all_ranks() -> None:
    def program() -> list[Any]:
        everyone = [None] * RANKS
        dist.all_gather_object(everyone, of_rank(dist.get_rank()))
        return everyone

    assert run_ranks(RANKS, program) == [[of_rank(rank) for rank in range(RANKS)]] * RANKS


def test_objects_are_gathered_on_one_rank() -> None:
    def program() -> Any:
        everyone = [None] * RANKS if dist.get_rank() == 2 else None
        dist.gather_object(of_rank(dist.get_rank()), everyone, dst=2)
        return everyone

    assert run_ranks(RANKS, program) == [None, None, [of_rank(rank) for rank in range(RANKS)]]


def test_objects_of_one_rank_are_broadcast() -> None:
    def program() -> Any:
        objects: list[Any] = [of_rank(dist.get_rank()), wg.full((2,), float(dist.get_rank()))]
        dist.broadcast_object_list(objects, src=1)
        return objects[0], objects[1].tolist()

    assert run_ranks(RANKS, program) == [(of_rank(1), [1.0, 1.0])] * RANKS


def test_objects_are_scattered() -> None:
    def program() -> Any:
        own: list[Any] = [None, "stays"]
        dist.scatter_object_list(own, [of_rank(rank) for rank in range(RANKS)] if dist.get_rank() == 0 else None)
        return own

    assert run_ranks(RANKS, program) == [[of_rank(rank), "stays"] for rank in range(RANKS)]


@pytest.mark.parametrize("source", [0, None], ids=["from a rank", "from any rank"])
def test_objects_are_sent_to_another_rank(source: int | None) -> None:
    def program() -> Any:
        objects: list[Any] = [None, None]
        if dist.get_rank() == 0:
            dist.send_object_list([of_rank(5), "end"], dst=1)
        else:
            assert dist.recv_object_list(objects, src=source) == 0
        return objects

    assert run_ranks(2, program)[1] == [of_rank(5), "end"]
