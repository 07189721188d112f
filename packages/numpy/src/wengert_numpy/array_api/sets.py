"""Set functions: unique elements, membership. Every NaN is an element of its own."""

from __future__ import annotations

from typing import Any, NamedTuple

import wengert as wg
from wengert import Tensor

from wengert_numpy.array_api.binding import promote_arrays
from wengert_numpy.array_api.creation import as_array


class UniqueAll(NamedTuple):
    """The result of unique_all."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """The result of unique_counts."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """The result of unique_inverse."""

    values: Tensor
    inverse_indices: Tensor


class Runs:
    """The elements of an array in ascending order, of which equal ones make a run."""

    def __init__(self, x: Any) -> None:
        self.x = as_array(x)
        flat = self.x.reshape(-1)
        self.order = ascending(flat)
        ordered = flat[self.order]
        first = wg.ones(min(1, len(flat)), dtype=wg.bool, device=flat.device)
        self.begins = wg.cat([first, ordered[1:] != ordered[:-1]])
        (self.starts,) = wg.nonzero(self.begins, as_tuple=True)
        self.values = ordered[self.starts]

    def indices(self) -> Tensor:
        """Return the index of each run's first occurrence."""
        return self.order[self.starts]

    def inverse(self) -> Tensor:
        """Return the number of the run that each element is in, in the array's shape."""
        runs = wg.cumsum(self.begins.to(wg.int64), 0) - 1
        return runs[wg.argsort(self.order)].reshape(self.x.shape)

    def counts(self) -> Tensor:
        """Return the length of each run."""
        end = wg.full((1,), self.x.numel(), dtype=wg.int64, device=self.starts.device)
        return wg.diff(wg.cat([self.starts, end])) if len(self.starts) else self.starts


def ascending(flat: Tensor) -> Tensor:
    """Return the indices that sort a vector; complex numbers by their real, then their imaginary part."""
    if not flat.dtype.is_complex:
        return wg.argsort(flat, stable=True)
    order = wg.argsort(wg.imag(flat), stable=True)
    return order[wg.argsort(wg.real(flat)[order], stable=True)]


def unique_all(x: Tensor, /) -> UniqueAll:
    """Return the unique elements, their first occurrences, the indices that restore x, and counts."""
    runs = Runs(x)
    return UniqueAll(runs.values, runs.indices(), runs.inverse(), runs.counts())


def unique_counts(x: Tensor, /) -> UniqueCounts:
    """Return the unique elements and how often each occurs."""
    runs = Runs(x)
    return UniqueCounts(runs.values, runs.counts())


def unique_inverse(x: Tensor, /) -> UniqueInverse:
    """Return the unique elements and the indices that restore x."""
    runs = Runs(x)
    return UniqueInverse(runs.values, runs.inverse())


def unique_values(x: Tensor, /) -> Tensor:
    """Return the unique elements."""
    return Runs(x).values


def isin(x1: Tensor | int, x2: Tensor | int, /, *, invert: bool = False) -> Tensor:
    """Return whether each element of x1 is in x2, or is not where invert is true."""
    x1, x2 = promote_arrays(x1, x2)
    if x1.dtype.is_complex:
        found = (x1.unsqueeze(-1) == x2.reshape(-1)).any(-1)
        return ~found if invert else found
    if x1.dtype is wg.bool:
        x1, x2 = x1.to(wg.uint8), x2.to(wg.uint8)
    return wg.isin(x1, x2, invert=invert)
