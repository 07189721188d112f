"""Reductions of the elements that are not NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.reduce import reductions, statistics
from wengert_numpy.functions.reduce.reductions import NO_VALUE, is_set
from wengert_numpy.functions.table import implements
from wengert_numpy.functions.value_checks import holds
from wengert_numpy.operands import numpy_dtype, to_tensor, write_result
from wengert_numpy.ufuncs.lexicographic import is_nan


def can_be_nan(x: Tensor) -> bool:
    """Return whether a tensor's dtype has a NaN."""
    return x.dtype.is_floating_point or x.dtype.is_complex


def replace_nan(x: Tensor, value: Any) -> Tensor:
    """Return a tensor with a number in place of NaN."""
    return wg.where(wg.isnan(x), value, x) if can_be_nan(x) else x


@implements("nanmax")
def nanmax(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE, initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
) -> Any:
    """Return the largest elements over axes that are not NaN; NaN where all are."""
    return reductions.reduction(np.fmax, a, axis, None, out, keepdims, initial, where)


@implements("nanmin")
def nanmin(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE, initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
) -> Any:
    """Return the smallest elements over axes that are not NaN; NaN where all are."""
    return reductions.reduction(np.fmin, a, axis, None, out, keepdims, initial, where)


def nan_position(name: str, a: Any, axis: Any, out: Any, keepdims: Any, worst: float) -> Any:
    """Return positions of extrema among the elements that are not NaN. ValueError where all are NaN."""
    x = to_tensor(a, name)
    if can_be_nan(x) and x.numel() and holds(reductions.all(is_nan(x), axis).any()):
        raise ValueError("All-NaN slice encountered")
    filled = replace_nan(x, complex(worst, worst) if x.dtype.is_complex else worst)
    return reductions.position(name.removeprefix("nan"), filled, axis, out, keepdims)


@implements("nanargmax")
def nanargmax(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = NO_VALUE) -> Any:
    """Return the first positions of the largest elements that are not NaN."""
    return nan_position("nanargmax", a, axis, out, keepdims, -wg.inf)


@implements("nanargmin")
def nanargmin(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = NO_VALUE) -> Any:
    """Return the first positions of the smallest elements that are not NaN."""
    return nan_position("nanargmin", a, axis, out, keepdims, wg.inf)


@implements("nansum")
def nansum(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE, where: Any = NO_VALUE,
) -> Any:
    """Return the sum over axes of the elements that are not NaN."""
    x = replace_nan(to_tensor(a, "nansum"), 0)
    return reductions.sum(x, axis, dtype, out, keepdims, initial, where)


@implements("nanprod")
def nanprod(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE, where: Any = NO_VALUE,
) -> Any:
    """Return the product over axes of the elements that are not NaN."""
    x = replace_nan(to_tensor(a, "nanprod"), 1)
    return reductions.prod(x, axis, dtype, out, keepdims, initial, where)


@implements("nancumsum")
def nancumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Return running sums along an axis, in which NaN counts as zero."""
    return reductions.cumsum(replace_nan(to_tensor(a, "nancumsum"), 0), axis, dtype, out)


@implements("nancumprod")
def nancumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Return running products along an axis, in which NaN counts as one."""
    return reductions.cumprod(replace_nan(to_tensor(a, "nancumprod"), 1), axis, dtype, out)


# ---- means and variances


def check_inexact(dtype: Any, out: Any) -> None:
    """Raise TypeError for a dtype, or an output, that cannot hold NaN."""
    for name, value in (("dtype", dtype), ("out", out)):
        if value is not None and numpy_dtype(value).kind not in "fc":
            raise TypeError(f"If a is inexact, then {name} must be inexact")


@implements("nanmean")
def nanmean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = NO_VALUE, *, where: Any = NO_VALUE
) -> Any:
    """Return the mean over axes of the elements that are not NaN."""
    x = to_tensor(a, "nanmean")
    if not can_be_nan(x):
        return statistics.mean(x, axis, dtype, out, keepdims, where=where)
    check_inexact(dtype, out)
    number = reductions.sum(~is_nan(x), axis, wg.int64, keepdims=keepdims, where=where)
    total = reductions.sum(replace_nan(x, 0), axis, dtype, keepdims=keepdims, where=where)
    return write_result(out, statistics.divide(total, number), "nanmean")


@implements("nanvar")
def nanvar(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = NO_VALUE, *,
    where: Any = NO_VALUE, mean: Any = NO_VALUE, correction: Any = NO_VALUE,
) -> Any:
    """Return the variance over axes of the elements that are not NaN; NaN where their count is at most ddof."""
    x = to_tensor(a, "nanvar")
    if not can_be_nan(x):
        return statistics.var(x, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)
    check_inexact(dtype, out)
    ddof = statistics.degrees_removed(ddof, correction)
    valid = ~is_nan(x)
    number = reductions.sum(valid, axis, wg.int64, keepdims=True, where=where)
    if mean is NO_VALUE:
        mean = statistics.divide(reductions.sum(replace_nan(x, 0), axis, dtype, keepdims=True, where=where), number)
    distance = statistics.distances(replace_nan(x, 0), axis, dtype, NO_VALUE, mean)
    squares = statistics.abs_square(wg.where(valid, distance, 0))
    total = reductions.sum(squares, axis, dtype, keepdims=keepdims, where=where)
    free = (number if is_set(keepdims) else number.reshape(total.shape)) - ddof
    result = statistics.divide(total, wg.where(free > 0, free, 1))
    return write_result(out, wg.where(free > 0, result, wg.nan), "nanvar")


@implements("nanstd")
def nanstd(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = NO_VALUE, *,
    where: Any = NO_VALUE, mean: Any = NO_VALUE, correction: Any = NO_VALUE,
) -> Any:
    """Return the standard deviation over axes of the elements that are not NaN."""
    variance = nanvar(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction)
    return write_result(out, statistics.sqrt(variance), "nanstd")
