"""Samples as calls: arrays become tensors, results become arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import wengert_core as wc
from wengert_core.dispatch.op import Op, find, names
from wengert_core.tensors.tensor import Tensor
from wengert_registry import registry

from wengert_testing.case import Array, OpCase, Sample


def row_of(name: str) -> Any:
    """A row of core's table, a plugin's op, or a row of a plugin's table; None when there is none."""
    found = wc.TABLE.ops.get(name)
    if found is not None or name in names():
        return found if found is not None else find(name)
    tables: list[Any] = list(registry.group("ops").load_all().values())
    return next((table.ops[name] for table in tables if name in table.ops), None)


def function_of(name: str) -> Callable[..., Any]:
    """The op or composite with this name; else the method of Tensor."""
    found = row_of(name)
    return found if found is not None else getattr(Tensor, name)  # type: ignore[no-any-return]


def op_of(case: OpCase) -> Op | None:
    """The case's primitive op; None for a composite."""
    found = row_of(case.op)
    return found if isinstance(found, Op) and found.family != "composite" else None


def inplace_of(case: OpCase) -> Op | None:
    """The in-place variant of a primitive, where it has one."""
    found = row_of(f"{case.op}_")
    return found if isinstance(found, Op) and op_of(case) is not None else None


def map_arrays(value: Any, change: Callable[[Array], Any]) -> Any:
    """An argument with ``change`` applied to each array in it."""
    if isinstance(value, np.ndarray):
        return change(value)
    if isinstance(value, (list, tuple)):
        return type(value)(map_arrays(v, change) for v in value)
    return value


def as_tensors(sample: Sample, change: Callable[[Array], Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments with tensors, each made from its array by ``change``."""
    return (
        tuple(map_arrays(a, change) for a in sample.args),
        {k: map_arrays(v, change) for k, v in sample.kwargs.items()},
    )


def contiguous(array: Array) -> Tensor:
    """A tensor with memory of its own."""
    tensor = wc.tensor(np.asarray(array))
    return tensor if array.size else tensor.new_zeros(array.shape)  # NumPy's empty arrays have strides 0


def strided_copy(array: Array) -> Tensor:
    """A tensor with gaps between its elements, and its dims in reverse order in memory."""
    if array.ndim == 0:
        return contiguous(array)
    spread = np.zeros([2 * n for n in reversed(array.shape)], array.dtype)
    view = spread[tuple([slice(None, None, 2)] * array.ndim)].T
    view[...] = array
    return wc.from_numpy(view)


def call(case: OpCase, sample: Sample, change: Callable[[Array], Any] = contiguous) -> tuple[Any, ...]:
    """The op's results, as a tuple."""
    args, kwargs = as_tensors(sample, change)
    return case.results(function_of(case.op)(*case.arguments(args), **kwargs))


def as_tuple(outputs: Any) -> tuple[Any, ...]:
    """One result or several, as a tuple."""
    return tuple(outputs) if isinstance(outputs, (tuple, list)) else (outputs,)


def array_of(value: Any) -> Any:
    """A result as an array; a number as it is."""
    if not isinstance(value, Tensor):
        return value
    value = value.detach() if hasattr(value, "detach") else value
    return value.to(wc.float32).numpy() if value.dtype is wc.bfloat16 else value.numpy()


def is_floating(value: Any) -> bool:
    """Whether a value is a tensor that can have a gradient."""
    return isinstance(value, Tensor) and (value.dtype.is_floating_point or value.dtype.is_complex)
