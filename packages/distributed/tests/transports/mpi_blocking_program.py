"""A program in which rank 1 fails while the others are in a collective: ``mpi_blocking_program.py KIND SECONDS``."""

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


X, LARGE = wg.ones(3, 4), wg.ones(1 << 20)  # MPI sends the second only to a rank that receives it
OTHERS = {
    "broadcast root": (lambda: dist.broadcast(X, 0), lambda: dist.broadcast(X, 1)),
    "reduce root": (lambda: dist.reduce(X, 0), lambda: dist.reduce(X, 1)),
    "gather shape": (
        lambda: dist.all_gather([wg.ones(3, 4), wg.ones(3, 4)], X),
        lambda: dist.all_gather([wg.ones(3, 5), wg.ones(3, 5)], wg.ones(3, 5)),
    ),
    "other": (
        lambda: dist.all_to_all_single(wg.empty(4, dtype=wg.int64), wg.arange(4)), lambda: dist.broadcast(X, 1),
    ),
    "scatter raise": (lambda: dist.scatter(X, None, 1), None),
    "barrier": (dist.barrier, lambda: dist.broadcast(X, 1)),
    "barrier raise": (dist.barrier, None),
    "recv raise": (lambda: dist.recv(X, 1), None),
    "recv exit": (lambda: dist.recv(X), None),
    "recv hang": (lambda: dist.recv(X, 1), None),
    "send raise": (lambda: dist.send(LARGE, 1), None),
    "send hang": (lambda: dist.send(LARGE, 1), None),
    "reduce_scatter exit": (lambda: dist.reduce_scatter_tensor(wg.empty(3), wg.ones(6)), None),
}  # fmt: skip
"""The collectives of rank 0 and of rank 1, by kinds of failures."""


def fail() -> None:
    if KIND.endswith("raise"):
        raise ValueError("a planted error")
    if KIND.endswith("exit"):
        sys.exit(3)
    if KIND == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if KIND.endswith("hang"):
        time.sleep(600)
    if KIND in OTHERS:
        OTHERS[KIND][1]()
        return
    dist.all_reduce(*{
        "shape": (wg.ones(3, 5),), "dtype": (wg.ones(3, 4, dtype=wg.float64),),
        "op": (wg.ones(3, 4), dist.ReduceOp.MAX),
    }[KIND])  # fmt: skip


try:
    for _ in range(40):  # more than a board holds
        dist.all_reduce(wg.ones(2))
    if RANK == 1:
        fail()
    elif KIND in OTHERS:
        time.sleep(0.3)  # rank 1 is the first: a root waits for nobody
    OTHERS.get(KIND, (lambda: dist.all_reduce(X), None))[0]()
    dist.all_reduce(X)
    print(f"rank {RANK}: no failure", flush=True)
except dist.DistBackendError as error:
    sys.stdout.write(f"rank {RANK}: {' | '.join(str(error).splitlines())}\n")
    sys.stdout.flush()
    raise
