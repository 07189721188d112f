"""The items of what a caller has given."""

from collections.abc import Iterable
from itertools import chain
from typing import TypeVar

T = TypeVar("T")


def listed(values: Iterable[T]) -> list[T]:
    """The items of an iterable as a list; what its ``__len__`` or ``__length_hint__`` says is not believed.

    ``list(values)`` asks for that much memory first: a MemoryError without a word for a length that is a lie.

    >>> class Long(list):
    ...     def __len__(self):
    ...         return 2**62 + 1
    >>> listed(Long([1, 2]))
    [1, 2]
    """
    return list(chain(values))
