"""The loader: iterates over the batches of a dataset."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic

from wengert_data._utils.collate import default_collate, default_convert
from wengert_data._utils.worker import get_worker_info
from wengert_data.dataset import Dataset, IterableDataset, T_co
from wengert_data.iterators import (
    _BaseDataLoaderIter,
    _DatasetKind,
    _MultiProcessingDataLoaderIter,
    _SingleProcessDataLoaderIter,
)
from wengert_data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

if TYPE_CHECKING:
    from wengert import Generator

__all__ = [
    "BatchSampler", "DataLoader", "Dataset", "IterableDataset", "RandomSampler", "Sampler", "SequentialSampler",
    "_BaseDataLoaderIter", "_DatasetKind", "_InfiniteConstantSampler", "_MultiProcessingDataLoaderIter",
    "_SingleProcessDataLoaderIter", "default_collate", "default_convert", "get_worker_info",
]  # fmt: skip

FIXED = frozenset("batch_size batch_sampler sampler drop_last dataset persistent_workers".split())
"""Attributes of a loader that cannot be set, because its samplers are made of them."""


class _InfiniteConstantSampler(Sampler[None]):
    """None without end: streams have no indices."""

    def __iter__(self) -> Any:
        while True:
            yield None


class DataLoader(Generic[T_co]):
    """An iterable of the batches of a dataset; each ``iter()`` begins a new pass.

    dataset: a map from indices to samples, or a stream (``IterableDataset``).
    batch_size: samples of a batch; None: the loader yields samples, by ``default_convert``.
    shuffle: visit the samples in random order, another one in each pass.
    sampler: the order of the indices, instead of ``shuffle``.
    batch_sampler: the lists of indices, instead of ``batch_size``, ``shuffle``, ``sampler`` and ``drop_last``.
    num_workers: how many processes fetch the batches; 0: the loader does, when it is asked for the next one.
    collate_fn: makes the batch of a list of samples; by default ``default_collate``.
    pin_memory: copy tensors to pinned memory, which a GPU reads faster. Without a GPU it is warned about.
    drop_last: leave out the last batch if it is smaller.
    timeout: how many seconds the loader waits for a batch of a worker; 0: without limit.
    worker_init_fn: called in each worker with its number, after the generators of random numbers are seeded.
    multiprocessing_context: a context of ``multiprocessing`` or the name of a start method; by default Python's.
    generator: source of the random order and of the workers' seeds. Each pass draws one number from it for the seeds.
    prefetch_factor: how many batches each worker has in work or ready; 2 by default.
    persistent_workers: let the workers live until the loader is dropped, and not only for one pass.
    in_order: yield the batches in the order of their indices, also if a later one is ready earlier.

    An exception in a worker is raised again here, with its traceback in the message. A worker that is killed is a
    RuntimeError. Arguments that exclude each other are a ValueError.

    >>> import wengert as wg
    >>> from wengert.utils.data import DataLoader, TensorDataset
    >>> data = TensorDataset(wg.arange(5.0), wg.tensor([0, 1, 0, 1, 0]))
    >>> for x, y in DataLoader(data, batch_size=2):
    ...     print(x, y)
    tensor([0., 1.]) tensor([0, 1])
    tensor([2., 3.]) tensor([0, 1])
    tensor([4.]) tensor([0])
    """

    __initialized = False

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Sampler[Any] | Iterable[Any] | None = None,
        batch_sampler: Sampler[list[Any]] | Iterable[list[Any]] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor: int | None = 2 if num_workers > 0 and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        self._dataset_kind = _DatasetKind.Iterable if isinstance(dataset, IterableDataset) else _DatasetKind.Map
        if self._dataset_kind == _DatasetKind.Iterable:
            check_stream(shuffle, sampler, batch_sampler)
        check_batches(batch_size, shuffle, sampler, batch_sampler, drop_last)
        if sampler is None:
            sampler = self._default_sampler(shuffle, generator)
        if batch_sampler is not None:
            batch_size = None
        elif batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        default = default_convert if batch_sampler is None else default_collate
        self.collate_fn: Callable[[list[Any]], Any] = collate_fn or default
        self.persistent_workers = persistent_workers
        self._IterableDataset_len_called: int | None = None
        self._iterator: Any = None
        self.__initialized = True
        self.check_worker_number_rationality()

    def _default_sampler(self, shuffle: bool | None, generator: Generator | None) -> Any:
        """Return the sampler of a loader that is made without one."""
        if self._dataset_kind == _DatasetKind.Iterable:
            return _InfiniteConstantSampler()
        return RandomSampler(self.dataset, generator=generator) if shuffle else SequentialSampler(self.dataset)

    @property
    def multiprocessing_context(self) -> Any:
        """The context that the workers are started by; None: Python's default."""
        return self.__multiprocessing_context

    @multiprocessing_context.setter
    def multiprocessing_context(self, multiprocessing_context: Any) -> None:
        if multiprocessing_context is not None:
            if self.num_workers <= 0:
                raise ValueError(
                    "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
                    f"num_workers={self.num_workers}"
                )
            multiprocessing_context = context_of(multiprocessing_context)
        self.__multiprocessing_context = multiprocessing_context

    def __setattr__(self, attr: str, val: Any) -> None:
        if self.__initialized and attr in FIXED:
            raise ValueError(
                f"{attr} attribute should not be set after {type(self).__name__} is initialized: make another loader"
            )
        super().__setattr__(attr, val)

    def __iter__(self) -> Any:
        if not (self.persistent_workers and self.num_workers > 0):
            return self._get_iterator()
        if self._iterator is None or self._iterator._shutdown:
            self._iterator = self._get_iterator()
        else:
            self._iterator._reset(self)
        return self._iterator

    def _get_iterator(self) -> _BaseDataLoaderIter:
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        self.check_worker_number_rationality()
        return _MultiProcessingDataLoaderIter(self)

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        """The sampler of what is fetched at once."""
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def __len__(self) -> int:
        if self._dataset_kind == _DatasetKind.Map:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)

    def check_worker_number_rationality(self) -> None:
        """Warn if there are more workers than processors that this process may use."""
        import os

        available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        if self.num_workers and (available is None or self.num_workers > available):
            warnings.warn(
                f"This DataLoader will create {self.num_workers} worker processes in total. Our suggested max number "
                f"of worker in current system is {available}, which is smaller than what this DataLoader is going to "
                "create. Please be aware that excessive worker creation might get DataLoader running slow or even "
                "freeze, lower the worker number to avoid potential slowness/freeze if necessary.",
                stacklevel=3,
            )


def check_workers(num_workers: int, timeout: float, prefetch_factor: int | None, persistent_workers: bool) -> None:
    """Raise ValueError for numbers below 0, and for options of workers where there are none."""
    if num_workers < 0:
        raise ValueError(
            "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing. "
            f"Got num_workers={num_workers}"
        )
    if timeout < 0:
        raise ValueError(f"timeout option should be non-negative, got timeout={timeout}")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing."
            "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError(f"prefetch_factor option should be non-negative, got prefetch_factor={prefetch_factor}")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def check_stream(shuffle: bool | None, sampler: Any, batch_sampler: Any) -> None:
    """Raise ValueError for options that need indices, which a stream does not have."""
    options = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
    for name, value in options.items():
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
            )


def check_batches(
    batch_size: int | None, shuffle: bool | None, sampler: Any, batch_sampler: Any, drop_last: bool
) -> None:
    """Raise ValueError for options that exclude each other."""
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
        raise ValueError(
            "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
        )
    if batch_sampler is None and batch_size is None and drop_last:
        raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")


def context_of(context: Any) -> Any:
    """Return a context of multiprocessing. Raises ValueError for an unknown name, TypeError for another object."""
    import multiprocessing
    from multiprocessing.context import BaseContext

    if isinstance(context, str):
        valid = multiprocessing.get_all_start_methods()
        if context not in valid:
            raise ValueError(
                f"multiprocessing_context option should specify a valid start method in {valid!r}, but got "
                f"multiprocessing_context={context!r}"
            )
        return multiprocessing.get_context(context)
    if not isinstance(context, BaseContext):
        raise TypeError(
            "multiprocessing_context option should be a valid context object or a string specifying the start method, "
            f"but got multiprocessing_context={context}"
        )
    return context
