"""Dtypes and memory: can_cast, result_type, common_type, shares_memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from wengert import Tensor
from wengert_core.extend import dtype as dtype_type

from wengert_numpy.functions.table import implements
from wengert_numpy.operands import numpy_dtype


def dtype_or_number(value: Any) -> Any:
    """Return NumPy's dtype of a tensor or of a dtype of ours; anything else as it is."""
    return numpy_dtype(value) if isinstance(value, (Tensor, dtype_type)) else value


@implements("can_cast")
def can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    """Return whether NumPy's casting rule allows the cast of a tensor's dtype."""
    return np.can_cast(dtype_or_number(from_), dtype_or_number(to), casting=casting)


@implements("result_type")
def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """Return NumPy's dtype that its promotion gives for tensors, arrays, numbers and dtypes."""
    return np.result_type(*map(dtype_or_number, arrays_and_dtypes))


@implements("min_scalar_type")
def min_scalar_type(a: Any, /) -> np.dtype[Any]:
    """Return NumPy's smallest dtype that holds the value of a tensor without axes; of others their dtype."""
    return np.min_scalar_type(a.detach().numpy(force=True)) if a.ndim == 0 else numpy_dtype(a)


@implements("common_type")
def common_type(*arrays: Any) -> type[Any]:
    """Return NumPy's type of inexact numbers that holds the values of all tensors."""
    samples = [np.empty(0, numpy_dtype(one)) if isinstance(one, Tensor) else one for one in arrays]
    return np.common_type(*samples)  # type: ignore[no-any-return]


def memory_of(value: Any) -> Any:
    """Return an array on the memory of a tensor; of a tensor elsewhere than on the CPU, None."""
    if not isinstance(value, Tensor):
        return value
    return value.detach().numpy() if value.device.type == "cpu" else None


def same_storage(a: Any, b: Any) -> bool:
    """Return whether two tensors of one device are on the same storage."""
    if not (isinstance(a, Tensor) and isinstance(b, Tensor)) or a.device != b.device:
        return False
    return bool(a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr())


@implements("may_share_memory")
def may_share_memory(a: Any, b: Any, /, max_work: Any = 0) -> bool:
    """Return whether the memory of two tensors or arrays may overlap."""
    first, second = memory_of(a), memory_of(b)
    if first is None or second is None:
        return same_storage(a, b)
    return np.may_share_memory(first, second, max_work)


@implements("shares_memory")
def shares_memory(a: Any, b: Any, /, max_work: Any = -1) -> bool:
    """Return whether two tensors or arrays have an element in common."""
    first, second = memory_of(a), memory_of(b)
    if first is None or second is None:
        return same_storage(a, b)
    return np.shares_memory(first, second, max_work)
