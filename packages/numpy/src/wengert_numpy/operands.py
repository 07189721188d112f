"""Operands and results of NumPy's functions on tensors: conversion, dtypes by NumPy's rules, axes, out=.

>>> import numpy as np, wengert as wg
>>> to_tensor(np.ones(2)), numpy_dtype(wg.ones(2))
(tensor([1., 1.], dtype=torch.float64), dtype('float32'))
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor
from wengert_core.extend import dtype as dtype_type

from wengert_numpy import errors
from wengert_numpy.ufuncs.array_ufunc import tensor_on_array

NUMBERS = (bool, int, float, complex)

# ---- dtypes

FROM_NUMPY: dict[np.dtype[Any], Any] = {}
"""The dtype of tensors for a dtype of NumPy."""


class NumPyDtypes(dict[Any, "np.dtype[Any]"]):
    """Dtypes of NumPy by those of tensors; for bfloat16 without ml_dtypes, core's error, which names it."""

    def __missing__(self, dtype: Any) -> np.dtype[Any]:
        return dtype.dtype  # type: ignore[no-any-return]


TO_NUMPY: dict[Any, np.dtype[Any]] = NumPyDtypes()
"""The dtype of NumPy for a dtype of tensors."""
for _name in (
    "bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 float16 float32 float64 complex64 complex128".split()
):
    if hasattr(wg, _name):
        FROM_NUMPY[np.dtype(_name)] = getattr(wg, _name)
        TO_NUMPY[getattr(wg, _name)] = np.dtype(_name)


def _add_bfloat16() -> None:
    try:
        import ml_dtypes
    except ImportError:  # an extra of wengert-core
        return
    FROM_NUMPY[np.dtype(ml_dtypes.bfloat16)] = wg.bfloat16
    TO_NUMPY[wg.bfloat16] = np.dtype(ml_dtypes.bfloat16)


_add_bfloat16()


def to_dtype(dtype: Any, name: str = "asarray") -> Any:
    """Return the dtype of tensors that a dtype is: one of ours, NumPy's, Python's types, a name; None for None."""
    if dtype is None or isinstance(dtype, dtype_type):
        return dtype
    known = np.dtype(dtype)
    found = FROM_NUMPY.get(known)
    if found is None:
        found = FROM_NUMPY.get(known.newbyteorder("="))
    if found is None:
        choices = ", ".join(str(one) for one in FROM_NUMPY)
        raise TypeError(f"{name}(): argument 'dtype' is {known}, which tensors do not have; expected one of {choices}")
    return found


def numpy_dtype(value: Any) -> np.dtype[Any]:
    """Return NumPy's dtype of a tensor, an array, a dtype of ours or anything that np.dtype takes."""
    if isinstance(value, Tensor):
        return TO_NUMPY[value.dtype]
    if isinstance(value, dtype_type):
        return TO_NUMPY[value]
    kind: np.dtype[Any] = value.dtype if isinstance(value, (np.ndarray, np.generic)) else np.dtype(value)
    return kind


def weak(value: Any) -> Any:
    """Return what takes part in NumPy's promotion for an operand: its dtype, or the type of a Python number.

    NumPy's scalars count as Python's numbers, as in all of wengert and PyTorch: ``np.float64(2) * x`` has x's dtype.
    """
    if isinstance(value, (bool, np.bool_)):
        return np.dtype(bool)
    if isinstance(value, (int, np.integer)):
        return int
    if isinstance(value, (float, np.floating)):
        return float
    if isinstance(value, (complex, np.complexfloating)):
        return complex
    return numpy_dtype(value)


def result_dtype(*values: Any) -> Any:
    """Return the dtype of tensors that NumPy's promotion gives for tensors, arrays and numbers."""
    samples = {int: 0, float: 0.0, complex: 0j}
    kinds = [weak(value) for value in values]
    return FROM_NUMPY[np.result_type(*(samples[kind] if isinstance(kind, type) else kind for kind in kinds))]


def inexact(t: Tensor) -> Tensor:
    """Return a tensor with the dtype in which NumPy computes functions of real numbers: float64 for integers."""
    return t if t.dtype.is_floating_point or t.dtype.is_complex else t.to(wg.float64)


def cast(t: Tensor, dtype: Any) -> Tensor:
    """Return a tensor in another dtype (anything that to_dtype takes), itself where dtype is None or its own."""
    return t if dtype is None else t.to(to_dtype(dtype))


# ---- operands


def contains_tensor(value: Any) -> bool:
    """Return whether a tensor is somewhere in nested lists and tuples."""
    if isinstance(value, (list, tuple)):
        return any(map(contains_tensor, value))
    return isinstance(value, Tensor)


def to_tensor(value: Any, name: str = "asarray", argument: str = "a") -> Tensor:
    """Return an operand as a tensor: arrays by their memory, numbers in NumPy's default dtypes, lists of tensors
    stacked, with their history.
    """
    if isinstance(value, Tensor):
        return value
    if isinstance(value, np.ndarray):
        return tensor_on_array(value)
    if isinstance(value, (*NUMBERS, np.generic)):
        return tensor_on_array(np.asarray(value))
    if isinstance(value, (list, tuple)):
        if contains_tensor(value):
            parts = [to_tensor(one, name, argument) for one in value]
            if any(part.shape != parts[0].shape for part in parts):
                raise ValueError(f"{name}(): argument '{argument}' has an inhomogeneous shape: its items have the "
                                 f"shapes {', '.join(str(tuple(part.shape)) for part in parts)}")
            return wg.stack(promote(*parts))
        return tensor_on_array(np.asarray(value))
    if isinstance(value, range) or hasattr(type(value), "__array__") or hasattr(type(value), "__array_interface__"):
        return tensor_on_array(np.asarray(value))
    raise errors.wrong_operand(name, argument, value)


def to_tensors(values: Any, name: str, argument: str = "arrays") -> list[Tensor]:
    """Return the items of a sequence, or the rows of an array, as tensors."""
    if isinstance(values, Tensor):
        return list(values.unbind(0))
    if isinstance(values, np.ndarray):
        return list(to_tensor(values).unbind(0))
    if not isinstance(values, (list, tuple)):
        values = list(values)
    return [to_tensor(value, name, argument) for value in values]


def promote(*tensors: Tensor) -> list[Tensor]:
    """Return tensors in their common dtype by NumPy's rules."""
    dtype = tensors[0].dtype
    if any(t.dtype is not dtype for t in tensors):
        dtype = result_dtype(*tensors)
    return [t.to(dtype) for t in tensors]


def operands(*values: Any, name: str) -> list[Tensor]:
    """Return tensors and numbers as tensors of the dtype that NumPy's promotion gives for them."""
    dtype = result_dtype(*(v if isinstance(v, (Tensor, np.ndarray, np.generic, *NUMBERS)) else to_tensor(v, name)
                           for v in values))
    return [to_tensor(value, name).to(dtype) for value in values]


def is_differentiable(t: Tensor) -> bool:
    """Return whether a derivative would be lost if a tensor became an array: it has a history, a tangent or a batch."""
    if t.requires_grad:
        return True
    try:
        t.numpy()
    except (RuntimeError, TypeError):
        return t.device.type == "cpu" and t.layout is wg.strided and t.dtype is not wg.bfloat16
    return False


# ---- axes


def axis_index(axis: Any, ndim: int) -> int:
    """Return an axis as a number in 0 .. ndim - 1. numpy.exceptions.AxisError for one that is not there."""
    index: int = operator.index(axis)
    if not -ndim <= index < ndim:
        raise np.exceptions.AxisError(index, ndim)
    return index + ndim if index < 0 else index


def axis_list(axis: Any, ndim: int) -> list[int]:
    """Return axes, None for all, as numbers in 0 .. ndim - 1. ValueError for one that occurs twice."""
    if axis is None:
        return list(range(ndim))
    axes = [axis_index(one, ndim) for one in (axis if isinstance(axis, (tuple, list)) else (axis,))]
    if len(set(axes)) < len(axes):
        raise ValueError("duplicate value in 'axis'")
    return axes


def reduction_axes(axis: Any, ndim: int) -> list[int]:
    """Return a reduction's axes. NumPy reduces numbers along an axis 0 or -1, which they do not have."""
    return [] if is_axis_of_number(axis, ndim) else axis_list(axis, ndim)


def is_axis_of_number(axis: Any, ndim: int) -> bool:
    """Return whether an axis is the one that NumPy takes an array without axes to have."""
    return ndim == 0 and isinstance(axis, (int, np.integer)) and int(axis) in (0, -1)


# ---- results


def broadcast(t: Tensor, shape: Any) -> Tensor:
    """Return a view of a tensor with a shape. ValueError where it cannot be broadcast to it."""
    if np.broadcast_shapes(tuple(t.shape), tuple(shape)) != tuple(shape):
        raise ValueError(f"an array of shape {tuple(t.shape)} cannot be broadcast to shape {tuple(shape)}")
    return wg.broadcast_to(t, shape)


def output_casting_error(name: str, casting: str, source: Any, target: Any) -> TypeError:
    """Return the error for a dtype of out= that the casting rule forbids, in NumPy's words."""
    kind = f"ufunc '{name}'" if isinstance(getattr(np, name, None), np.ufunc) else f"{name}()"
    return TypeError(f"Cannot cast {kind} output from {source!r} to {target!r} with casting rule '{casting}'")


def write_out(out: Any, result: Tensor, name: str, casting: str = "same_kind", where: Any = True) -> Any:
    """Write a result into out= (None: nothing to write) and return what the function returns.

    A tensor is written to in place, which is recorded; an ndarray takes values only. TypeError where the result has a
    derivative or NumPy's casting rule forbids the dtype, ValueError for another shape.
    """
    if isinstance(out, tuple):
        (out,) = out
    if out is None:
        return result
    if not isinstance(out, (Tensor, np.ndarray)):
        raise TypeError(f"{name}(): argument 'out' must be a tensor or an array, not {type(out).__name__}")
    source, target = numpy_dtype(result), numpy_dtype(out)
    if not np.can_cast(source, target, casting=casting):  # type: ignore[arg-type]
        raise output_casting_error(name, casting, source, target)
    if np.broadcast_shapes(tuple(result.shape), tuple(out.shape)) != tuple(out.shape):
        raise ValueError(
            f"{name}(): argument 'out' has shape {tuple(out.shape)}, the result has shape {tuple(result.shape)}"
        )
    if isinstance(out, Tensor):
        chosen = result.to(out.dtype)
        if where is not True:
            chosen = wg.where(broadcast(to_tensor(where).to(wg.bool), out.shape), chosen, out)
        out.copy_(chosen)
        return out
    if is_differentiable(result):
        raise errors.lost_history(name)
    mask = True if where is True else to_tensor(where).to(wg.bool).numpy(force=True)
    np.copyto(out, result.numpy(force=True), casting=casting, where=mask)  # type: ignore[arg-type]
    return out


def write_result(out: Any, result: Tensor, name: str, casting: str = "same_kind") -> Any:
    """Write a result into out= of exactly its shape, as functions other than ufuncs need it, and return it."""
    target = out[0] if isinstance(out, tuple) else out
    if target is not None and tuple(getattr(target, "shape", ())) != tuple(result.shape):
        raise ValueError(
            f"{name}(): output parameter has the wrong shape: {tuple(target.shape)}, expected {tuple(result.shape)}"
        )
    return write_out(target, result, name, casting)
