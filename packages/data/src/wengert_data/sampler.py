"""Samplers: the order in which the samples of a dataset are visited."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import TYPE_CHECKING, Any, Generic

import wengert

from wengert_data.dataset import T_co

if TYPE_CHECKING:
    from wengert import Generator, Tensor

__all__ = [
    "BatchSampler", "RandomSampler", "Sampler", "SequentialSampler", "SubsetRandomSampler", "T_co",
    "WeightedRandomSampler",
]  # fmt: skip

DRAWS = 32
"""The number of indices drawn at once with replacement: a program that stops early has drawn as much as in PyTorch."""


class Sampler(Generic[T_co]):
    """An iterable of indices, or of lists of indices: the base class of samplers.

    A subclass defines ``__iter__``, and ``__len__`` where the number of indices is known; the length of a loader is
    that of its sampler.

    >>> class Evens(Sampler[int]):
    ...     def __iter__(self):
    ...         return iter(range(0, 6, 2))
    >>> list(Evens())
    [0, 2, 4]
    """

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError(f"{type(self).__name__} should implement __iter__.")


class SequentialSampler(Sampler[int]):
    """The indices ``0, 1, ..., len(data_source) - 1`` in this order.

    >>> list(SequentialSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """The indices of a dataset in random order, another one in each pass.

    replacement: draw each index independently, so that indices may repeat.
    num_samples: how many indices a pass has; by default the length of the dataset. Without replacement, more than that
    are several orders one after the other.
    generator: source of the random numbers; by default one that is seeded by the default generator in each pass.
    Raises TypeError or ValueError for other types and for ``num_samples`` below 1.

    >>> sorted(RandomSampler("abc")), len(RandomSampler("abc", replacement=True, num_samples=7))
    ([0, 1, 2], 7)
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        count: Any = self.num_samples
        if not isinstance(count, int) or count <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={count}")

    @property
    def num_samples(self) -> int:
        """The number of indices of a pass; it follows a dataset whose length changes."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        size = len(self.data_source)
        generator = wengert.Generator().manual_seed(random_seed()) if self.generator is None else self.generator
        for _ in range(self.num_samples // (DRAWS if self.replacement else size)):
            yield from self._draw(size, DRAWS, generator)
        rest = self.num_samples % (DRAWS if self.replacement else size)
        yield from self._draw(size, rest, generator)[:rest]

    def _draw(self, size: int, count: int, generator: Generator) -> list[int]:
        """Return ``count`` indices with replacement, or all of them in random order."""
        if self.replacement:
            drawn = wengert.randint(high=size, size=(count,), dtype=wengert.int64, generator=generator)
        else:
            drawn = wengert.randperm(size, generator=generator)
        return [*drawn.tolist()]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The given indices in random order, another one in each pass.

    >>> sorted(SubsetRandomSampler([7, 3, 5]))
    [3, 5, 7]
    """

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for position in wengert.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[position]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Indices ``0, ..., len(weights) - 1``, drawn with probabilities in proportion to their weights.

    weights: numbers that are not negative; they need not add up to 1.
    num_samples: how many indices a pass has.
    replacement: whether an index may be drawn again in the same pass.
    Raises ValueError for other types, for ``num_samples`` below 1, and for weights that are not one-dimensional.

    >>> list(WeightedRandomSampler([0.0, 2.5, 0.0], 4))
    [1, 1, 1, 1]
    """

    def __init__(
        self, weights: Sequence[float], num_samples: int, replacement: bool = True, generator: Generator | None = None
    ) -> None:
        check_positive("num_samples", num_samples)
        check_flag("replacement", replacement)
        self.weights: Tensor = wengert.as_tensor(weights, dtype=wengert.double)
        if self.weights.dim() != 1:
            raise ValueError(
                f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = wengert.multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler["list[int]"]):
    """Lists of ``batch_size`` indices of another sampler.

    sampler: any iterable of indices.
    drop_last: leave out the last list if it is shorter.
    Raises ValueError for other types and for ``batch_size`` below 1.

    >>> list(BatchSampler(range(7), batch_size=3, drop_last=False))
    [[0, 1, 2], [3, 4, 5], [6]]
    >>> list(BatchSampler(range(7), batch_size=3, drop_last=True))
    [[0, 1, 2], [3, 4, 5]]
    """

    def __init__(self, sampler: Sampler[int] | Iterable[int], batch_size: int, drop_last: bool) -> None:
        check_positive("batch_size", batch_size)
        check_flag("drop_last", drop_last)
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        least = self.batch_size if self.drop_last else 1
        while len(batch := [*itertools.islice(indices, self.batch_size)]) >= least:
            yield batch

    def __len__(self) -> int:
        total = len(self.sampler)  # type: ignore[arg-type]  # a TypeError, where the sampler has no length
        return total // self.batch_size if self.drop_last else -(-total // self.batch_size)


def random_seed(generator: Generator | None = None) -> int:
    """Return a random 63-bit integer, by one draw from a generator."""
    return int(wengert.empty((), dtype=wengert.int64).random_(generator=generator).item())


def check_positive(name: str, value: Any) -> None:
    """Raise ValueError unless the value is an int above 0."""
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")


def check_flag(name: str, value: Any) -> None:
    """Raise ValueError unless the value is a bool."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} should be a boolean value, but got {name}={value}")
