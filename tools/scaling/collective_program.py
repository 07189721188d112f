"""Measure all_reduce of 64 B to 64 MiB of float32 beside mpi4py's Allreduce on the same memory, in microseconds."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable

import wengert as wg
from mpi4py import MPI

WORLD = MPI.COMM_WORLD
SIZES = [1 << power for power in range(6, 27, 2)]  # bytes
SAMPLES = 15


def seconds_of_one(function: Callable[[], object], calls: int) -> float:
    """Return how long a call takes, on the average of some; all ranks begin together."""
    WORLD.Barrier()
    begin = time.perf_counter()
    for _ in range(calls):
        function()
    return (time.perf_counter() - begin) / calls


def compare(nbytes: int) -> dict[str, float]:
    """Return medians of both, measured in turns."""
    tensor = wg.zeros(nbytes // 4)
    memory = tensor.numpy()
    calls = max(1, min(2000, (4 << 20) // nbytes))
    reduce, allreduce, in_place = wg.distributed.all_reduce, WORLD.Allreduce, MPI.IN_PLACE
    functions = {"wengert": lambda: reduce(tensor), "mpi4py": lambda: allreduce(in_place, memory)}
    for function in functions.values():
        seconds_of_one(function, calls)
    samples: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(SAMPLES):
        for name, function in functions.items():
            samples[name].append(seconds_of_one(function, calls))
    return {name: statistics.median(each) * 1e6 for name, each in samples.items()}


def main() -> None:
    """Measure all sizes; rank 0 prints them."""
    wg.set_num_threads(1)
    wg.distributed.init_process_group("mpi")
    found = {str(nbytes): compare(nbytes) for nbytes in SIZES}
    if WORLD.rank == 0:
        print(json.dumps(found))
    wg.distributed.destroy_process_group()


main()
