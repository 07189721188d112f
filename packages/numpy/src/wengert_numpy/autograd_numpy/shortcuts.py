"""NumPy's functions in their most frequent form, each one operation of wengert: None sends a call to the table.

They change how long a call of arrays of one dtype takes, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import wengert as wg
from wengert import Tensor

from wengert_numpy.operands import FROM_NUMPY
from wengert_numpy.ufuncs.array_ufunc import tensor_on_array

DTYPE, NDIM, PERMUTE, RESHAPE = Tensor.dtype.__get__, Tensor.ndim.__get__, Tensor.permute, Tensor.reshape
INEXACT = frozenset((wg.float32, wg.float64, wg.complex64, wg.complex128))
REAL = frozenset((wg.float32, wg.float64))


def operand(value: Any, dtype: Any) -> Any:
    """Return a tensor of a dtype, or an array of it as a constant; None for anything else."""
    if isinstance(value, Tensor):
        return value if DTYPE(value) is dtype else None
    if value.__class__ is numpy.ndarray and FROM_NUMPY.get(value.dtype) is dtype:
        return tensor_on_array(value)
    return None


def dtype_of(value: Any) -> Any:
    """Return the dtype of a tensor; None for anything else."""
    return DTYPE(value) if isinstance(value, Tensor) else None


def dot(a: Any, b: Any) -> Any:
    """Return the product of vectors and matrices."""
    dtype = dtype_of(a) or dtype_of(b)
    if dtype not in INEXACT:
        return None
    a, b = operand(a, dtype), operand(b, dtype)
    if a is None or b is None or not 0 < NDIM(a) <= 2 or not 0 < NDIM(b) <= 2:
        return None
    return wg.matmul(a, b)


def of_axis(op: Callable[..., Any], dtypes: frozenset[Any]) -> Callable[..., Any]:
    """Return a reduction of all axes, or of one."""

    def reduction(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
        if dtype_of(a) not in dtypes or not a.numel():
            return None
        if axis is None:
            return None if keepdims else op(a)
        ndim = NDIM(a)
        return op(a, axis, keepdims is True) if axis.__class__ is int and -ndim <= axis < ndim else None

    return reduction


def reshape(a: Any, shape: Any) -> Any:
    """Return the array with another shape."""
    return RESHAPE(a, shape) if isinstance(a, Tensor) and shape.__class__ in (int, tuple) else None


def transpose(a: Any) -> Any:
    """Return the array with its axes reversed."""
    return PERMUTE(a, range(NDIM(a))[::-1]) if isinstance(a, Tensor) else None


def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """Return the array with its elements moved along an axis."""
    if shift.__class__ is not int or axis.__class__ is not int or not isinstance(a, Tensor):
        return None
    ndim = NDIM(a)
    return wg.roll(a, shift, axis) if -ndim <= axis < ndim else None


def concatenate(arrays: Any, axis: Any = 0) -> Any:
    """Return arrays joined along an axis."""
    if arrays.__class__ not in (list, tuple) or axis.__class__ is not int:
        return None
    dtype = next((DTYPE(one) for one in arrays if isinstance(one, Tensor)), None)
    parts = [operand(one, dtype) for one in arrays]
    if any(part is None or not NDIM(part) or NDIM(part) != NDIM(parts[0]) for part in parts):
        return None
    ndim = NDIM(parts[0])
    for i in range(ndim):
        if i != axis % ndim and any(part.shape[i] != parts[0].shape[i] for part in parts):
            return None
    return wg.cat(parts, axis) if -ndim <= axis < ndim else None


def where(condition: Any, x: Any, y: Any) -> Any:
    """Return elements of x or y."""
    dtype = dtype_of(x) or dtype_of(y)
    condition, x, y = operand(condition, wg.bool), operand(x, dtype), operand(y, dtype)
    return None if condition is None or x is None or y is None else wg.where(condition, x, y)


SHORTCUTS: dict[Any, Callable[..., Any]] = {
    numpy.dot: dot, numpy.sum: of_axis(wg.sum, INEXACT), numpy.mean: of_axis(wg.mean, INEXACT),
    numpy.max: of_axis(wg.amax, REAL), numpy.min: of_axis(wg.amin, REAL), numpy.transpose: transpose,
    numpy.concatenate: concatenate, numpy.where: where, numpy.reshape: reshape, numpy.roll: roll,
}  # fmt: skip
"""The shortcuts by NumPy's function. Their signatures are parts of NumPy's: a call with other arguments has none."""


def shortcut(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the result of a function's shortcut; None where it has none for these arguments."""
    quick = SHORTCUTS.get(function)
    if quick is None or (kwargs and not kwargs.keys() <= KEYWORDS) or len(args) > LENGTHS[function]:
        return None
    try:
        return quick(*args, **kwargs)
    except (TypeError, RuntimeError, IndexError, ValueError):
        return None  # the table's function runs into it as well, and says it in NumPy's words


KEYWORDS = {"axis", "keepdims"}
LENGTHS = {
    numpy.dot: 2,
    numpy.sum: 2,
    numpy.mean: 2,
    numpy.max: 2,
    numpy.min: 2,
    numpy.transpose: 1,
    numpy.concatenate: 2,
    numpy.where: 3,
    numpy.reshape: 2,
    numpy.roll: 3,
}
"""How many positional arguments a shortcut takes."""
