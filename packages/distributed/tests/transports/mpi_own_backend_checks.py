"""Checks of a backend that derives from MpiGroup and has collectives of its own, on all ranks (mpi_run.py)."""

from __future__ import annotations

from typing import Any

import wengert as wg
import wengert.distributed as dist
from wengert_distributed.backends.mpi import MpiGroup
from wengert_distributed.backends.mpi.group import METHODS

CALLS: list[str] = []


def own_method(name: str) -> Any:
    """Return a method of MpiGroup that notes its calls."""

    def method(self: MpiGroup, *arguments: Any) -> Any:
        CALLS.append(name)
        return getattr(MpiGroup, name)(self, *arguments)

    return method


class OwnWay(MpiGroup):
    """A backend of a stranger, with collectives of its own."""

    backend = "own_way"


for each in METHODS:
    setattr(OwnWay, each, own_method(each))


dist.Backend.register_backend("own_way", OwnWay)
dist.init_process_group("own_way")
RANK, SIZE = dist.get_rank(), dist.get_world_size()


def assert_all_are_called(group: Any) -> None:
    """Call each collective in a group of all ranks."""
    x, parts = wg.ones(3), [wg.zeros(3) for _ in range(SIZE)]
    whole, received = wg.ones(3 * SIZE), wg.zeros(3 * SIZE)
    on_root = parts if RANK == 0 else None
    other = (RANK + 1) % SIZE
    calls = {
        "barrier": lambda: dist.barrier(group=group),
        "all_reduce": lambda: dist.all_reduce(x, group=group),
        "reduce": lambda: dist.reduce(x, 0, group=group),
        "broadcast": lambda: dist.broadcast(x, 0, group=group),
        "all_gather": lambda: dist.all_gather(parts, x, group=group),
        "gather": lambda: dist.gather(x, on_root, 0, group=group),
        "scatter": lambda: dist.scatter(x, on_root, 0, group=group),
        "reduce_scatter": lambda: dist.reduce_scatter_tensor(x, whole, group=group),
        "all_to_all": lambda: dist.all_to_all_single(received, whole, group=group),
        "send": lambda: dist.send(x, other, group=group),
        "recv": lambda: dist.recv(x, other, group=group),
    }
    assert set(calls) == set(METHODS)
    for name, call in calls.items():
        CALLS.clear()
        call()
        assert [name] == CALLS


def check_its_collectives_are_called() -> None:
    for group in (dist.group.WORLD, dist.new_group(list(range(SIZE)))):
        x = wg.ones(3)
        dist.all_reduce(x, group=group)
        assert x.tolist() == [SIZE] * 3
        assert_all_are_called(group)


def check_a_backend_that_sees_all_calls_does() -> None:
    seen: list[str] = []

    def announce_wait(self: MpiGroup, call: Any, seconds: float) -> None:
        seen.append(call.name)
        MpiGroup.announce_wait(self, call, seconds)

    OwnWay.announce_wait = announce_wait
    try:
        group = dist.new_group(list(range(SIZE)))
        assert group.blocking is None
        assert_all_are_called(group)
    finally:
        del OwnWay.announce_wait
    assert seen == list(METHODS)
