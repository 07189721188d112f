"""A program in which rank 1 fails while the others are in all_reduce: ``mpi_reduce_now_program.py KIND SECONDS``."""

from __future__ import annotations

import os
import signal
import sys
import time
from datetime import timedelta

import wengert as wg
import wengert.distributed as dist

KIND, SECONDS = sys.argv[1], float(sys.argv[2])
dist.init_process_group("mpi", timeout=timedelta(seconds=SECONDS))
RANK = dist.get_rank()


def fail() -> None:
    if KIND == "raise":
        raise ValueError("a planted error")
    if KIND == "exit":
        sys.exit(3)
    if KIND == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if KIND == "hang":
        time.sleep(600)
    dist.all_reduce(*{
        "shape": (wg.ones(3, 5),), "dtype": (wg.ones(3, 4, dtype=wg.float64),),
        "op": (wg.ones(3, 4), dist.ReduceOp.MAX),
    }[KIND])  # fmt: skip


try:
    for _ in range(40):  # more than a board holds
        dist.all_reduce(wg.ones(2))
    if RANK == 1:
        fail()
    dist.all_reduce(wg.ones(3, 4))
    dist.all_reduce(wg.ones(3, 4))
    print(f"rank {RANK}: no failure", flush=True)
except dist.DistBackendError as error:
    sys.stdout.write(f"rank {RANK}: {' | '.join(str(error).splitlines())}\n")
    sys.stdout.flush()
    raise
