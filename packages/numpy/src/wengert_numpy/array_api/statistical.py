"""Statistical functions: sums, products, extrema, moments."""

from __future__ import annotations

from math import prod as product
from typing import Any

import wengert as wg
from wengert import Tensor

from wengert_numpy.array_api.axes import Axis, Op, axes_of
from wengert_numpy.array_api.binding import reduction, typed_reduction
from wengert_numpy.array_api.creation import as_array, asarray
from wengert_numpy.array_api.promotion import KINDS, reduction_dtype
from wengert_numpy.operands import to_dtype

FLOATING = KINDS["real floating"] + KINDS["complex floating"]
SAME = [*FLOATING, *KINDS["signed integer"], wg.bool]
"""Dtypes whose sums and products wg.sum and wg.prod have in the standard's dtype."""


def general_sum(op: Op, x: Any, axis: Axis, dtype: Any, keepdims: bool) -> Tensor:
    """Return sums over axes."""
    x = as_array(x)
    dtype = reduction_dtype(x.dtype) if dtype is None else to_dtype(dtype, "sum")
    if axis == ():
        return asarray(x, dtype=dtype, copy=True)
    return op(x, axis, keepdims, dtype=dtype)


def general_prod(op: Op, x: Tensor, axis: Axis, dtype: Any, keepdims: bool) -> Tensor:
    """Return products over axes, one after the other."""
    x = as_array(x)
    dtype = reduction_dtype(x.dtype) if dtype is None else to_dtype(dtype, "prod")
    if axis is None and not keepdims:
        return op(x, dtype=dtype)
    axes = axes_of(axis, x.ndim)
    if not axes:
        return asarray(x, dtype=dtype, copy=True)
    for one in sorted(axes, reverse=True):
        x = op(x, one, keepdims, dtype=dtype)
    return x


def general_extremum(op: Op, x: Any, axis: Axis, keepdims: bool) -> Tensor:
    """Return the greatest or least elements. ValueError where there are none."""
    x = as_array(x)
    if not x.numel() and not all_present(x, axis):
        name = "maximum" if op is wg.amax else "minimum"
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
    return x.clone() if axis == () else op(x, axis, keepdims)


def all_present(x: Tensor, axis: Axis) -> bool:
    """Return whether no axis of a reduction is empty."""
    return bool(product(x.shape[one] for one in axes_of(axis, x.ndim)))


def general_mean(op: Op, x: Any, axis: Axis, keepdims: bool) -> Tensor:
    """Return means over axes."""
    x = floating_array(x)
    return x.clone() if axis == () else op(x, axis, keepdims)


sum = typed_reduction(
    wg.sum, general_sum, "sum", "Return the sum over axes (None: all). Integers are added in 64 bits.", SAME
)
prod = typed_reduction(
    wg.prod, general_prod, "prod", "Return the product over axes (None: all). Integers are multiplied in 64 bits.", SAME
)
max = reduction(
    wg.amax, general_extremum, "max", "Return the maximum over axes (None: all); NaN where one is.", KINDS["numeric"]
)
min = reduction(
    wg.amin, general_extremum, "min", "Return the minimum over axes (None: all); NaN where one is.", KINDS["numeric"]
)
mean = reduction(
    wg.mean,
    general_mean,
    "mean",
    "Return the mean over axes (None: all), of integers in the default floating dtype.",
    FLOATING,
)


def var(x: Tensor, /, *, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """Return the variance over axes (None: all): squared deviations divided by their number less the correction."""
    return moment(wg.var, x, axis, correction, keepdims)


def std(x: Tensor, /, *, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """Return the standard deviation over axes (None: all), the square root of var."""
    return moment(wg.std, x, axis, correction, keepdims)


def moment(op: Op, x: Any, axis: Axis, correction: float, keepdims: bool) -> Tensor:
    """Return variances or standard deviations; NaN where the correction leaves no degree of freedom."""
    x = floating_array(x)
    axes = list(range(x.ndim)) if axis is None else axes_of(axis, x.ndim)
    if (x.numel() if axis is None else product(x.shape[one] for one in axes)) <= correction:
        total: Tensor = mean(wg.real(x) if x.dtype.is_complex else x, axis=axis, keepdims=keepdims)
        return total * float("nan")
    if not axes:
        return wg.abs(x - x)
    return op(x, axes, correction=correction, keepdim=keepdims)


def floating_array(x: Any) -> Tensor:
    """Return an array of floating or complex numbers, integers in the default floating dtype."""
    array = as_array(x)
    is_inexact = array.dtype.is_floating_point or array.dtype.is_complex
    return array if is_inexact else array.to(wg.get_default_dtype())


def cumulative_sum(
    x: Tensor, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """Return the sums of the first one, two, three, ... elements along an axis.

    axis: may be absent for an array with one dim only.   include_initial: begin with the sum of none, 0.
    """
    return scan(wg.cumsum, "cumulative_sum", x, axis, dtype, 0 if include_initial else None)


def cumulative_prod(
    x: Tensor, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """Return the products of the first one, two, three, ... elements along an axis.

    axis: may be absent for an array with one dim only.   include_initial: begin with the product of none, 1.
    """
    return scan(wg.cumprod, "cumulative_prod", x, axis, dtype, 1 if include_initial else None)


def scan(op: Op, name: str, x: Any, axis: int | None, dtype: Any, initial: int | None) -> Tensor:
    """Return partial sums or products, after an initial value where there is one."""
    x = as_array(x)
    if x.ndim == 0:
        x = x.reshape(1)
    if axis is None and x.ndim > 1:
        raise ValueError(f"{name}(): argument 'axis' is needed for an array with more than one dim")
    (along,) = axes_of(0 if axis is None else axis, x.ndim)
    result = op(x, along, dtype=reduction_dtype(x.dtype) if dtype is None else to_dtype(dtype, name))
    if initial is None:
        return result
    shape = [1 if one == along else n for one, n in enumerate(x.shape)]
    return wg.cat([wg.full(shape, initial, dtype=result.dtype, device=result.device), result], dim=along)
