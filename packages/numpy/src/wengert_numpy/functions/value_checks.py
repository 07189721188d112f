"""Conditions on values that decide on an error or a warning, never on a result that is recorded."""

from __future__ import annotations

from wengert import Tensor


def holds(condition: Tensor) -> bool:
    """Return whether a condition holds for all elements; False inside of vmap, where a batch cannot decide."""
    try:
        return bool(condition.all())
    except RuntimeError:
        return False
