"""Creation functions."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy import errors
from wengert_numpy.array_api.promotion import common_dtype, default_dtype, is_number
from wengert_numpy.operands import NUMBERS, contains_tensor, to_dtype
from wengert_numpy.ufuncs.array_ufunc import tensor_on_array

# ---- conversion


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None) -> Tensor:
    """Return an object as an array: a tensor is itself, with its history, an ndarray or buffer is used in place.

    obj: a tensor, an array, a number, a nested sequence of them (tensors in it are stacked, with their history), an
        object with the buffer, DLPack or NumPy's array protocol.
    copy: True for a copy in any case, which is recorded; False for none: ValueError where one is needed.
    """
    if dtype is not None:
        dtype = to_dtype(dtype)
    if not isinstance(obj, Tensor):
        return from_object(obj, dtype, device, copy)
    if copy is False and not ((dtype is None or dtype is obj.dtype) and is_on(obj, device)):
        raise ValueError(
            f"asarray(): a copy is needed, for dtype {dtype or obj.dtype} on {device or obj.device} of a tensor of "
            f"{obj.dtype} on {obj.device}, which copy=False forbids"
        )
    result = convert(obj, dtype, device)
    return result.clone() if copy and result is obj else result


def as_array(x: Any) -> Tensor:
    """Return an argument as an array, a tensor as fast as can be."""
    return x if isinstance(x, Tensor) else from_object(x, None, None, None)


def convert(x: Tensor, dtype: Any, device: Any) -> Tensor:
    """Return a tensor in another dtype on another device, None for its own; itself where nothing changes."""
    if dtype is not None and dtype is not x.dtype:
        x = x.to(dtype)
    return x if device is None else x.to(device)


def is_on(x: Tensor, device: Any) -> bool:
    """Return whether a tensor is on a device, None for any."""
    return device is None or x.device == wg.device(device) or x.to(device) is x


def from_object(obj: Any, dtype: Any, device: Any, copy: bool | None) -> Tensor:
    """Return what is not a tensor as one."""
    if is_number(obj) or isinstance(obj, (list, tuple, range)):
        if copy is False:
            raise ValueError(f"asarray(): copy=False, but a {type(obj).__name__} has to be copied into an array")
        return from_numbers(obj, dtype, device)
    if not isinstance(obj, np.ndarray) and hasattr(obj, "__dlpack__") and not hasattr(obj, "__array__"):
        return asarray(wg.from_dlpack(obj), dtype=dtype, device=device, copy=copy)
    array = obj if isinstance(obj, np.ndarray) else to_ndarray(obj)
    if array.dtype.kind not in "biufc" and array.dtype.name != "bfloat16":
        raise errors.wrong_operand("asarray", "obj", obj)
    source = array if copy is False or array.flags.writeable else array.copy()
    result = tensor_on_array(source)
    if copy is False and array.size and not np.shares_memory(array, result.numpy()):
        raise ValueError(
            "asarray(): a copy is needed for strides or a byte order that tensors do not have, which copy=False forbids"
        )
    return asarray(result, dtype=dtype, device=device, copy=copy if source is array else None)


def to_ndarray(obj: Any) -> np.ndarray[Any, Any]:
    """Return an ndarray on the memory of an object. TypeError for one that has neither a buffer nor ``__array__``."""
    if not hasattr(obj, "__array__") and not hasattr(obj, "__array_interface__"):
        try:
            obj = memoryview(obj)
        except TypeError:
            raise errors.wrong_operand("asarray", "obj", obj) from None
    return np.asarray(obj)


def from_numbers(obj: Any, dtype: Any, device: Any) -> Tensor:
    """Return a number, or a nested sequence of numbers, arrays and tensors, as a tensor."""
    if isinstance(obj, np.generic):
        obj = obj.item() if isinstance(obj, NUMBERS) else np.asarray(obj)
    if isinstance(obj, np.ndarray):
        return asarray(obj, dtype=dtype, device=device, copy=True)
    if contains_tensor(obj):
        kind = common_dtype(*leaves(obj)) if dtype is None else dtype
        home = next(one.device for one in leaves(obj) if isinstance(one, Tensor)) if device is None else device
        return stack_nested(obj, kind, home)
    if isinstance(obj, (list, tuple)) and any(isinstance(one, np.ndarray) for one in leaves(obj)):
        return asarray(np.asarray(obj), dtype=dtype, device=device)
    return wg.tensor(list(obj) if isinstance(obj, range) else obj, dtype=dtype, device=device)


def leaves(obj: Any) -> Iterator[Any]:
    """Yield the numbers and arrays in nested sequences."""
    if isinstance(obj, (list, tuple)):
        for one in obj:
            yield from leaves(one)
    else:
        yield obj


def stack_nested(obj: Any, dtype: Any, device: Any) -> Tensor:
    """Return nested sequences of tensors, arrays and numbers as one tensor, stacked with their history."""
    if isinstance(obj, (list, tuple)):
        return wg.stack([stack_nested(one, dtype, device) for one in obj])
    if is_number(obj):
        return wg.tensor(obj, dtype=dtype, device=device)
    return asarray(obj, dtype=dtype, device=device)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """Return an array on the memory of an object with ``__dlpack__``.

    copy: False for none: BufferError where one is needed.
    """
    if isinstance(x, Tensor):
        if copy is False and not is_on(x, device):
            raise BufferError(f"from_dlpack(): a copy is needed from {x.device} to {device}, which copy=False forbids")
        return asarray(x, device=device, copy=copy)
    if not hasattr(x, "__dlpack__"):
        raise AttributeError(f"from_dlpack(): {type(x).__name__} has no __dlpack__: use asarray()", name="__dlpack__")
    return wg.from_dlpack(x, device=device, copy=copy)


# ---- filled arrays


def shape_of(shape: Any) -> tuple[int, ...]:
    """Return a shape as a tuple, for a number that of an array with one dim."""
    if isinstance(shape, tuple):
        return shape
    try:
        return (operator.index(shape),)
    except TypeError:
        return tuple(shape)


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Return an array whose elements are not initialized."""
    return wg.empty(shape_of(shape), dtype=to_dtype(dtype, "empty"), device=device)


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Return an array of zeros."""
    return wg.zeros(shape_of(shape), dtype=to_dtype(dtype, "zeros"), device=device)


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Return an array of ones."""
    return wg.ones(shape_of(shape), dtype=to_dtype(dtype, "ones"), device=device)


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Return an array of one value, a number or an array without dims, whose history is kept."""
    dtype = to_dtype(dtype, "full")
    if is_number(fill_value):
        kind = default_dtype(fill_value) if dtype is None else dtype
        return wg.full(shape_of(shape), python_number(fill_value), dtype=kind, device=device)
    return wg.broadcast_to(asarray(fill_value, dtype=dtype, device=device), shape_of(shape)).clone()


def python_number(value: Any) -> Any:
    """Return a number as Python's, also one of NumPy's."""
    return value.item() if isinstance(value, np.generic) else value


def empty_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Return an array of x's shape whose elements are not initialized."""
    x = as_array(x)
    return wg.empty_like(x, dtype=to_dtype(dtype, "empty_like"), device=device)


def zeros_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Return an array of zeros of x's shape."""
    x = as_array(x)
    return wg.zeros_like(x, dtype=to_dtype(dtype, "zeros_like"), device=device)


def ones_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Return an array of ones of x's shape."""
    x = as_array(x)
    return wg.ones_like(x, dtype=to_dtype(dtype, "ones_like"), device=device)


def full_like(x: Tensor, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Return an array of x's shape of one value, a number or an array without dims."""
    x = as_array(x)
    kind = x.dtype if dtype is None else to_dtype(dtype, "full_like")
    if is_number(fill_value):
        return wg.full_like(x, python_number(fill_value), dtype=kind, device=device)
    return full(x.shape, fill_value, dtype=kind, device=x.device if device is None else device)


# ---- sequences and matrices


def arange(start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Return evenly spaced values in [start, stop), or in [0, start) without a stop."""
    if stop is None:
        start, stop = 0, start
    start, stop, step = (python_number(one) for one in (start, stop, step))
    if step == 0:
        raise ValueError("arange(): argument 'step' must not be zero")
    dtype = to_dtype(dtype, "arange")
    if dtype is None:
        dtype = common_dtype(start, stop, step)
    if (stop - start) / step <= 0:
        return wg.empty((0,), dtype=dtype, device=device)
    real = dtype.to_real() if dtype.is_complex else dtype
    return wg.arange(start, stop, step, dtype=real, device=device).to(dtype)


def linspace(
    start: Any, stop: Any, /, num: int, *, dtype: Any = None, device: Any = None, endpoint: bool = True
) -> Tensor:
    """Return evenly spaced values in [start, stop], without the last one where endpoint is False."""
    dtype, num = to_dtype(dtype, "linspace"), operator.index(num)
    if num < 0:
        raise ValueError(f"linspace(): number of samples, {num}, must be non-negative")
    if dtype is None:
        dtype = common_dtype(start, stop, 1.0)
    steps = num if endpoint else num + 1
    return wg.linspace(python_number(start), python_number(stop), steps, dtype=dtype, device=device)[:num]


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None) -> Tensor:
    """Return a matrix with ones on the k-th diagonal and zeros elsewhere."""
    n_cols = n_rows if n_cols is None else n_cols
    dtype = to_dtype(dtype, "eye") or wg.get_default_dtype()
    if k == 0:
        return wg.eye(n_rows, n_cols, dtype=dtype, device=device)
    rows, columns = wg.arange(n_rows, device=device), wg.arange(n_cols, device=device)
    return (rows[:, None] + k == columns).to(dtype)


def meshgrid(*arrays: Tensor, indexing: Literal["xy", "ij"] = "xy") -> tuple[Tensor, ...]:
    """Return the coordinates of a grid, one array for each vector of coordinates.

    indexing: "xy", where the first two axes are exchanged, or "ij".
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid(): Valid values for `indexing` are 'xy' and 'ij', got {indexing!r}")
    vectors = [asarray(one).reshape(-1) for one in arrays]
    axes = list(range(len(vectors)))
    if indexing == "xy" and len(axes) > 1:
        axes[:2] = 1, 0
    shaped = [
        one.reshape([-1 if axis == i else 1 for i in range(len(axes))]) for one, axis in zip(vectors, axes, strict=True)
    ]
    return tuple(one.clone() for one in wg.broadcast_tensors(*shaped)) if shaped else ()


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """Return the triangle of matrices on and below the k-th diagonal."""
    return wg.tril(matrices(x, "tril"), k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """Return the triangle of matrices on and above the k-th diagonal."""
    return wg.triu(matrices(x, "triu"), k)


def matrices(x: Any, name: str) -> Tensor:
    """Return an array of two dims or more. ValueError for another."""
    array = as_array(x)
    if array.ndim < 2:
        raise ValueError(f"{name}(): expected matrices, an array with two dims or more, got shape {tuple(array.shape)}")
    return array
