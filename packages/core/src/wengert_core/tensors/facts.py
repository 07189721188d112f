"""Facts about a tensor that Python reads, and no operation shows: whether it is a view, its version, where it lies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

FACT_LISTENERS: list[Callable[[Any, str], None]] = []
"""Functions that are told of each tensor and of what is read of it, by the name that users write. Who records a
function adds one; it is told of all threads, and of tensors that have nothing to do with it."""


def tell_fact(tensor: Any, fact: str) -> None:
    """Tell the listeners what Python reads of a tensor, before it gets the answer."""
    for listener in FACT_LISTENERS:
        listener(tensor, fact)
