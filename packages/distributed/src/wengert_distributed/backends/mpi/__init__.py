"""The group "mpi": hosts of one or many machines, by mpi4py. MPI is initialized when a group is connected."""

from __future__ import annotations

from wengert_distributed.backends.mpi.group import MpiGroup

__all__ = ["MpiGroup"]
