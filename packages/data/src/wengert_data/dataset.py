"""Datasets: maps from an index to a sample, and streams of samples."""

from __future__ import annotations

import bisect
import itertools
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import wengert

if TYPE_CHECKING:
    from wengert import Generator, Tensor

__all__ = [
    "ChainDataset", "ConcatDataset", "Dataset", "IterableDataset", "StackDataset", "Subset", "T_co", "TensorDataset",
    "random_split",
]  # fmt: skip

T_co = TypeVar("T_co", covariant=True)

class Dataset(Generic[T_co]):
    """A map from keys to samples: the base class of datasets whose samples are found by an index.

    A subclass defines ``__getitem__``. It defines ``__len__`` as well if it is used with samplers and loaders that are
    made from the number of samples, and may define ``__getitems__``, which returns a list of samples for a list of
    indices, where this is faster than one call for each.

    >>> class Squares(Dataset[int]):
    ...     def __getitem__(self, index):
    ...         return index * index
    ...     def __len__(self):
    ...         return 5
    >>> Squares()[3], len(Squares() + Squares())
    (9, 10)
    """

    def __getitem__(self, index: Any) -> T_co:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[Any]) -> Dataset[Any]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co], Iterable[T_co]):
    """A stream of samples: the base class of datasets that are iterated over and have no indices.

    A subclass defines ``__iter__``. With several worker processes each of them iterates over a copy of the dataset, so
    ``__iter__`` divides the work by ``get_worker_info()``; otherwise each sample comes once from each worker.

    >>> class Countdown(IterableDataset[int]):
    ...     def __init__(self, start):
    ...         self.start = start
    ...     def __iter__(self):
    ...         return iter(range(self.start, 0, -1))
    >>> list(Countdown(3)), list(Countdown(2) + Countdown(1))
    ([3, 2, 1], [2, 1, 1])
    """

    def __add__(self, other: Dataset[Any]) -> Dataset[Any]:
        return ChainDataset([self, other])


class TensorDataset(Dataset["tuple[Tensor, ...]"]):
    """A dataset whose sample ``i`` is the tuple of the rows ``i`` of tensors of equal length.

    tensors: at least one dim each, and the same size of dim 0. Raises AssertionError if these differ.

    >>> import wengert as wg
    >>> data = TensorDataset(wg.tensor([[1., 2.], [3., 4.]]), wg.tensor([0, 1]))
    >>> data[1]
    (tensor([3., 4.]), tensor(1))
    """

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
            sizes = ", ".join(str(tensor.size(0)) for tensor in tensors)
            raise AssertionError(f"Size mismatch between tensors: their sizes of dim 0 are {sizes}")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple([tensor[index] for tensor in self.tensors])

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class StackDataset(Dataset[Any]):
    """A dataset whose sample ``i`` consists of the samples ``i`` of datasets of equal length.

    Samples are tuples for datasets that are passed by position, dicts for datasets that are passed by keyword.

    >>> StackDataset(range(3), "abc")[1], StackDataset(number=range(3), letter="abc")[2]
    ((1, 'b'), {'number': 2, 'letter': 'c'})
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or ``dict``- (via ``kwargs``) like input/output, "
                "but both types are given."
            )
        self.datasets: tuple[Any, ...] | dict[str, Any] = args or kwargs
        lengths = [len(dataset) for dataset in self._parts()]
        if not lengths:
            raise ValueError("At least one dataset should be passed")
        self._length = lengths[0]
        if any(length != self._length for length in lengths):
            raise ValueError(f"Size mismatch between datasets: their lengths are {', '.join(map(str, lengths))}")

    def _parts(self) -> Iterable[Any]:
        return self.datasets.values() if isinstance(self.datasets, dict) else self.datasets

    def _sample_of(self, values: Iterable[Any]) -> Any:
        """Return a sample of the values of its parts."""
        return dict(zip(self.datasets, values, strict=True)) if isinstance(self.datasets, dict) else tuple(values)

    def __getitem__(self, index: Any) -> Any:
        return self._sample_of([dataset[index] for dataset in self._parts()])

    def __getitems__(self, indices: Sequence[Any]) -> list[Any]:
        """Return the samples of several indices."""
        columns = [samples_of(dataset, indices) for dataset in self._parts()]
        for column in columns:
            if len(column) != len(indices):
                raise ValueError(
                    f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(column)}"
                )
        return [self._sample_of(values) for values in zip(*columns, strict=True)]

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset[T_co]):
    """A dataset of the samples of several datasets, one dataset after the other.

    >>> data = ConcatDataset(["abc", "de"])
    >>> data[3], data[-1], len(data), data.cumulative_sizes
    ('d', 'e', 5, [3, 5])
    """

    @staticmethod
    def cumsum(sequence: Iterable[Any]) -> list[int]:
        """Return the cumulative lengths of datasets."""
        return list(itertools.accumulate(len(dataset) for dataset in sequence))

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets: list[Any] = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset, which has no indices: add them by +")
        self.cumulative_sizes: list[int] = self.cumsum(self.datasets)

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> Any:
        if idx < 0:
            if -idx > len(self):
                raise ValueError(
                    f"absolute value of index should not exceed dataset length: index {idx}, length {len(self)}"
                )
            idx += len(self)
        part = bisect.bisect_right(self.cumulative_sizes, idx)
        start = self.cumulative_sizes[part - 1] if part else 0
        return self.datasets[part][idx - start]

    @property
    def cummulative_sizes(self) -> list[int]:
        """The attribute ``cumulative_sizes`` by a deprecated name."""
        warnings.warn(
            "`cummulative_sizes` attribute is renamed to `cumulative_sizes`", category=FutureWarning, stacklevel=2
        )
        return self.cumulative_sizes


class ChainDataset(IterableDataset[Any]):
    """A stream of the samples of several streams, one stream after the other; ``a + b`` makes one of two.

    datasets: iterated over again in each pass, so a list and not an iterator.
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def _streams(self) -> Iterator[Any]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError(f"ChainDataset only supports IterableDataset, got {type(dataset).__name__}")
            yield dataset

    def __iter__(self) -> Iterator[Any]:
        for stream in self._streams():
            yield from stream

    def __len__(self) -> int:
        return sum(len(stream) for stream in self._streams())


class Subset(Dataset[T_co]):
    """The samples of a dataset at given indices.

    A subclass that defines ``__getitem__`` also defines ``__getitems__``, which loaders call; otherwise
    NotImplementedError is raised.

    >>> list(Subset("abcdef", [4, 0, 4]))
    ['e', 'a', 'e']
    """

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices
        own = type(self)
        if own.__getitem__ is not Subset.__getitem__ and own.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(
                f"{own.__name__} overrides __getitem__ but not __getitems__, which DataLoader calls. When subclassing "
                "Subset and overriding __getitem__, you must also override __getitems__, for example:\n\n"
                "def __getitems__(self, indices):\n"
                "    return [self.__getitem__(idx) for idx in indices]"
            )

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, list):
            return self.dataset[[self.indices[one] for one in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: Sequence[int]) -> list[T_co]:
        """Return the samples of several positions in the subset."""
        return samples_of(self.dataset, [self.indices[one] for one in indices])

    def __len__(self) -> int:
        return len(self.indices)


def samples_of(dataset: Any, indices: Sequence[Any]) -> list[Any]:
    """Return the samples of several indices, by ``__getitems__`` where the dataset has it."""
    if callable(several := getattr(dataset, "__getitems__", None)):
        return several(indices)  # type: ignore[no-any-return]  # a list, by PyTorch's protocol
    return [dataset[index] for index in indices]


def random_split(
    dataset: Any, lengths: Sequence[int | float], generator: Generator | None = wengert.default_generator
) -> list[Subset[Any]]:
    """Return subsets of the given lengths that share no sample and are chosen at random.

    lengths: numbers of samples that add up to the dataset's length, or fractions that add up to 1. Fractions are
    rounded down, and the samples that remain go to the first subsets, one to each. A subset that gets no sample is
    warned about.
    Raises ValueError if the lengths do not add up to the dataset's length, or a fraction is not between 0 and 1.

    >>> [len(part) for part in random_split(range(10), [0.5, 0.25, 0.25])]
    [6, 2, 2]
    """
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = lengths_of_fractions(lengths, len(dataset))
    if sum(lengths) != len(dataset):
        raise ValueError(
            "Sum of input lengths does not equal the length of the input dataset!"
            f" The lengths {list(lengths)} add up to {sum(lengths)}, the dataset has {len(dataset)} samples"
        )
    order = wengert.randperm(sum(lengths), generator=generator).tolist()  # type: ignore[arg-type]  # ints by now
    ends: Any = itertools.accumulate(lengths)
    return [Subset(dataset, order[end - length : end]) for end, length in zip(ends, lengths, strict=True)]


def lengths_of_fractions(fractions: Sequence[float], total: int) -> list[int]:
    """Return whole numbers that add up to ``total``, in proportion to fractions of 1."""
    for position, fraction in enumerate(fractions):
        if fraction < 0 or fraction > 1:
            raise ValueError(f"Fraction at index {position} is not between 0 and 1, but {fraction}")
    lengths = [math.floor(total * fraction) for fraction in fractions]
    for position in range(total - sum(lengths)):
        lengths[position % len(lengths)] += 1
    for position, length in enumerate(lengths):
        if length == 0:
            warnings.warn(
                f"Length of split at index {position} is 0. This might result in an empty dataset.", stacklevel=3
            )
    return lengths
