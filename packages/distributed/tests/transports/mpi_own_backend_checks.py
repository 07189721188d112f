"""Checks of a backend that derives from MpiGroup and reduces in its own way, on all ranks (mpi_run.py)."""

from __future__ import annotations

from typing import Any

import wengert as wg
import wengert.distributed as dist
from wengert_distributed.backends.mpi import MpiGroup


class OwnWay(MpiGroup):
    """A backend of a stranger, with a reduction of its own."""

    backend = "own_way"
    calls = 0

    def all_reduce(self, array: Any, op: Any) -> Any:
        OwnWay.calls += 1
        return super().all_reduce(array, op)


dist.Backend.register_backend("own_way", OwnWay)
dist.init_process_group("own_way")
SIZE = dist.get_world_size()


def check_its_reduction_is_called() -> None:
    for group in (dist.group.WORLD, dist.new_group(list(range(SIZE)))):
        before = OwnWay.calls
        x = wg.ones(3)
        dist.all_reduce(x, group=group)
        assert x.tolist() == [SIZE] * 3
        assert (OwnWay.calls, group.reduce_now) == (before + 1, None)
