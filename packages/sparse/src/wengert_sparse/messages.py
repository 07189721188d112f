"""Words of this package's error messages."""

from __future__ import annotations

from collections.abc import Sequence


def size_text(shape: Sequence[int]) -> str:
    """A shape as PyTorch's messages write it.

    >>> size_text((2, 3))
    '[2, 3]'
    """
    return str([int(size) for size in shape])
