"""References: what an op computes with where its kernel does not take the arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def is_real(*values: Any) -> bool:
    """Whether the arrays among the values are all of float32, or all of float64; numbers follow them."""
    found = [(value.dtype.char, value.ndim) for value in values if hasattr(value, "dtype")]
    kinds = {kind for kind, ndim in found if ndim} or {kind for kind, _ in found}
    return kinds in ({"f"}, {"d"})


def reference(op: str) -> Callable[..., Any]:
    """The op's own reference."""
    from wengert_core.extend import find_op

    found: Any = find_op(op).reference
    return found  # type: ignore[no-any-return]
