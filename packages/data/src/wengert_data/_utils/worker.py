"""The worker process of a loader: fetches the batches of the indices that it is sent."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

import wengert

from wengert_data._utils import MP_STATUS_CHECK_INTERVAL, transfer
from wengert_data._utils.collate import is_default
from wengert_data._utils.errors import ExceptionWrapper
from wengert_data._utils.transfer import RESUME, STOP

__all__ = ["WorkerInfo", "_IterableDatasetStopIteration", "_worker_info", "_worker_loop", "get_worker_info"]
__changing__ = ("_worker_info",)


class WorkerInfo(NamedTuple):
    """The worker process that asks: its number, how many there are, its seed, and its copy of the dataset."""

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: None = None
    worker_method: str = "multiprocessing"


class _IterableDatasetStopIteration(NamedTuple):
    """The answer of a worker whose stream has ended."""

    worker_id: int


class WorkerJob(NamedTuple):
    """The arguments that all workers of a loader have in common."""

    create_fetcher: Callable[[], Any]
    dataset: Any
    is_iterable: bool
    collate_fn: Callable[[Any], Any]
    base_seed: int
    worker_init_fn: Callable[[int], None] | None
    num_workers: int


_worker_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Return facts about the current worker process of a loader; None in any other process.

    They are ``id`` (from 0), ``num_workers``, ``seed`` (the loader's ``base_seed + id``, by which the generators of
    ``random``, NumPy and wengert are seeded) and ``dataset``, the process's own copy. An ``IterableDataset`` divides
    its samples by them.
    """
    return _worker_info


def _worker_loop(connection: Any, worker_id: int, job: WorkerJob) -> None:
    """Answer the loader's tasks until it says stop. The target of worker processes."""
    import queue
    import threading

    tasks: queue.SimpleQueue[Any] = queue.SimpleQueue()
    results: queue.SimpleQueue[Any] = queue.SimpleQueue()
    stops = threading.Event()
    receiver = threading.Thread(target=receive_tasks, args=(connection, tasks, stops, os.getppid()), daemon=True)
    receiver.start()
    sender = threading.Thread(target=send_results, args=(connection, results), daemon=True)
    sender.start()
    try:
        work(worker_id, job, tasks, stops, results)
        results.put(None)
        sender.join()
    except KeyboardInterrupt:
        pass  # the loader's process gets one as well


def receive_tasks(connection: Any, tasks: Any, stops: Any, parent: int) -> NoReturn:
    """Move tasks from the connection to a queue, and end the process when the loader's process has ended.

    A thread does so, and the loader never waits for a worker that is busy.
    """
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    loader: Any = parent_process()
    sources = [connection, loader.sentinel]
    while True:
        ready = wait(sources, MP_STATUS_CHECK_INTERVAL)
        if connection in ready:
            try:
                number, content = transfer.receive_task(connection)
            except (EOFError, OSError):  # the loader has shut the connection down
                number, content = STOP, b""
            if number == STOP:
                stops.set()  # the tasks before it need no answer any more
                sources.remove(connection)
            tasks.put((number, content))
        elif os.getppid() != parent or not loader.is_alive():  # a fork server outlives the loader's process
            os._exit(1)


def send_results(connection: Any, results: Any) -> None:
    """Send results as long as somebody reads them. A thread does so, and the next batch is computed meanwhile."""
    with contextlib.suppress(OSError):  # the loader has closed the connection
        for frame in iter(results.get, None):
            transfer.send_frame(connection, frame)


def work(worker_id: int, job: WorkerJob, tasks: Any, stops: Any, results: Any) -> None:
    """Fetch the batches of all tasks."""
    global _worker_info
    seed = job.base_seed + worker_id
    seed_generators(seed, job.base_seed, worker_id)
    wengert.set_num_threads(1)
    _worker_info = WorkerInfo(worker_id, job.num_workers, seed, job.dataset)
    worker = Worker(worker_id, job)
    copies = not is_default(job.collate_fn)  # the dataset may write to the memory before it is sent
    while (task := tasks.get())[0] != STOP and not stops.is_set():
        results.put(frame_of(task[0], worker.answer(*task), copies, worker.place))


class Worker:
    """The state of a worker: its fetcher, or the exception of ``worker_init_fn``, which answers all tasks."""

    def __init__(self, worker_id: int, job: WorkerJob) -> None:
        self.worker_id = worker_id
        self.job = job
        self.place = f"in DataLoader worker process {worker_id}"
        self.failure: ExceptionWrapper | None = None
        self.fetcher: Any = None
        try:
            if job.worker_init_fn is not None:
                job.worker_init_fn(worker_id)
        except Exception:
            self.failure = ExceptionWrapper(where=self.place)

    def answer(self, number: int, content: bytes) -> Any:
        """Return the batch of a task, or what happened instead; None for the task that begins another pass."""
        if self.failure is not None:
            return self.failure
        try:
            if self.fetcher is None or number == RESUME:
                self.fetcher = self.job.create_fetcher()
            return None if number == RESUME else self.fetcher.fetch(transfer.read_task(content))
        except Exception as error:
            if self.job.is_iterable and isinstance(error, StopIteration):
                return _IterableDatasetStopIteration(self.worker_id)
            return ExceptionWrapper(where=self.place)


def frame_of(number: int, data: Any, copies: bool, place: str) -> Any:
    """Return the message of a result; of what cannot be pickled, the message of that error."""
    try:
        return transfer.frame(number, data, copies)
    except Exception:
        if not isinstance(data, ExceptionWrapper):
            return frame_of(number, ExceptionWrapper(where=place), copies, place)
    data.exc_type = RuntimeError  # in place of a type that cannot be pickled
    return transfer.frame(number, data, copies)


def seed_generators(seed: int, base_seed: int, worker_id: int) -> None:
    """Seed the generators of wengert, random and NumPy. NumPy's seed differs, so that streams do not coincide."""
    import random

    import numpy as np

    wengert.manual_seed(seed)
    random.seed(seed)
    words = [worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
    np.random.seed(np.random.SeedSequence(words).generate_state(4))  # noqa: NPY002 - it is what datasets use
