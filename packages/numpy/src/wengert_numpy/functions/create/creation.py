"""Creation: the functions with ``like=``, and empty_like, zeros_like, ones_like, full_like.

Note [like=]
    ``numpy.zeros(3, like=t)`` calls the implementation without ``like``: results are on the default device. Dtypes are
    NumPy's, so float64 by default.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.table import implements
from wengert_numpy.functions.view.manipulation import expand_into, shape_tuple
from wengert_numpy.operands import contains_tensor, to_dtype, to_tensor

# ---- from arrays, lists and tensors


def as_tensor(a: Any, dtype: Any, copy: Any, device: Any, name: str) -> Tensor:
    """Return an operand as a tensor; copy: True always, None where needed, False never (ValueError)."""
    source = to_tensor(a, name)
    result = source if dtype is None else source.to(to_dtype(dtype, name))
    result = result if device is None else result.to(device)
    if copy is False and (result is not source or not isinstance(a, (Tensor, np.ndarray))):
        raise ValueError(
            f"Unable to avoid copy while creating an array as requested: {name}() with copy=False needs a tensor or an "
            "array that has the dtype and the device"
        )
    return result.clone() if copy and result is source else result


@implements("array")
def array(
    object: Any,
    dtype: Any = None,
    *,
    copy: Any = True,
    order: Any = "K",
    subok: bool = False,
    ndmin: int = 0,
    ndmax: int = 0,
) -> Tensor:
    """Return a tensor of a tensor, an array, or nested sequences of them and numbers, with their history."""
    result = as_tensor(object, dtype, copy, None, "array")
    return result.reshape((1,) * (ndmin - result.ndim) + tuple(result.shape)) if ndmin > result.ndim else result


@implements("asarray", "asanyarray")
def asarray(a: Any, dtype: Any = None, order: Any = None, *, device: Any = None, copy: Any = None) -> Tensor:
    """Return an operand as a tensor, without a copy where none is needed."""
    return as_tensor(a, dtype, copy, device, "asarray")


@implements("ascontiguousarray")
def ascontiguousarray(a: Any, dtype: Any = None) -> Tensor:
    """Return an operand as a tensor of at least one axis, contiguous in C order."""
    result = as_tensor(a, dtype, None, None, "ascontiguousarray").contiguous()
    return result if result.ndim else result.reshape(1)


@implements("asfortranarray")
def asfortranarray(a: Any, dtype: Any = None) -> Tensor:
    """Return an operand as a tensor of at least one axis, contiguous in Fortran order."""
    result = as_tensor(a, dtype, None, None, "asfortranarray")
    axes = tuple(range(result.ndim - 1, -1, -1))
    return result.permute(axes).contiguous().permute(axes) if result.ndim > 1 else ascontiguousarray(result)


@implements("require")
def require(a: Any, dtype: Any = None, requirements: Any = None) -> Tensor:
    """Return an operand as a tensor with memory that meets requirements."""
    wishes = {str(one).upper()[:1] for one in requirements or ()}
    if {"C", "F"} <= wishes:
        raise ValueError('Cannot specify both "C" and "F" order')
    if "F" in wishes:
        return asfortranarray(a, dtype)
    return ascontiguousarray(a, dtype) if "C" in wishes else asarray(a, dtype)


# ---- filled


def creation(name: str, fill: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return the function that makes tensors of a shape."""

    def create(shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None) -> Tensor:
        return fill(shape_tuple(shape), dtype=to_dtype(dtype, name) or wg.float64, device=device)

    create.__name__ = name
    create.__doc__ = f"Return a tensor of a shape, as numpy.{name} does."
    return create


for _name in ("empty", "zeros", "ones"):
    implements(_name)(creation(_name, getattr(wg, _name)))


def fill(shape: tuple[int, ...], value: Any, dtype: Any, device: Any, name: str) -> Tensor:
    """Return a tensor of a shape that has a value everywhere, with the value's derivative."""
    source = to_tensor(value, name, "fill_value")
    source = source if dtype is None else source.to(dtype)
    source = source if device is None else source.to(device)
    return expand_into(source, shape).clone(memory_format=wg.contiguous_format)


@implements("full")
def full(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", *, device: Any = None) -> Tensor:
    """Return a tensor of a shape that has a value everywhere."""
    return fill(shape_tuple(shape), fill_value, to_dtype(dtype, "full"), device, "full")


@implements("eye")
def eye(N: Any, M: Any = None, k: int = 0, dtype: Any = float, order: str = "C", *, device: Any = None) -> Tensor:
    """Return a matrix with ones on a diagonal."""
    rows = operator.index(N)
    columns = rows if M is None else operator.index(M)
    row, column = wg.arange(rows, device=device), wg.arange(columns, device=device)
    return (column - row[:, None] == operator.index(k)).to(to_dtype(dtype, "eye") or wg.float64)


@implements("identity")
def identity(n: Any, dtype: Any = None) -> Tensor:
    """Return the identity matrix."""
    return eye(n, dtype=dtype)


@implements("tri")
def tri(N: Any, M: Any = None, k: int = 0, dtype: Any = float) -> Tensor:
    """Return a matrix with ones on and below a diagonal."""
    rows = operator.index(N)
    columns = rows if M is None else operator.index(M)
    return (wg.arange(columns) - wg.arange(rows)[:, None] <= k).to(to_dtype(dtype, "tri") or wg.float64)


@implements("arange")
def arange(
    start_or_stop: Any = None,
    /,
    stop: Any = None,
    step: Any = None,
    dtype: Any = None,
    *,
    device: Any = None,
    start: Any = None,
) -> Tensor:
    """Return numbers from start to before stop with a step, differentiable in start and step where they are tensors."""
    first: Any = start if start_or_stop is None else start_or_stop
    if stop is None:
        first, stop = 0, first
    first = 0 if first is None else first
    step = 1 if step is None else step
    if not contains_tensor([first, stop, step]):
        kind: Any = None if dtype is None else np.dtype(dtype)
        return to_tensor(np.arange(first, stop, step, dtype=kind))
    begin, end, distance = (to_tensor(one, "arange") for one in (first, stop, step))
    count = max(math.ceil(float(((end - begin) / distance).detach())), 0)
    result = begin + distance * wg.arange(count, device=distance.device)
    result = result if dtype is None else result.to(to_dtype(dtype, "arange"))
    return result if device is None else result.to(device)


@implements("fromfunction")
def fromfunction(function: Callable[..., Any], shape: Any, *, dtype: Any = float, **kwargs: Any) -> Any:
    """Return what a function gives for the indices of a shape, one tensor for each axis."""
    lengths = shape_tuple(shape)
    kind = to_dtype(dtype, "fromfunction")
    indices = []
    for i, length in enumerate(lengths):
        index = wg.arange(length).to(kind).reshape(*(-1 if j == i else 1 for j in range(len(lengths))))
        indices.append(index.expand(lengths).clone())
    return function(*indices, **kwargs)


# ---- read by NumPy


def reader(name: str) -> Callable[..., Tensor]:
    """Return the function that makes a tensor of what NumPy's function reads."""
    numpy_reader = getattr(np, name)

    def read(*args: Any, **kwargs: Any) -> Any:
        array = numpy_reader(*args, **kwargs)
        if isinstance(array, (list, tuple)):
            return type(array)(to_tensor(one, name) for one in array)
        return to_tensor(array, name)

    read.__name__ = name
    read.__doc__ = f"Return as a tensor the array that numpy.{name} reads."
    return read


for _name in ("frombuffer", "fromfile", "fromiter", "fromstring", "genfromtxt", "loadtxt"):
    implements(_name)(reader(_name))


# ---- in the form of another tensor


def like_another(a: Any, dtype: Any, shape: Any, device: Any, name: str) -> tuple[Tensor, Any, tuple[int, ...], Any]:
    """Return the other tensor and the dtype, shape and device of the result."""
    x = to_tensor(a, name)
    lengths = tuple(x.shape) if shape is None else shape_tuple(shape)
    return x, to_dtype(dtype, name) or x.dtype, lengths, x.device if device is None else device


@implements("zeros_like")
def zeros_like(
    a: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, *, device: Any = None
) -> Tensor:
    """Return zeros with the shape and dtype of a tensor."""
    x, kind, lengths, where = like_another(a, dtype, shape, device, "zeros_like")
    return wg.zeros_like(x, dtype=kind, device=where) if shape is None else wg.zeros(lengths, dtype=kind, device=where)


@implements("ones_like")
def ones_like(
    a: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, *, device: Any = None
) -> Tensor:
    """Return ones with the shape and dtype of a tensor."""
    x, kind, lengths, where = like_another(a, dtype, shape, device, "ones_like")
    return wg.ones_like(x, dtype=kind, device=where) if shape is None else wg.ones(lengths, dtype=kind, device=where)


@implements("empty_like")
def empty_like(
    prototype: Any,
    /,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Tensor:
    """Return a tensor with the shape and dtype of another, not initialized."""
    x, kind, lengths, where = like_another(prototype, dtype, shape, device, "empty_like")
    return wg.empty_like(x, dtype=kind, device=where) if shape is None else wg.empty(lengths, dtype=kind, device=where)


@implements("full_like")
def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Tensor:
    """Return a tensor with the shape and dtype of another that has a value everywhere."""
    _, kind, lengths, where = like_another(a, dtype, shape, device, "full_like")
    return fill(lengths, fill_value, kind, where, "full_like")
