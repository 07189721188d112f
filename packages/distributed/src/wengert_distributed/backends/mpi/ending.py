"""The end of a rank's process: the others learn of it, and nothing waits for ever in MPI's own end.

Note [How a rank ends]
    An exception that nobody catches is printed, then written where the other ranks see it, so that they raise instead
    of waiting. MPI ends in a call that waits for all ranks. Before it, a rank that raised, that has lost another one,
    or that has given up a collective waits until all others have ended as well, for WENGERT_DISTRIBUTED_GRACE seconds
    (10) at most; after that, or where a process has died, MPI's abort ends the job, with an exit status that is not 0.
"""

from __future__ import annotations

import atexit
import os
import sys
import time
import weakref
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wengert_distributed.backends.mpi.group import MpiGroup

FORWARD = 0.5  # seconds

_groups: weakref.WeakSet[MpiGroup] = weakref.WeakSet()
_worlds: list[MpiGroup] = []  # the newest group of all ranks
_raised: list[str] = []


def watch_ending(group: MpiGroup) -> None:
    """Let a group's other ranks learn how this process ends."""
    _groups.add(group)
    if group.size == group.mpi.COMM_WORLD.Get_size():
        if not _worlds:
            install()
        _worlds[:] = [group]


def install() -> None:
    """Follow exceptions that nobody catches, and the end of the program."""
    before = sys.excepthook

    def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        before(kind, error, trace)
        sys.stderr.flush()
        _raised.append(f"{kind.__name__}: {error}")
        for group in list(_groups):
            group.fail(_raised[0])

    sys.excepthook = report
    atexit.register(end)


def end() -> None:
    """Wait for the other ranks where one has failed, and abort where MPI's end would wait in vain."""
    from wengert_distributed.backends.mpi.requests import ABANDONED, progress

    progress().stop()
    for group in list(_groups):
        group.monitor.leave()
    world = _worlds[0]
    if world.size == 1 or world.mpi.Is_finalized() or not (_raised or ABANDONED or world.monitor.any_ended()):
        return
    limit = time.monotonic() + float(os.environ.get("WENGERT_DISTRIBUTED_GRACE", "10"))
    while not world.monitor.all_have_ended():
        if time.monotonic() > limit:
            print(f"rank {world.rank}: other ranks have not ended; aborting the job", file=sys.stderr, flush=True)
            abort(world)
        time.sleep(0.02)
    if world.monitor.dead:
        abort(world)


def abort(world: MpiGroup) -> None:
    """End all ranks, after the launcher has had time to pass on their output."""
    time.sleep(FORWARD)
    world.mpi.COMM_WORLD.Abort(1)
