"""Medians, quantiles and percentiles, of all elements and of those that are not NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.reduce.reductions import NO_VALUE, is_set
from wengert_numpy.functions.reduce.statistics import fit_weights
from wengert_numpy.functions.table import implements
from wengert_numpy.functions.value_checks import holds
from wengert_numpy.operands import axis_list, inexact, result_dtype, to_tensor, write_result
from wengert_numpy.ufuncs.lexicographic import is_nan, sort_last
from wengert_numpy.ufuncs.methods import flat_axes


def fold_axes(x: Tensor, axis: Any) -> tuple[Tensor, list[int]]:
    """Return the tensor with reduced axes as its last one, and these axes."""
    axes = axis_list(axis, x.ndim)
    return (flat_axes(x, axes) if axes else x.unsqueeze(-1)), axes


def restore_axes(result: Tensor, x: Tensor, axes: list[int], keepdims: Any) -> Tensor:
    """Return a result with reduced axes as axes of length 1 where they are kept."""
    if not is_set(keepdims):
        return result
    leading = result.shape[: result.ndim - (x.ndim - len(axes))]
    return result.reshape((*leading, *(1 if i in axes else n for i, n in enumerate(x.shape))))


def take_last(x: Tensor, index: Tensor) -> Tensor:
    """Return elements of the last dim, at the same positions everywhere or at those of each row."""
    if index.ndim <= 1:
        return x.index_select(-1, index.reshape(-1))
    return wg.gather(x, -1, index.expand(*x.shape[:-1], index.shape[-1]))


# ---- medians


def middle(x: Tensor, ignore_nan: bool) -> Tensor:
    """Return the median along the last dim."""
    if not x.shape[-1]:
        return wg.full(x.shape[:-1], wg.nan, dtype=inexact(x).dtype, device=x.device)
    ordered, _ = sort_last(x)
    ordered = ordered.to(x.dtype)
    n = x.shape[-1]
    if ignore_nan:
        count = (~is_nan(x)).sum(-1, keepdim=True)
        low, high = wg.clamp((count - 1) // 2, min=0), wg.clamp(count // 2, max=n - 1)
        return wg.cat([wg.gather(ordered, -1, low), wg.gather(ordered, -1, high)], -1).mean(-1)
    ordered = inexact(ordered)
    result = ordered.narrow(-1, (n - 1) // 2, 2 - n % 2).mean(-1)
    last = ordered.select(-1, -1)
    return wg.where(wg.isnan(last), last, result)


def median_of(name: str, a: Any, axis: Any, out: Any, keepdims: Any, ignore_nan: bool) -> Any:
    """Return the median over axes."""
    x = to_tensor(a, name)
    flat, axes = fold_axes(x, axis)
    can_ignore = ignore_nan and (x.dtype.is_floating_point or x.dtype.is_complex)
    return write_result(out, restore_axes(middle(flat, can_ignore), x, axes, keepdims), name)


@implements("median")
def median(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: Any = False) -> Any:
    """Return the median over axes, NaN where an element is; of an even count, the mean of the two in the middle."""
    return median_of("median", a, axis, out, keepdims, ignore_nan=False)


@implements("nanmedian")
def nanmedian(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: Any = NO_VALUE
) -> Any:
    """Return the median over axes of the elements that are not NaN."""
    return median_of("nanmedian", a, axis, out, keepdims, ignore_nan=True)


# ---- quantiles: the position among n sorted elements, and the weight of the next element


def position_in(alpha: float, beta: float) -> Callable[[Any, Tensor], Tensor]:
    """Return the position of a quantile for two parameters of Hyndman and Fan's formula.

    Source: R. J. Hyndman and Y. Fan, Sample quantiles in statistical packages, The American Statistician 50 (1996).
    """
    return lambda n, q: n * q + (alpha + q * (1 - alpha - beta)) - 1


def next_whole(position: Tensor) -> Tensor:
    """Return the position rounded up, not below zero."""
    return wg.clamp(wg.ceil(position), min=0)


def nearest_odd(position: Tensor) -> Tensor:
    """Return the position rounded up, where it is whole to the even one of it and the next, not below zero."""
    low = wg.floor(position)
    stay = (position == low) & (wg.remainder(low, 2) == 1)
    return wg.clamp(wg.where(stay, low, low + 1), min=0)


def no_weight(position: Tensor, weight: Tensor) -> Tensor:
    """Return the weight of the next element, the fractional part of the position."""
    return weight


DISCRETE: dict[str, Callable[[Any, Tensor], Tensor]] = {
    "inverted_cdf": lambda n, q: next_whole(n * q - 1),
    "closest_observation": lambda n, q: nearest_odd(n * q - 1 - 0.5),
    "lower": lambda n, q: wg.floor((n - 1) * q),
    "higher": lambda n, q: wg.ceil((n - 1) * q),
    "nearest": lambda n, q: wg.round((n - 1) * q),
}
"""Methods that select an element: its position."""
INTERPOLATED: dict[str, tuple[Callable[[Any, Tensor], Tensor], Callable[[Tensor, Tensor], Tensor]]] = {
    "averaged_inverted_cdf": (lambda n, q: n * q - 1, lambda v, weight: wg.where(weight == 0, 0.5, 1.0)),
    "interpolated_inverted_cdf": (position_in(0, 1), no_weight),
    "hazen": (position_in(0.5, 0.5), no_weight),
    "weibull": (position_in(0, 0), no_weight),
    "linear": (lambda n, q: (n - 1) * q, no_weight),
    "median_unbiased": (position_in(1 / 3, 1 / 3), no_weight),
    "normal_unbiased": (position_in(3 / 8, 3 / 8), no_weight),
    "midpoint": (
        lambda n, q: 0.5 * (wg.floor((n - 1) * q) + wg.ceil((n - 1) * q)),
        lambda v, weight: wg.where(wg.remainder(v, 1) == 0, 0.0, 0.5),
    ),
}
"""Methods that interpolate between neighbors: the position, and the weight of the upper neighbor."""


def interpolate(ordered: Tensor, n: Any, q: Tensor, method: str, weak: bool) -> Tensor:
    """Return quantiles along the last dim of sorted elements.

    n: the number of elements, or of those in each row that take part.   q: quantiles, in one dim.
    weak: whether the result's dtype does not depend on that of q.
    """
    last = n - 1
    if method in DISCRETE or (method == "linear" and not q.dtype.is_floating_point):
        position = DISCRETE[method](n, q) if method in DISCRETE else (n - 1) * q
        return take_last(ordered, clip_position(position, last).to(wg.int64))
    find_position, find_weight = INTERPOLATED[method]
    position = find_position(n, q)
    low = wg.floor(position)
    weight = find_weight(position, position - low).to(position.dtype)
    lower = take_last(ordered, clip_position(low, last).to(wg.int64))
    upper = take_last(ordered, clip_position(low + 1, last).to(wg.int64))
    dtype = inexact(lower).dtype if weak else result_dtype(inexact(lower), weight)
    lower, upper, weight = lower.to(dtype), upper.to(dtype), weight.to(dtype)
    step = upper - lower
    return wg.where(weight >= 0.5, upper - step * (1 - weight), lower + step * weight)


def clip_position(position: Tensor, last: Any) -> Tensor:
    """Return positions between zero and the last one; the first where there is none."""
    low = wg.clamp(position, min=0)
    if isinstance(last, Tensor):
        last = wg.clamp(last, min=0).to(low.dtype)
        return wg.minimum(low, last)
    return wg.clamp(low, max=last)


def weighted_quantiles(ordered: Tensor, weights: Tensor, n: Any, q: Tensor) -> Tensor:
    """Return the smallest elements for which the sum of the weights, of a total of one, is at least q."""
    share = wg.cumsum(weights.to(wg.float64), -1)
    share = share / share[..., -1:]
    if holds(wg.isnan(share[..., -1:]).any()):
        raise ValueError("Weights included NaN, inf or were all zero.")
    if q.dtype.is_floating_point:
        share = share.to(q.dtype)
    share = wg.where(share == 0, -1.0, share)  # an element of weight zero is no quantile, not even for q = 0
    wanted = wg.broadcast_to(q.to(share.dtype), (*share.shape[:-1], q.shape[0]))
    index = wg.searchsorted(share.contiguous(), wanted.contiguous())
    return take_last(ordered, clip_position(index, n - 1).expand(*share.shape[:-1], q.shape[0]))


def quantiles_last(
    x: Tensor, q: Tensor, method: str, weights: Tensor | None, ignore_nan: bool, weak: bool
) -> Tensor:
    """Return quantiles along the last dim, in a new last dim."""
    ordered, order = sort_last(x)
    ordered = ordered.to(x.dtype)
    nan = is_nan(x)
    n = (~nan).sum(-1, keepdim=True) if ignore_nan else x.shape[-1]
    if weights is None:
        result = interpolate(ordered, n, q, method, weak)
    else:
        weights = wg.where(nan, 0, wg.broadcast_to(weights, x.shape)) if ignore_nan else weights
        result = weighted_quantiles(ordered, wg.gather(wg.broadcast_to(weights, x.shape), -1, order), n, q)
    if not x.dtype.is_floating_point:
        return result
    missing = nan.all(-1, keepdim=True) if ignore_nan else nan.any(-1, keepdim=True)
    return wg.where(missing, wg.nan, result)


def quantiles_over(
    name: str, a: Any, q: Tensor, axis: Any, out: Any, method: str, keepdims: Any, weights: Any, ignore_nan: bool,
    weak: bool,
) -> Any:
    """Return quantiles over axes; the dims of q come first."""
    x = to_tensor(a, name)
    if x.dtype.is_complex:
        raise TypeError("a must be an array of real numbers")
    if method not in DISCRETE and method not in INTERPOLATED:
        raise ValueError(f"{method!r} is not a valid method. Use one of: {sorted([*DISCRETE, *INTERPOLATED])}")
    if q.ndim > 2:
        raise ValueError("q must be a scalar or 1d")
    flat, axes = fold_axes(x, axis)
    if weights is not None:
        if method != "inverted_cdf":
            raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
        w = fit_weights(weights, x, None if axis is None else axes, name)
        if holds((w < 0).any()):
            raise ValueError("Weights must be non-negative.")
        weights = fold_axes(wg.broadcast_to(w, x.shape), axis)[0]
    if not flat.shape[-1]:
        result = wg.full((*flat.shape[:-1], q.numel()), wg.nan, dtype=inexact(x).dtype, device=x.device)
    else:
        ignore_nan = ignore_nan and x.dtype.is_floating_point
        result = quantiles_last(flat, q.reshape(-1), method, weights, ignore_nan, weak)
    result = result.movedim(-1, 0).reshape((*q.shape, *flat.shape[:-1]))
    return write_result(out, restore_axes(result, x, axes, keepdims), name)


def check_range(q: Tensor, what: str, largest: int) -> None:
    """Raise ValueError for quantiles that are not in the range."""
    if holds(~((q >= 0) & (q <= 1)).all()):
        raise ValueError(f"{what} must be in the range [0, {largest}]")


def quantiles(q: Any, name: str) -> Tensor:
    """Return quantiles as a tensor with values from 0 to 1."""
    t = to_tensor(q, name, "q")
    check_range(t, "Quantiles", 1)
    return t


def percentiles(q: Any, name: str) -> Tensor:
    """Return percentiles as a tensor of quantiles, with values from 0 to 1."""
    t = inexact(to_tensor(q, name, "q")) / 100
    check_range(t, "Percentiles", 100)
    return t


def is_weak(q: Any) -> bool:
    """Return whether a quantile is a number of Python, which does not take part in promotion."""
    return type(q) in (int, float)


@implements("quantile")
def quantile(
    a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
    keepdims: Any = False, *, weights: Any = None,
) -> Any:
    """Return quantiles over axes, by one of NumPy's methods."""
    t = quantiles(q, "quantile")
    return quantiles_over("quantile", a, t, axis, out, method, keepdims, weights, False, is_weak(q))


@implements("percentile")
def percentile(
    a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
    keepdims: Any = False, *, weights: Any = None,
) -> Any:
    """Return percentiles over axes, by one of NumPy's methods."""
    t = percentiles(q, "percentile")
    return quantiles_over("percentile", a, t, axis, out, method, keepdims, weights, False, is_weak(q))


@implements("nanquantile")
def nanquantile(
    a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
    keepdims: Any = NO_VALUE, *, weights: Any = None,
) -> Any:
    """Return quantiles over axes of the elements that are not NaN, by one of NumPy's methods."""
    t = quantiles(q, "nanquantile")
    return quantiles_over("nanquantile", a, t, axis, out, method, keepdims, weights, True, is_weak(q))


@implements("nanpercentile")
def nanpercentile(
    a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
    keepdims: Any = NO_VALUE, *, weights: Any = None,
) -> Any:
    """Return percentiles over axes of the elements that are not NaN, by one of NumPy's methods."""
    t = percentiles(q, "nanpercentile")
    return quantiles_over("nanpercentile", a, t, axis, out, method, keepdims, weights, True, is_weak(q))
