"""Ranges of addresses, and whether memory of tensors overlaps with them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from wengert_core.extend import Tensor

Range = tuple[int, int]
"""The first address, and the end."""


class Ranges:
    """Ranges of addresses, joined where they meet."""

    def __init__(self, ranges: Iterable[Range]) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        for low, high in sorted(ranges):
            if self.ends and low < self.ends[-1]:
                self.ends[-1] = max(high, self.ends[-1])
            elif low < high:
                self.starts.append(low)
                self.ends.append(high)

    @property
    def nbytes(self) -> int:
        """The number of addresses."""
        return sum(self.ends) - sum(self.starts)

    def meet(self, low: int, high: int) -> bool:
        """Whether one of them has an address of another range."""
        before = bisect_right(self.starts, low) - 1
        return (before >= 0 and low < self.ends[before]) or (
            before + 1 < len(self.starts) and self.starts[before + 1] < high
        )

    def meet_any(self, tensors: Iterable[Tensor]) -> bool:
        """Whether a tensor shares memory with one of them."""
        return any(self.meet(*range_of(one)) for one in tensors)


def range_of(tensor: Tensor) -> Range:
    """Return where the storage of a tensor is."""
    storage = tensor.untyped_storage()
    start = int(storage.data_ptr())
    return start, start + int(storage.nbytes())
