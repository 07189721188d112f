"""Run a function on simulated ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from wengert_distributed.extend import World, set_thread_world
from wengert_distributed.groups.initialization import destroy_process_group, init_process_group
from wengert_distributed.groups.queries import is_initialized

from wengert_testing.sim_group.clock import Clock, SimDeath, Task
from wengert_testing.sim_group.cluster import Cluster, Delays, Fault, RaceError
from wengert_testing.sim_group.group import THREAD


def run_ranks(
    n: int, function: Callable[..., Any], *args: Any, seed: int = 0, delays: float | Delays | None = None,
    faults: Sequence[Fault] = (), timeout: timedelta | None = None, checks: bool = True,
    return_exceptions: bool = False, seconds: float = 60.0,
) -> list[Any]:  # fmt: skip
    """Return the results of a function on n simulated ranks; their default process group is there already.

    Ranks are threads of which one runs at a time, and nothing takes real time. A collective reads all inputs and writes
    all outputs at one random later moment; until then outputs hold NaN or the largest integer. A send waits for its
    receive. Each rank has the random generators of the caller, as they are now.
    seed: another seed is another order of everything.   delays: the mean of transfers' times in simulated seconds, or a
    function (name, bytes, ranks) of it.   faults: failures to plant.   timeout: of the process group, simulated.
    checks: raise RaceError, at the end, where a rank wrote to memory that a collective still used, or never waited.
    return_exceptions: return what ranks raised in place of their results, else the first is raised.
    seconds: how long a rank may run without a collective, in real time.

    >>> import wengert as wg
    >>> from wengert_testing.sim_group import run_ranks
    >>> def total():
    ...     x = wg.tensor([1.0 + wg.distributed.get_rank()])
    ...     wg.distributed.all_reduce(x)
    ...     return x.item()
    >>> run_ranks(3, total)
    [6.0, 6.0, 6.0]
    """
    cluster = Cluster(Clock(seed, seconds), delays, faults, checks)
    outcomes = Outcomes(n)
    program = partial(function, *args)
    cluster.clock.tasks = [
        Task(cluster, rank, partial(run_rank, cluster, rank, program, timeout, outcomes)) for rank in range(n)
    ]
    cluster.clock.run()
    report(cluster, outcomes, return_exceptions)
    return outcomes.results


class Outcomes:
    """Results and exceptions of ranks."""

    def __init__(self, n: int) -> None:
        self.results: list[Any] = [None] * n
        self.raised: list[BaseException] = []
        """Exceptions, the first one first."""


def run_rank(
    cluster: Cluster, rank: int, program: Callable[[], Any], timeout: timedelta | None, outcomes: Outcomes
) -> None:
    """Run the program of one rank in its thread."""
    THREAD.task = cluster.clock.tasks[rank]
    set_thread_world(World())
    try:
        init_process_group("sim", timeout=timeout)
        outcomes.results[rank] = program()
        if is_initialized():
            destroy_process_group()
        cluster.leave(rank, "")
    except SimDeath as death:
        outcomes.results[rank] = death
    except BaseException as error:
        outcomes.results[rank] = error
        outcomes.raised.append(error)
        cluster.leave(rank, f"{type(error).__name__}: {error}".partition("\n")[0])


def compute(seconds: float) -> None:
    """Let some simulated seconds go by on this rank, as if it computed.

    Raises RuntimeError in a thread that is no simulated rank.

    >>> from wengert_testing.sim_group import compute, run_ranks, simulated_time
    >>> def program():
    ...     compute(2.5)
    ...     return simulated_time()
    >>> run_ranks(2, program)
    [2.5, 2.5]
    """
    task = current_task()
    until = task.clock.now + seconds
    while task.clock.now < until:
        task.sleep(until)


def simulated_time() -> float:
    """Return the simulated seconds since the run began. Raises RuntimeError as ``compute``."""
    return current_task().clock.now


def current_task() -> Task:
    """Return this thread's simulated rank."""
    if THREAD.task is None:
        raise RuntimeError("this thread is no rank of wengert_testing.sim_group.run_ranks")
    return THREAD.task


def report(cluster: Cluster, outcomes: Outcomes, return_exceptions: bool) -> None:
    """Raise RaceError for mistakes, else the first exception of a rank, or RuntimeError for one that died."""
    if cluster.checks:
        cluster.note_requests_without_wait()
    if cluster.mistakes:
        raise RaceError("\n".join(cluster.mistakes)) from (outcomes.raised[0] if outcomes.raised else None)
    if return_exceptions:
        return
    if outcomes.raised:
        raise outcomes.raised[0]
    for rank, result in enumerate(outcomes.results):
        if isinstance(result, SimDeath):
            raise RuntimeError(f"rank {rank} died, or hung until all others had ended")
