"""The items of what a caller has given."""

from collections.abc import Iterable
from itertools import chain
from typing import Any, TypeVar

T = TypeVar("T")


def list_items(values: Iterable[T]) -> list[T]:
    """The items of an iterable as a list; what its ``__len__`` or ``__length_hint__`` says is not believed.

    ``list(values)`` asks for that much memory first: a MemoryError without a word for a length that is a lie.

    >>> class Long(list):
    ...     def __len__(self):
    ...         return 2**62 + 1
    >>> list_items(Long([1, 2]))
    [1, 2]
    """
    return list(chain(values))


def sequence_of_tensors(name: str, tensors: Any) -> list[Any]:
    """The items of a tuple or list of tensors; another iterable, which may have no end, is a TypeError.

    >>> sequence_of_tensors("hstack", range(2**62))
    Traceback (most recent call last):
        ...
    TypeError: hstack(): argument 'tensors' (position 1) must be tuple of Tensors, not range
    """
    if not isinstance(tensors, (tuple, list)):
        raise TypeError(
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(tensors).__name__}"
        )
    return list_items(tensors)
