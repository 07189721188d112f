"""Reductions: sums, products, extrema and their positions, over axes; running sums and products."""

from __future__ import annotations

from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.table import implements
from wengert_numpy.operands import axis_index, axis_list, is_axis_of_number, to_tensor, write_result
from wengert_numpy.ufuncs import lexicographic, methods
from wengert_numpy.ufuncs.rows import ROWS

NO_VALUE = np._NoValue
DIRECT = (wg.bool, wg.int64, wg.float32, wg.float64, wg.complex64, wg.complex128, wg.int32, wg.float16, wg.bfloat16)
"""Dtypes whose sums, products and extrema have the same dtype in wengert and in NumPy."""


def is_direct(a: Any, axis: Any) -> bool:
    """Return whether an op reduces a tensor as NumPy does: over axes that it has, or all of them."""
    if not isinstance(a, Tensor) or a.dtype not in DIRECT:
        return False
    if type(axis) is int:
        return -a.ndim <= axis < a.ndim
    return axis is None or (type(axis) is tuple and is_set_of_axes(axis, a.ndim))


def is_set_of_axes(axes: tuple[Any, ...], ndim: int) -> bool:
    """Return whether integers name different axes, at least one."""
    found = {axis % ndim for axis in axes if type(axis) is int and -ndim <= axis < ndim}
    return 0 < len(found) == len(axes)


def is_set(keepdims: Any) -> bool:
    """Return whether reduced axes are kept with length 1."""
    return keepdims is not NO_VALUE and bool(keepdims)


def reduction(
    ufunc: Any, a: Any, axis: Any, dtype: Any, out: Any, keepdims: Any, initial: Any, where: Any
) -> Any:
    """Return ``ufunc.reduce`` with the defaults of NumPy's functions, which reduce all axes."""
    mask = True if where is NO_VALUE else where
    return methods.reduce(ROWS[ufunc], ufunc, a, axis, dtype, out, is_set(keepdims), initial, mask)


@implements("sum")
def sum(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE, where: Any = NO_VALUE,
) -> Any:
    """Return the sum over axes."""
    if dtype is None and out is None and initial is NO_VALUE and where is NO_VALUE and is_direct(a, axis):
        return wg.sum(a, axis, is_set(keepdims))
    return reduction(np.add, a, axis, dtype, out, keepdims, initial, where)


@implements("prod")
def prod(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE, where: Any = NO_VALUE,
) -> Any:
    """Return the product over axes."""
    if dtype is None and out is None and initial is NO_VALUE and where is NO_VALUE and keepdims is NO_VALUE:
        if type(axis) is int and is_direct(a, axis):
            return wg.prod(a, axis)
        if axis is None and is_direct(a, axis):
            return wg.prod(a)
    return reduction(np.multiply, a, axis, dtype, out, keepdims, initial, where)


def extremum(
    op: Any, ufunc: Any, a: Any, axis: Any, out: Any, keepdims: Any, initial: Any, where: Any
) -> Any:
    """Return the largest or the smallest elements over axes."""
    simple = out is None and initial is NO_VALUE and where is NO_VALUE and is_direct(a, axis)
    if simple and not a.dtype.is_complex and a.numel():
        return op(a, () if axis is None else axis, is_set(keepdims))
    return reduction(ufunc, a, axis, None, out, keepdims, initial, where)


@implements("max", "amax")
def max(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE, initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
) -> Any:
    """Return the largest elements over axes, NaN where one is NaN; equal ones share the gradient."""
    return extremum(wg.amax, np.maximum, a, axis, out, keepdims, initial, where)


@implements("min", "amin")
def min(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE, initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
) -> Any:
    """Return the smallest elements over axes, NaN where one is NaN; equal ones share the gradient."""
    return extremum(wg.amin, np.minimum, a, axis, out, keepdims, initial, where)


@implements("ptp")
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE) -> Any:
    """Return the differences of the largest and the smallest elements over axes."""
    x = to_tensor(a, "ptp")
    return np.subtract(max(x, axis, keepdims=keepdims), min(x, axis, keepdims=keepdims), out=out)


@implements("all")
def all(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE, *, where: Any = NO_VALUE
) -> Any:
    """Return whether all elements over axes are nonzero."""
    if out is None and where is NO_VALUE and is_direct(a, axis):
        return wg.all(a, axis, is_set(keepdims)) if axis is not None or is_set(keepdims) else wg.all(a)
    return reduction(np.logical_and, a, axis, None, out, keepdims, NO_VALUE, where)


@implements("any")
def any(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE, *, where: Any = NO_VALUE
) -> Any:
    """Return whether any element over axes is nonzero."""
    if out is None and where is NO_VALUE and is_direct(a, axis):
        return wg.any(a, axis, is_set(keepdims)) if axis is not None or is_set(keepdims) else wg.any(a)
    return reduction(np.logical_or, a, axis, None, out, keepdims, NO_VALUE, where)


@implements("count_nonzero")
def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """Return the number of nonzero elements over axes."""
    return sum(to_tensor(a, "count_nonzero").to(wg.bool), axis, keepdims=keepdims)


def position(name: str, a: Any, axis: Any, out: Any, keepdims: Any) -> Any:
    """Return the first positions of the largest or smallest elements along an axis, or in the flat tensor."""
    x = to_tensor(a, name)
    axis = None if is_axis_of_number(axis, x.ndim) else axis
    dim = -1 if axis is None else axis_index(axis, x.ndim)
    flat = x.reshape(-1) if axis is None else x.movedim(dim, -1)
    if not flat.shape[-1]:
        raise ValueError(f"attempt to get {name} of an empty sequence")
    if flat.dtype.is_complex:
        result = lexicographic.position_of_extremum(flat, largest=name == "argmax")
    else:
        flat = flat.to(wg.uint8) if flat.dtype is wg.bool else flat
        result = (wg.argmax if name == "argmax" else wg.argmin)(flat, -1)
    if is_set(keepdims):
        result = result.reshape([1] * x.ndim) if axis is None else result.unsqueeze(dim)
    return write_result(out, result, name, casting="safe")


@implements("argmax")
def argmax(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = NO_VALUE) -> Any:
    """Return the first positions of the largest elements along an axis, or in the flat tensor."""
    return position("argmax", a, axis, out, keepdims)


@implements("argmin")
def argmin(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = NO_VALUE) -> Any:
    """Return the first positions of the smallest elements along an axis, or in the flat tensor."""
    return position("argmin", a, axis, out, keepdims)


# ---- running sums and products


def scan(ufunc: Any, a: Any, axis: Any, dtype: Any, out: Any) -> Any:
    """Return ``ufunc.accumulate`` along an axis, None for the flat tensor."""
    x = to_tensor(a, ufunc.__name__)
    if axis is None or is_axis_of_number(axis, x.ndim):
        x, axis = x.reshape(-1), 0
    return methods.accumulate(ROWS[ufunc], ufunc, x, axis, dtype, out)


@implements("cumsum")
def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Return the sums of the first elements along an axis."""
    return scan(np.add, a, axis, dtype, out)


@implements("cumprod")
def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Return the products of the first elements along an axis."""
    return scan(np.multiply, a, axis, dtype, out)


def scan_with_initial(
    ufunc: Any, x: Any, axis: Any, dtype: Any, out: Any, include_initial: bool, name: str
) -> Any:
    """Return a running sum or product, which begins with that of no element where ``include_initial`` is true."""
    t = to_tensor(x, name)
    t = t.reshape(1) if not t.ndim else t
    if axis is None and t.ndim > 1:
        raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
    axis = axis_list(0 if axis is None else axis, t.ndim)[0]
    result = scan(ufunc, t, axis, dtype, None)
    if include_initial:
        shape = [1 if i == axis else n for i, n in enumerate(t.shape)]
        first = wg.full(shape, ufunc.identity, dtype=result.dtype, device=result.device)
        result = wg.cat([first, result], dim=axis)
    return write_result(out, result, name)


@implements("cumulative_sum")
def cumulative_sum(
    x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: bool = False
) -> Any:
    """Return the sums of the first elements along an axis."""
    return scan_with_initial(np.add, x, axis, dtype, out, include_initial, "cumulative_sum")


@implements("cumulative_prod")
def cumulative_prod(
    x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: bool = False
) -> Any:
    """Return the products of the first elements along an axis."""
    return scan_with_initial(np.multiply, x, axis, dtype, out, include_initial, "cumulative_prod")
