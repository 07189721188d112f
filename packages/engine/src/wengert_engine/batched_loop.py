"""An op without a batching rule: called once for each element of the batch."""

from __future__ import annotations

from typing import Any

from wengert_core import TABLE
from wengert_core.caution import warn_user
from wengert_core.tensor import Tensor

select, stack = TABLE.ops["select"], TABLE.ops["stack"]


def looped(op: Any, size: int, values: dict[str, Any], batched: dict[str, Any], randomness: str) -> Any:
    """The op for each element, stacked, with a warning."""
    warn_user("There is a performance drop because we have not yet implemented the batching rule for "
              f"aten::{op.name}: it is called for each of the {size} elements of the batch")
    return each(op, size, values, batched)


def each(op: Any, size: int, values: dict[str, Any], batched: dict[str, Any]) -> Any:
    """The op for each element, stacked."""
    results = [op(**{name: element(value, batched[name], index) for name, value in values.items()}) for index in range(size)]
    if op.is_inplace:
        return None
    if not results:
        raise RuntimeError(f"vmap: {op.name} has no batching rule, so it cannot be called with a batch of size 0")
    if isinstance(results[0], Tensor):
        return stack(results)
    if not isinstance(results[0], (tuple, list)):
        raise RuntimeError(f"Batching rule not implemented for aten::{op.name}. We could not generate a fallback: it "
                           f"returns {type(results[0]).__name__}")
    parts = [stack(list(column)) for column in zip(*results, strict=True)]
    kind: Any = type(results[0])
    return kind._make(parts) if hasattr(kind, "_make") else kind(parts)


def element(value: Any, batched: Any, index: int) -> Any:
    """One element's argument."""
    if isinstance(batched, list):
        return [select(part, 0, index) if flag else part for part, flag in zip(value, batched, strict=True)]
    return select(value, 0, index) if batched else value
