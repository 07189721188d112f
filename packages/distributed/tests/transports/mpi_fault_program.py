"""A program whose ranks fail in one way or another: ``mpi_fault_program.py KIND``; started by test_fault_mpi.py.

Each surviving rank prints the message of its exception, as the upper layer makes it, in one line "rank R: ...".
"""

from __future__ import annotations

import os
import signal
import sys
import time

import numpy as np
from wengert_distributed.backends.mpi import MpiGroup
from wengert_distributed.errors import DistBackendError
from wengert_distributed.faults.diagnosis import failure
from wengert_distributed.interface.process_group import POINT_TO_POINT, Call
from wengert_distributed.reduce_op import RedOpType

KIND, SECONDS = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
GROUP = MpiGroup.connect(-1, -1, None, 10)
RANK, SIZE = GROUP.rank, GROUP.size
NUMBER = [0]


def collective(name: str, facts: str, start, number: int | None = None) -> None:
    """Call a collective as the upper layer does."""
    if number is None:
        number = NUMBER[0] = NUMBER[0] + 1
    call = Call(number, name, facts)
    if KIND == "background":
        GROUP.announce(call)
    else:
        GROUP.announce_wait(call, SECONDS)
    start_time = time.monotonic()
    try:
        request = start()
        if request is None or request.wait(SECONDS):
            GROUP.finish(call)
            return
    except Exception as error:
        raise failure(GROUP, call, error) from error
    assert time.monotonic() - start_time < SECONDS + 10
    raise failure(GROUP, call, f"it has not ended after {SECONDS:g} s")


def all_reduce(count: int = 4) -> None:
    array = np.ones(count, "float32")
    collective("all_reduce", f"SUM, float32[{count}]", lambda: GROUP.all_reduce(array, RedOpType.SUM))


def broadcast(count: int = 4, root: int = 0) -> None:
    array = np.ones(count, "float32")
    collective("broadcast", f"root {root}, float32[{count}]", lambda: GROUP.broadcast(array, root))


def all_reduce_in_background() -> None:
    """Begin a large collective on all ranks; rank 1 makes no progress with it."""
    array = np.ones(1 << 22, "float32")

    def start():
        request = GROUP.all_reduce(array, RedOpType.SUM)
        if RANK == 1:
            time.sleep(600)
        request.background()
        time.sleep(0.1)
        return request

    collective("all_reduce", "SUM, float32[4194304]", start)


def exchange(counts: list[int]) -> None:
    """Send 2 elements to each rank and expect other numbers."""
    arrays = np.ones(sum(counts)), np.ones(2 * SIZE)
    collective("all_to_all", "float64", lambda: GROUP.all_to_all(*arrays, counts, [2] * SIZE))


def raise_error() -> None:
    raise ValueError("a planted error")


def receive() -> None:
    collective("recv", "float64[3] from rank 1", lambda: GROUP.recv(np.zeros(3), 1, 0), POINT_TO_POINT)


OTHERS = {  # by all ranks but rank 1; by default all_reduce
    "recv": receive, "crossed": receive, "debug": broadcast, "background": all_reduce_in_background,
    "parts": lambda: exchange([2, 2]),
}  # fmt: skip
CULPRIT = {
    "raise": raise_error, "recv": raise_error, "exit": lambda: sys.exit(3),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL), "hang": lambda: time.sleep(600), "other": broadcast,
    "shape": lambda: all_reduce(5), "crossed": all_reduce, "caught": lambda: time.sleep(600),
    "debug": lambda: broadcast(root=1), "background": all_reduce_in_background, "parts": lambda: exchange([1, 2]),
}  # fmt: skip


try:
    all_reduce()
    all_reduce()
    (CULPRIT[KIND] if RANK == 1 else OTHERS.get(KIND, all_reduce))()
    all_reduce()
    print(f"rank {RANK}: no failure", flush=True)
except DistBackendError as error:
    sys.stdout.write(f"rank {RANK}: {' | '.join(str(error).splitlines())}\n")
    sys.stdout.flush()
    if KIND != "caught":
        raise
