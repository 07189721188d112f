"""HIPS autograd's ``util``: tuples with other items.

>>> subval((1, 2, 3), 1, "b"), subvals((1, 2, 3), [(0, "a"), (2, "c")])
((1, 'b', 3), ('a', 2, 'c'))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


def subvals(x: Sequence[Any], ivs: Iterable[tuple[int, Any]]) -> tuple[Any, ...]:
    """Return a tuple of the items of a sequence, with others at some positions."""
    items = list(x)
    for i, value in ivs:
        items[i] = value
    return tuple(items)


def subval(x: Sequence[Any], i: int, v: Any) -> tuple[Any, ...]:
    """Return a tuple of the items of a sequence, with another one at a position."""
    return subvals(x, [(i, v)])


__all__ = ["subval", "subvals"]
