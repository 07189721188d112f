"""The worker processes of a loader's iterator: started, sent tasks, listened to and ended here."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
import threading
import time
import warnings
from collections import deque
from multiprocessing.connection import wait
from typing import Any

from wengert_data._utils import MP_STATUS_CHECK_INTERVAL, transfer
from wengert_data._utils.transfer import STOP
from wengert_data._utils.worker import WorkerJob, _worker_loop


class WorkerPool:
    """Worker processes with a connection each.

    Note [How worker processes end]
        A worker ends when it is sent STOP, or when its connection is shut down, which wakes one that waits to send; to
        close it is not enough, because other processes that were forked have copies of it. A worker that is still busy
        after MP_STATUS_CHECK_INTERVAL seconds is terminated. The processes are daemons: multiprocessing terminates
        those that still run when the interpreter exits. If the loader's process is killed, the receiving thread of each
        worker notices and ends its process. A worker that is killed closes its connection, on which the loader waits:
        there is no signal handler, and no lock that a killed worker could hold.
    """

    def __init__(self, context: Any, job: WorkerJob) -> None:
        self.owner = os.getpid()
        self.processes: list[Any] = []
        self.connections: list[Any] = []
        self.listens: list[bool] = []
        self.readable: deque[int] = deque()
        self.closed = False
        try:
            for worker_id in range(job.num_workers):
                self._start(context, worker_id, job)
        except BaseException:
            self.close()
            raise

    def _start(self, context: Any, worker_id: int, job: WorkerJob) -> None:
        """Start a worker process."""
        here, there = context.Pipe()
        self.connections.append(here)
        process = context.Process(target=_worker_loop, args=(there, worker_id, job), daemon=True)
        try:
            with warnings.catch_warnings():
                if threading.active_count() == 1:  # the other threads are the BLAS's, which handles forks
                    warnings.filterwarnings("ignore", "This process .*is multi-threaded", DeprecationWarning)
                process.start()
        except (TypeError, AttributeError, pickle.PicklingError):
            warnings.warn(
                "Got pickle error when attempting to start a worker Process. This might be because the worker Process "
                "arguments are not picklable: the start methods 'spawn' and 'forkserver', which is the default since "
                "Python 3.14, pickle the dataset, collate_fn and worker_init_fn. "
                "You can also try multiprocessing.set_start_method('fork').",
                stacklevel=5,
            )
            raise
        finally:
            there.close()  # so that reading ends when the worker does
        self.processes.append(process)
        self.listens.append(True)

    def send(self, worker_id: int, number: int, index: Any = None) -> None:
        """Send a task to a worker. One that has ended is noticed where its answer is awaited."""
        with contextlib.suppress(OSError):
            transfer.send_task(self.connections[worker_id], number, index)

    def receive(self, timeout: float | None) -> tuple[int, Any] | None:
        """Return the number and the answer of a task that has been done; None if none is within ``timeout`` seconds.

        Raises RuntimeError if a worker has ended that was not told to.
        """
        if not self.readable and not self._wait(timeout):
            return None
        worker_id = self.readable.popleft()
        try:
            return transfer.receive_result(self.connections[worker_id])
        except (EOFError, OSError) as error:
            raise self._loss([worker_id]) from error
        except BaseException:  # an interrupt: the rest of the message would be read as the next one
            self.close()
            raise

    def _wait(self, timeout: float | None) -> bool:
        """Wait until a worker has something to say; False if none has within ``timeout`` seconds."""
        listening = [worker_id for worker_id, listens in enumerate(self.listens) if listens]
        sources: dict[Any, int] = {self.connections[worker_id]: worker_id for worker_id in listening}
        ended: dict[Any, int] = {self.processes[worker_id].sentinel: worker_id for worker_id in listening}
        ready = wait([*sources, *ended], timeout)
        self.readable.extend(sources[source] for source in ready if source in sources)
        if ready and not self.readable:
            raise self._loss([ended[source] for source in ready])
        return bool(ready)

    def _loss(self, workers: list[int]) -> RuntimeError:
        """Return the exception for workers that have ended, and end the others."""
        lost = [self.processes[worker_id] for worker_id in workers]
        for process in lost:
            process.join(MP_STATUS_CHECK_INTERVAL)
        pids = ", ".join(str(process.pid) for process in lost)
        causes = ", ".join(sorted({cause(process.exitcode) for process in lost}))
        self.close()
        return RuntimeError(f"DataLoader worker (pid(s) {pids}) exited unexpectedly: {causes}")

    def stop(self, worker_id: int) -> None:
        """Tell a worker to end, and do not wait for its answers any more."""
        self.listens[worker_id] = False
        self.send(worker_id, STOP)

    def close(self) -> None:
        """End all workers. Does nothing in a process that has been forked from the pool's own."""
        if self.closed or self.owner != os.getpid() or sys.is_finalizing():
            return
        self.closed = True
        for worker_id in range(len(self.processes)):
            self.stop(worker_id)
        for connection in self.connections:
            transfer.shut_down(connection)
        join_all(self.processes)
        for end in ("terminate", "kill"):
            alive = [process for process in self.processes if process.is_alive()]
            for process in alive:
                getattr(process, end)()
            join_all(alive)


def join_all(processes: list[Any]) -> None:
    """Wait until processes have ended, in all no longer than MP_STATUS_CHECK_INTERVAL seconds."""
    deadline = time.monotonic() + MP_STATUS_CHECK_INTERVAL
    for process in processes:
        process.join(max(0.0, deadline - time.monotonic()))


def cause(exitcode: int | None) -> str:
    """Return how a process ended, in words."""
    if exitcode is None:
        return "it has closed its connection"
    if exitcode >= 0:
        return f"exit code {exitcode}"
    name = signal.Signals(-exitcode).name if -exitcode in set(signal.Signals) else f"number {-exitcode}"
    reason = ", as the kernel does when memory runs out" if -exitcode == signal.SIGKILL else ""
    return f"killed by signal {name}{reason}"
