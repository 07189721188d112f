"""The iterators of a loader: one fetches batches itself, the other one in worker processes."""

from __future__ import annotations

import functools
import warnings
from typing import TYPE_CHECKING, Any, NoReturn, Self

import wengert

from wengert_data._utils.errors import ExceptionWrapper
from wengert_data._utils.fetch import _BaseDatasetFetcher, _IterableDatasetFetcher, _MapDatasetFetcher
from wengert_data._utils.pin_memory import pin_memory
from wengert_data._utils.transfer import RESUME
from wengert_data._utils.worker import WorkerJob, _IterableDatasetStopIteration
from wengert_data.sampler import random_seed

if TYPE_CHECKING:
    from wengert_data.dataloader import DataLoader


class _DatasetKind:
    """The two kinds of datasets: maps and streams."""

    Map = 0
    Iterable = 1

    @staticmethod
    def create_fetcher(
        kind: int, dataset: Any, auto_collation: bool, collate_fn: Any, drop_last: bool
    ) -> _BaseDatasetFetcher:
        """Return the fetcher of a dataset of that kind."""
        fetcher = _MapDatasetFetcher if kind == _DatasetKind.Map else _IterableDatasetFetcher
        return fetcher(dataset, auto_collation, collate_fn, drop_last)


class _BaseDataLoaderIter:
    """An iterator over the batches of a loader."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        self._dataset = loader.dataset
        self._dataset_kind = loader._dataset_kind
        self._auto_collation = loader._auto_collation
        self._drop_last = loader.drop_last
        self._index_sampler = loader._index_sampler
        self._num_workers = loader.num_workers
        self._timeout = loader.timeout
        self._collate_fn = loader.collate_fn
        self._persistent_workers = loader.persistent_workers
        self._pin_memory = loader.pin_memory and pins_memory(loader.pin_memory_device)
        self._sampler_iter = iter(self._index_sampler)
        self._base_seed = random_seed(loader.generator)  # one draw, also where there are no workers to seed
        self._start_pass(loader)

    def _start_pass(self, loader: DataLoader[Any]) -> None:
        """Note the beginning of a pass over the dataset."""
        self._num_yielded = 0
        self._IterableDataset_len_called = loader._IterableDataset_len_called

    def _reset(self, loader: DataLoader[Any], first_iter: bool = False) -> None:
        """Begin another pass over the dataset."""
        self._sampler_iter = iter(self._index_sampler)
        self._start_pass(loader)

    def _fetcher_factory(self) -> Any:
        """Return a function without arguments that returns a fetcher."""
        return functools.partial(
            _DatasetKind.create_fetcher,
            self._dataset_kind, self._dataset, self._auto_collation, self._collate_fn, self._drop_last,
        )  # fmt: skip

    def __iter__(self) -> Self:
        return self

    def _next_index(self) -> Any:
        return next(self._sampler_iter)

    def _next_data(self) -> Any:
        """Return the next batch."""
        raise NotImplementedError

    def __next__(self) -> Any:
        data = self._next_data()
        if self._pin_memory:
            data = pin_memory(data)
        self._num_yielded += 1
        announced = self._IterableDataset_len_called
        if announced is not None and self._num_yielded > announced:
            self._warn_of_length(announced)
        return data

    def _warn_of_length(self, announced: int) -> None:
        """Warn that a stream has more samples than its length."""
        advice = (
            "For multiprocessing data-loading, this could be caused by not properly configuring the IterableDataset "
            "replica at each worker: its __iter__ divides the samples by wengert.utils.data.get_worker_info()."
        )
        warnings.warn(
            f"Length of IterableDataset {self._dataset} was reported to be {announced}(when accessing "
            f"len(dataloader)), but {self._num_yielded} samples have been fetched. "
            f"{advice if self._num_workers else ''}",
            stacklevel=3,
        )

    def __len__(self) -> int:
        return len(self._index_sampler)

    def __getstate__(self) -> NoReturn:
        raise NotImplementedError("{} cannot be pickled", type(self).__name__)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """An iterator that fetches the batches itself, when they are asked for."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        super().__init__(loader)
        if self._timeout != 0:
            raise AssertionError(
                f"_SingleProcessDataLoaderIter requires timeout == 0, got {self._timeout}: without workers nothing is "
                "waited for"
            )
        self._dataset_fetcher = self._fetcher_factory()()

    def _next_data(self) -> Any:
        return self._dataset_fetcher.fetch(next(self._sampler_iter))


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """An iterator whose batches are fetched by worker processes, some of them ahead.

    Batch ``n`` is task ``n``. Tasks go to the workers in turn; an answer that comes before its turn is stored.
    """

    _shutdown = True  # until there are workers

    def __init__(self, loader: DataLoader[Any]) -> None:
        super().__init__(loader)
        self._prefetch_factor: int = loader.prefetch_factor  # type: ignore[assignment]  # None only without workers
        self._in_order = loader.in_order
        if self._prefetch_factor <= 0:
            raise AssertionError("prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter")
        from wengert_data._utils.pool import WorkerPool  # loads multiprocessing

        job = WorkerJob(
            self._fetcher_factory(), self._dataset, self._dataset_kind == _DatasetKind.Iterable, self._collate_fn,
            self._base_seed, loader.worker_init_fn, self._num_workers,
        )  # fmt: skip
        self._pool = WorkerPool(loader.multiprocessing_context or default_context(), job)
        self._workers = self._pool.processes
        self._shutdown = False
        self._start_tasks()

    def _reset(self, loader: DataLoader[Any], first_iter: bool = False) -> None:
        """Begin another pass over the dataset with the same workers."""
        super()._reset(loader, first_iter)
        for worker_id in range(self._num_workers):
            self._pool.send(worker_id, RESUME)
        waits = self._num_workers
        while waits:
            number, answer = self._get_data()
            if number != RESUME:
                continue  # a batch of the previous pass, which was left early; workers finish what they were sent
            waits -= 1
            if isinstance(answer, ExceptionWrapper):
                self._shutdown_workers()
                answer.reraise()
        self._start_tasks()

    def _start_tasks(self) -> None:
        """Send the first tasks of a pass."""
        self._send_idx = 0  # number of the next task to be sent
        self._rcvd_idx = 0  # number of the next batch to be returned
        self._tasks: dict[int, int] = {}  # the worker of each task that is not answered
        self._stored: dict[int, Any] = {}  # answers that came before their turn
        self._workers_status = [True] * self._num_workers  # whether the worker has samples left in this pass
        self._next_worker = 0
        for _ in range(self._prefetch_factor * self._num_workers):
            self._try_put_index()

    def _try_put_index(self) -> None:
        """Send the next task, if there is one and a worker for it."""
        try:
            index = next(self._sampler_iter)
        except StopIteration:
            return
        worker_id = self._choose_worker()
        if worker_id is None:
            return
        self._pool.send(worker_id, self._send_idx, index)
        self._tasks[self._send_idx] = worker_id
        self._send_idx += 1

    def _choose_worker(self) -> int | None:
        """Return the next worker in turn that has samples left; without ``in_order``, and has not too many tasks."""
        share = self._prefetch_factor * self._num_workers // max(1, sum(self._workers_status))
        for _ in range(self._num_workers):
            worker_id = self._next_worker
            self._next_worker = (worker_id + 1) % self._num_workers
            if self._workers_status[worker_id] and (
                self._in_order or list(self._tasks.values()).count(worker_id) < share
            ):
                return worker_id
        return None

    def _get_data(self) -> tuple[int, Any]:
        """Return the number of a task and its answer."""
        try:
            received = self._pool.receive(self._timeout or None)
        finally:
            self._shutdown = self._pool.closed  # a worker is lost
        if received is None:
            raise RuntimeError(
                f"DataLoader timed out after {self._timeout} seconds: no worker has sent a batch. "
                "Increase timeout, or set it to 0 to wait without limit"
            )
        return received

    def _next_data(self) -> Any:
        while True:
            self._skip_ended()
            if self._shutdown or self._rcvd_idx >= self._send_idx:
                if not self._persistent_workers:
                    self._shutdown_workers()
                raise StopIteration
            if self._rcvd_idx in self._stored:
                return self._process_data(self._rcvd_idx, self._stored.pop(self._rcvd_idx))
            number, data = self._get_data()
            worker_id = self._tasks.pop(number, None)
            if worker_id is None:
                continue
            if isinstance(data, _IterableDatasetStopIteration):
                self._end_worker(data.worker_id)
            elif number == self._rcvd_idx or not self._in_order:
                return self._process_data(number, data)
            else:
                self._stored[number] = data

    def _skip_ended(self) -> None:
        """Pass over the tasks that have no answer: of workers whose stream has ended, or answered out of order."""
        while self._rcvd_idx < self._send_idx and self._rcvd_idx not in self._stored:
            worker_id = self._tasks.get(self._rcvd_idx)
            if worker_id is not None and self._workers_status[worker_id]:
                break
            self._tasks.pop(self._rcvd_idx, None)
            self._rcvd_idx += 1

    def _end_worker(self, worker_id: int) -> None:
        """Note that a worker's stream has ended; a worker that is not persistent ends with it."""
        if self._workers_status[worker_id]:  # it answers so to each task that it has got ahead
            self._workers_status[worker_id] = False
            if not self._persistent_workers:
                self._pool.stop(worker_id)
            self._try_put_index()

    def _process_data(self, number: int, data: Any) -> Any:
        """Return an answer, or raise the exception that it is, and send another task."""
        if number == self._rcvd_idx:
            self._rcvd_idx += 1
        self._try_put_index()
        if isinstance(data, ExceptionWrapper):
            data.reraise()
        return data

    def _shutdown_workers(self) -> None:
        """End the workers. An iterator that is dropped does so."""
        if not self._shutdown:
            self._shutdown = True
            self._pool.close()

    def __del__(self) -> None:
        self._shutdown_workers()


def pins_memory(device: str) -> bool:
    """Return whether memory can be pinned; warn of what has no effect."""
    if device:
        warnings.warn(
            "pin_memory_device is deprecated, the current accelerator will be used as the device, "
            f"ignore pin_memory_device='{device}'.",
            stacklevel=5,
        )
    cuda: Any = wengert.cuda
    if cuda.is_available():
        return True
    warnings.warn(
        "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used.",
        stacklevel=5,
    )
    return False


def default_context() -> Any:
    """Return the context of multiprocessing's default start method."""
    import multiprocessing

    return multiprocessing.get_context()
