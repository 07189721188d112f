"""Ranks that a launcher wrote into the environment: torchrun's variables, Open MPI's, and those of MPICH's hydra."""

from __future__ import annotations

import importlib.util
import os
from typing import NamedTuple

NAMES = (  # rank, size, rank on this machine
    ("RANK", "WORLD_SIZE", "LOCAL_RANK"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"),
    ("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"),
)


class LauncherRanks(NamedTuple):
    """A process as its launcher numbered it; size 1 where it runs alone."""

    rank: int
    size: int
    local_rank: int
    """Rank among the processes of this machine; -1 where the launcher does not say."""
    mpi: bool
    """Whether an MPI launcher started it and mpi4py is installed."""


def read_launcher() -> LauncherRanks:
    """Return this process' numbers."""
    for rank, size, local in NAMES:
        if rank in os.environ and size in os.environ:
            by_mpi = rank != "RANK" and importlib.util.find_spec("mpi4py") is not None
            return LauncherRanks(int(os.environ[rank]), int(os.environ[size]), int(os.environ.get(local, -1)), by_mpi)
    return LauncherRanks(0, 1, -1, False)
