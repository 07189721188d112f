"""An op without a batching rule: called once for each element of the batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert_core import TABLE
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor

from wengert_engine.vmap.batched_tensor import level_of, physical_of
from wengert_engine.vmap.batched_tensor import wrap_batched as as_batched
from wengert_engine.vmap.level_stack import outside, size_of

select, stack = TABLE.ops["select"], TABLE.ops["stack"]


def loop_over_batch(op: Any, size: int, values: dict[str, Any], batched: dict[str, Any], randomness: str) -> Any:
    """The op for each element, stacked, with a warning."""
    warn(op.qualified_name, size)
    return each(op, size, values, batched)


def warn(name: str, size: int) -> None:
    """torch's warning of a loop."""
    warn_user("There is a performance drop because we have not yet implemented the batching rule for "
              f"{name}: it is called for each of the {size} elements of the batch")


def each(op: Any, size: int, values: dict[str, Any], batched: dict[str, Any]) -> Any:
    """The op for each element, stacked."""
    results = [op(**{name: element(value, batched[name], index) for name, value in values.items()})
               for index in range(size)]
    if op.is_inplace:
        return None
    if not results:
        raise RuntimeError(f"vmap: {op.name} has no batching rule, so it cannot be called with a batch of size 0")
    if isinstance(results[0], Tensor):
        return stack(results)
    if not isinstance(results[0], (tuple, list)):
        raise RuntimeError(f"Batching rule not implemented for {op.qualified_name}. We could not generate a fallback: "
                           f"it returns {type(results[0]).__name__}")
    parts = [stack(list(column)) for column in zip(*results, strict=True)]
    kind: Any = type(results[0])
    return kind._make(parts) if hasattr(kind, "_make") else kind(parts)


def element(value: Any, batched: Any, index: int) -> Any:
    """One element's argument."""
    if isinstance(batched, list):
        return [select(part, 0, index) if flag else part for part, flag in zip(value, batched, strict=True)]
    return select(value, 0, index) if batched else value


def each_call(name: str, function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """A function of other operations that reads its arguments' numbers, for each element of the innermost batch."""
    tensors = [value for value in arguments if isinstance(value, Tensor)]
    level = max(level_of(value) for value in tensors)
    flags = [isinstance(value, Tensor) and level_of(value) == level for value in arguments]
    values = [physical_of(value) if flag else value for value, flag in zip(arguments, flags, strict=True)]
    size = size_of(level)
    warn(f"aten::{name}", size)
    with outside(level - 1):
        results = [function(*[element(value, flag, index) for value, flag in zip(values, flags, strict=True)])
                   for index in range(size)]
        if not results:
            raise RuntimeError(f"vmap: {name} has no batching rule, so it cannot be called with a batch of size 0")
        found = stack(results)
    return as_batched(found, level)
