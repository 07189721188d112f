"""A process group of real ranks with an emulated network: an all_reduce ends at a point of time, and needs no core.

With as many ranks as cores, real transfers take the cores that backward needs, so that nothing of them can be hidden. A
network card moves memory by itself; here nobody does. Each rank writes when it has begun a transfer where all ranks can
read it. A transfer begins when all ranks have begun it and the one before has ended, and takes as long as the network
says. No memory moves: each rank keeps its own gradients. All other collectives are MPI's.
"""

from __future__ import annotations

import time
from typing import Any, ClassVar

import numpy as np
from wengert_distributed.backends.mpi import MpiGroup
from wengert_distributed.extend import RedOpType, Request

from tools.scaling.model import Network

SLOTS = 1 << 12  # transfers whose begin is remembered
SPIN = 2e-4  # seconds before the end of a transfer in which a wait does not sleep, as it would wake up too late


class DelayedRequest(Request):
    """A transfer of the emulated network."""

    def __init__(self, group: DelayedGroup, number: int) -> None:
        self.group, self.number = group, number

    def test(self) -> bool:
        end = self.group.end_of(self.number)
        return end is not None and time.monotonic() >= end

    def wait(self, seconds: float | None = None) -> bool:
        while (end := self.group.end_of(self.number)) is None:
            time.sleep(0)
        while (left := end - time.monotonic()) > 0:
            if left > SPIN:
                time.sleep(left - SPIN)
        return True


class DelayedGroup(MpiGroup):
    """Ranks of one machine, and a network between them that is a formula."""

    backend = "delayed"
    network: ClassVar[Network] = Network(30e-6, 1.25e9)
    durations: ClassVar[list[float]] = []
    """The time that each transfer takes, in seconds."""

    def __init__(self, communicator: Any, seconds: float) -> None:
        super().__init__(communicator, seconds)
        own = SLOTS * 8 if self.rank == 0 else 0
        self.window = self.mpi.Win.Allocate_shared(own * self.size, 8, comm=communicator)
        memory, _ = self.window.Shared_query(0)
        self.begin_times = np.frombuffer(memory, float).reshape(self.size, SLOTS)
        """The time at which each rank has begun each transfer; 0 before."""
        self.begin_times[self.rank] = 0.0
        self.ends: list[float] = []
        communicator.Barrier()

    def all_reduce(self, array: Any, op: RedOpType) -> Any:
        """Begin a transfer."""
        number = len(self.durations)
        self.durations.append(self.network.seconds(array.nbytes, self.size))
        self.begin_times[self.rank, (number + SLOTS // 2) % SLOTS] = 0.0
        self.begin_times[self.rank, number % SLOTS] = time.monotonic()
        return DelayedRequest(self, number)

    def end_of(self, number: int) -> float | None:
        """Return when a transfer ends; None while a rank has not begun it, or one before it."""
        while len(self.ends) <= number:
            following = len(self.ends)
            times = self.begin_times[:, following % SLOTS]
            if not times.all():
                return None
            before = self.ends[-1] if self.ends else 0.0
            self.ends.append(max(float(times.max()), before) + self.durations[following])
        return self.ends[number]
