"""Fetchers: the batch of the next indices of a dataset."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import wengert

from wengert_data._utils.collate import is_default
from wengert_data.dataset import Subset, TensorDataset, samples_of

__all__ = ["_BaseDatasetFetcher", "_IterableDatasetFetcher", "_MapDatasetFetcher"]


class _BaseDatasetFetcher:
    """Fetch batches, or single samples without ``auto_collation``."""

    def __init__(self, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool) -> None:
        self.dataset = dataset
        self.auto_collation = auto_collation
        self.collate_fn = collate_fn
        self.drop_last = drop_last

    def fetch(self, possibly_batched_index: Any) -> Any:
        """Return the batch of a list of indices, or the sample of an index."""
        raise NotImplementedError


class _IterableDatasetFetcher(_BaseDatasetFetcher):
    """Fetch from a stream; of indices only their number counts."""

    def __init__(self, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool) -> None:
        super().__init__(dataset, auto_collation, collate_fn, drop_last)
        self.dataset_iter = iter(dataset)
        self.ended = False

    def fetch(self, possibly_batched_index: Any) -> Any:
        """Return the next batch, or the next sample. Raises StopIteration at the end of the stream."""
        if self.ended:
            raise StopIteration
        if not self.auto_collation:
            return self.collate_fn(next(self.dataset_iter))
        samples = []
        for _ in possibly_batched_index:
            try:
                samples.append(next(self.dataset_iter))
            except StopIteration:
                self.ended = True
                break
        if not samples or (self.drop_last and len(samples) < len(possibly_batched_index)):
            raise StopIteration
        return self.collate_fn(samples)


class _MapDatasetFetcher(_BaseDatasetFetcher):
    """Fetch by indices."""

    def fetch(self, possibly_batched_index: Any) -> Any:
        """Return the batch of a list of indices, or the sample of an index."""
        if not self.auto_collation:
            return self.collate_fn(self.dataset[possibly_batched_index])
        if is_default(self.collate_fn):
            rows = rows_of(self.dataset, possibly_batched_index)
            if rows is not None:
                return rows
        return self.collate_fn(samples_of(self.dataset, possibly_batched_index))


def rows_of(dataset: Any, indices: Any) -> list[Any] | None:
    """Return the batch of a dataset of plain tensors by one operation on each; None where samples must be made.

    The batch is the same as that of single samples, which are two orders of magnitude slower for small rows.
    """
    while type(dataset) is Subset and type(indices) is list:
        indices, dataset = [dataset.indices[one] for one in indices], dataset.dataset
    if type(dataset) is not TensorDataset or type(indices) is not list or set(map(type, indices)) != {int}:
        return None
    if not all(map(has_plain_rows, dataset.tensors)) or min(indices) < 0 or max(indices) >= len(dataset):
        return None
    positions = wengert.tensor(indices)
    return [wengert.index_select(tensor, 0, positions) for tensor in dataset.tensors]


def has_plain_rows(tensor: Any) -> bool:
    """Return whether selecting rows is stacking them: no history, no layout, no subclass and no other device."""
    return (
        type(tensor) is wengert.Tensor
        and not tensor.requires_grad
        and tensor.layout is wengert.strided
        and tensor.device.type == "cpu"
    )
