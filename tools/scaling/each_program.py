"""Measure each collective of 64 B for each rank beside mpi4py's own call on the same memory, in microseconds."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import wengert as wg
from mpi4py import MPI
from wengert import distributed as dist

WORLD = MPI.COMM_WORLD
FIRST = WORLD.rank == 0
ELEMENTS = 16  # of float32
SAMPLES, CALLS = 100, 50
Pair = tuple[Callable[[], object], Callable[[], object]]


def reductions() -> dict[str, Pair]:
    """Return the collectives that reduce: mpi4py's call and wengert's."""
    x, whole, parts = wg.zeros(ELEMENTS), wg.zeros(ELEMENTS * WORLD.size), tensors()
    a, b = x.numpy(), whole.numpy()
    send, receive = (MPI.IN_PLACE, a) if FIRST else (a, None)
    return {
        "all_reduce": (lambda: WORLD.Allreduce(MPI.IN_PLACE, a), lambda: dist.all_reduce(x)),
        "reduce": (lambda: WORLD.Reduce(send, receive), lambda: dist.reduce(x, 0)),
        "reduce_scatter_tensor": (
            lambda: WORLD.Reduce_scatter_block(b, a), lambda: dist.reduce_scatter_tensor(x, whole),
        ),
        "reduce_scatter": (lambda: WORLD.Reduce_scatter_block(b, a), lambda: dist.reduce_scatter(x, parts)),
    }  # fmt: skip


def moves() -> dict[str, Pair]:
    """Return the collectives that move tensors: mpi4py's call and wengert's."""
    x, whole, received, parts, others = (
        wg.zeros(ELEMENTS), wg.zeros(ELEMENTS * WORLD.size), wg.zeros(ELEMENTS * WORLD.size), tensors(), tensors(),
    )  # fmt: skip
    a, b, c = x.numpy(), whole.numpy(), received.numpy()
    on_first, whole_on_first = (parts, c) if FIRST else (None, None)
    return {
        "broadcast": (lambda: WORLD.Bcast(a), lambda: dist.broadcast(x, 0)),
        "all_gather_into_tensor": (lambda: WORLD.Allgather(a, c), lambda: dist.all_gather_into_tensor(received, x)),
        "all_gather": (lambda: WORLD.Allgather(a, c), lambda: dist.all_gather(parts, x)),
        "gather": (lambda: WORLD.Gather(a, whole_on_first), lambda: dist.gather(x, on_first)),
        "scatter": (lambda: WORLD.Scatter(whole_on_first, a), lambda: dist.scatter(x, on_first)),
        "all_to_all_single": (lambda: WORLD.Alltoall(b, c), lambda: dist.all_to_all_single(received, whole)),
        "all_to_all": (lambda: WORLD.Alltoall(b, c), lambda: dist.all_to_all(parts, others)),
        "barrier": (WORLD.Barrier, dist.barrier),
    }


def messages() -> dict[str, Pair]:
    """Return messages of the two ranks of a pair to each other: mpi4py's calls and wengert's.

    They are a send and the receive of its answer, both at once, and both as a batch.
    """
    x, y = wg.zeros(ELEMENTS), wg.zeros(ELEMENTS)
    a, b, other = x.numpy(), y.numpy(), WORLD.rank ^ 1
    first, second = (WORLD.Send, WORLD.Recv) if WORLD.rank < other else (WORLD.Recv, WORLD.Send)
    ours, then = (dist.send, dist.recv) if WORLD.rank < other else (dist.recv, dist.send)

    def at_once() -> None:
        received, sent = WORLD.Irecv(b, other), WORLD.Isend(a, other)
        sent.Wait()
        received.Wait()

    def ours_at_once() -> None:
        received: Any = dist.irecv(y, other)
        sent: Any = dist.isend(x, other)
        sent.wait()
        received.wait()

    def batch() -> None:
        for work in dist.batch_isend_irecv([dist.P2POp(dist.irecv, y, other), dist.P2POp(dist.isend, x, other)]):
            work.wait()

    return {
        "send and recv": (lambda: (first(a, other), second(a, other)), lambda: (ours(x, other), then(x, other))),
        "isend and irecv": (at_once, ours_at_once),
        "batch_isend_irecv": (at_once, batch),
    }


def tensors() -> list[wg.Tensor]:
    """Return a tensor for each rank."""
    return [wg.zeros(ELEMENTS) for _ in range(WORLD.size)]


def microseconds(function: Callable[[], object]) -> float:
    """Return how long a call takes, on the average of some; all ranks begin together."""
    WORLD.Barrier()
    begin = time.perf_counter()
    for _ in range(CALLS):
        function()
    return (time.perf_counter() - begin) / CALLS * 1e6


def compare(pair: Pair) -> dict[str, float]:
    """Return medians of both, measured in turns."""
    samples: list[list[float]] = [[], []]
    for _ in range(SAMPLES):
        for each, function in zip(samples, pair, strict=True):
            each.append(microseconds(function))
    return dict(zip(("mpi4py", "wengert"), map(statistics.median, samples), strict=True))


def main() -> None:
    """Measure all; rank 0 prints them."""
    wg.set_num_threads(1)
    dist.init_process_group("mpi")
    pairs = reductions() | moves() | (messages() if WORLD.size % 2 == 0 else {})
    found = {name: compare(pair) for name, pair in pairs.items()}
    if FIRST:
        print(json.dumps(found))
    dist.destroy_process_group()


main()
