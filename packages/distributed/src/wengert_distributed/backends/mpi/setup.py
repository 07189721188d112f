"""Steps of connecting ranks: a limit of time on calls that wait for all, and the memory of a machine's ranks."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import wengert

from wengert_distributed.faults.board import Board, create_memory, open_memory
from wengert_distributed.faults.time_limit import call_within

T = TypeVar("T")
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "WENGERT_NUM_THREADS")


def connect_within(function: Callable[[], T], seconds: float, name: str) -> T:
    """Call MPI within a limit of time; DistBackendError where that is over.

    Where MPI does not allow several threads there is no limit. One process alone waits for nobody.
    """
    from mpi4py import MPI

    several = MPI.Query_thread() == MPI.THREAD_MULTIPLE and MPI.COMM_WORLD.Get_size() > 1
    return call_within(function, seconds, name) if several else function()


def share_board(communicator: Any) -> tuple[Board, list[int]]:
    """Return this rank's board and the group's ranks that share it, by their place on the board.

    All ranks of the communicator call it.
    """
    from mpi4py import MPI

    local = communicator.Split_type(MPI.COMM_TYPE_SHARED)
    count, index = local.Get_size(), local.Get_rank()
    path = local.bcast(create_memory(count) if index == 0 else None, 0)
    board = Board(open_memory(path, count), index, count)
    ranks = local.allgather(communicator.Get_rank())
    if index == 0:
        os.unlink(path)
    local.Free()
    return board, ranks


def share_cores(ranks: int) -> None:
    """Give each of the ranks of this machine its part of the cores, where the environment does not say how many.

    Kernels and BLAS of several ranks that use all cores wait for each other many times as long as they compute.
    """
    if not any(name in os.environ for name in THREADS):
        part = max(1, len(os.sched_getaffinity(0)) // ranks)
        if wengert.get_num_threads() > part:
            wengert.set_num_threads(part)
