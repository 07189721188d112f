"""Histograms: counts, or sums of weights, of values in intervals."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.reduce.bin_widths import ESTIMATORS
from wengert_numpy.functions.table import implements
from wengert_numpy.functions.value_checks import holds
from wengert_numpy.operands import NUMBERS, inexact, numpy_dtype, promote, to_tensor

# ---- sums by index


def sum_by_index(index: Tensor, weights: Tensor | None, size: int) -> Tensor:
    """Return, for each index below size, the number of its occurrences or the sum of their weights."""
    if weights is None:
        weights = wg.ones_like(index, dtype=wg.int64)
    return wg.zeros(size, dtype=weights.dtype, device=index.device).index_add(0, index, weights)


@implements("bincount")
def bincount(x: Any, /, weights: Any = None, minlength: Any = 0) -> Any:
    """Return how often each integer from zero on occurs, or the sums of the weights of its occurrences."""
    index = to_tensor(x, "bincount", "x")
    if index.ndim != 1:
        raise ValueError(f"object {'too deep' if index.ndim else 'of too small depth'} for desired array")
    if minlength is None:
        raise TypeError("'NoneType' object cannot be interpreted as an integer")
    minlength = operator.index(minlength)
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    if not np.can_cast(numpy_dtype(index), np.int64) and index.numel():
        raise TypeError(
            f"Cannot cast array data from dtype('{numpy_dtype(index)}') to dtype('int64') according to the rule 'safe'"
        )
    index = index.to(wg.int64)
    if index.numel() and bool((index < 0).any()):
        raise ValueError("'list' argument must have no negative elements")
    size = max(int(index.max()) + 1 if index.numel() else 0, minlength)
    return sum_by_index(index, None if weights is None else real_weights(weights, index), size)


def real_weights(weights: Any, index: Tensor) -> Tensor:
    """Return weights as float64, one for each index."""
    w = to_tensor(weights, "bincount", "weights")
    if w.dtype.is_complex:
        raise TypeError("Cannot cast array data from dtype('complex128') to dtype('float64') according to the rule "
                        "'safe'")
    if w.shape != index.shape:
        raise ValueError("The weights and list don't have the same length.")
    return w.to(wg.float64)


# ---- edges


def outer_edges(x: Tensor, limits: Any) -> tuple[Tensor, Tensor]:
    """Return the first and the last edge: limits, or the smallest and the largest element."""
    if limits is not None:
        first, last = (to_tensor(limit, "histogram", "range") for limit in limits)
        if holds(first > last):
            raise ValueError("max must be larger than min in range parameter.")
        origin = "supplied"
    elif not x.numel():
        first, last, origin = to_tensor(0), to_tensor(1), "supplied"
    else:
        first, last, origin = x.amin(), x.amax(), "autodetected"
    if holds(~(wg.isfinite(first) & wg.isfinite(last))):
        raise ValueError(f"{origin} range of [{first.tolist()}, {last.tolist()}] is not finite")
    first, last = promote(first.to(x.device), last.to(x.device))
    equal = first == last  # an empty range would lead to a division by zero
    if not holds(~equal):
        first, last = inexact(first), inexact(last)
        first, last = wg.where(equal, first - 0.5, first), wg.where(equal, last + 0.5, last)
    return first, last


def equal_edges(first: Tensor, last: Tensor, n: int, dtype: Any) -> Tensor:
    """Return the edges of n intervals of equal width, by whose ends derivatives are taken."""
    steps = wg.arange(n + 1, dtype=dtype, device=first.device)
    first, last = first.to(dtype), last.to(dtype)
    edges = steps * ((last - first) / n) + first
    return wg.cat([edges[:-1], last.reshape(1)])


def number_of_bins(x: Tensor, bins: Any, limits: Any) -> int:
    """Return a number of bins, also where it is the name of a rule that estimates it."""
    if not isinstance(bins, str):
        try:
            n = operator.index(bins)
        except TypeError as error:
            raise TypeError("`bins` must be an integer, a string, or an array") from error
        if n < 1:
            raise ValueError("`bins` must be positive, when an integer")
        return n
    if bins not in ESTIMATORS:
        raise ValueError(f"{bins!r} is not a valid estimator for `bins`")
    first, last = outer_edges(x, limits)
    if limits is not None:
        x = x[(x >= first) & (x <= last)]
    if not x.numel():
        return 1
    width = ESTIMATORS[bins](x, (first, last))
    whole = not x.dtype.is_floating_point
    return math.ceil((last - first).item() / (max(width, 1) if whole else width)) if width else 1


def bin_edges(x: Tensor, bins: Any, limits: Any, weights: Any) -> Tensor:
    """Return the edges of bins: as they are, or of a number of bins of equal width."""
    if isinstance(bins, str) and weights is not None and bins in ESTIMATORS:
        raise TypeError("Automated estimation of the number of bins is not supported for weighted data")
    if not isinstance(bins, (str, *NUMBERS, np.generic)):
        edges = to_tensor(bins, "histogram", "bins")
        if edges.ndim > 1:
            raise ValueError("`bins` must be 1d, when an array")
        if edges.ndim:
            return checked_edges(edges, "`bins` must increase monotonically, when an array")
        bins = edges if edges.dtype.is_floating_point else int(edges)
    n = number_of_bins(x, bins, limits)
    first, last = outer_edges(x, limits)
    kind = np.result_type(edge_kind(first, limits), numpy_dtype(x))
    kind = kind if kind.kind == "f" else np.dtype(float)
    edges = equal_edges(first, last, n, getattr(wg, kind.name))
    if holds((edges[:-1] >= edges[1:]).any()):
        raise ValueError(f"Too many bins for data range. Cannot create {n} finite-sized bins.")
    return edges


def edge_kind(first: Tensor, limits: Any) -> Any:
    """Return what takes part in the promotion for the edges: nothing but numbers of Python where these are limits."""
    if limits is not None and all(isinstance(limit, (int, float)) for limit in limits):
        return 0.0 if any(isinstance(limit, float) for limit in limits) else 0
    return numpy_dtype(first)


def checked_edges(edges: Tensor, message: str) -> Tensor:
    """Return edges that do not decrease. ValueError for others."""
    if edges.shape[0] > 1 and holds((edges[:-1] > edges[1:]).any()):
        raise ValueError(message)
    return edges


def bin_index(x: Tensor, edges: Tensor) -> Tensor:
    """Return the interval of each value, the number of intervals for values outside of all.

    An interval holds its left edge, the last one its right edge, too.
    """
    n = edges.shape[0] - 1
    values, edges = promote(x, edges)
    index = wg.searchsorted(edges.contiguous(), values.contiguous(), right=True) - 1
    index = wg.where(values == edges[-1], n - 1, index)
    outside = (index < 0) | (index >= n) | (values > edges[-1]) | (values < edges[0])
    return wg.where(outside, n, index)


# ---- NumPy's functions


def flat_values(a: Any, weights: Any) -> tuple[Tensor, Tensor | None]:
    """Return values and their weights without dims."""
    x = to_tensor(a, "histogram")
    if x.dtype is wg.bool:
        x = x.to(wg.uint8)
    if weights is None:
        return x.reshape(-1), None
    w = to_tensor(weights, "histogram", "weights")
    if w.shape != x.shape:
        raise ValueError("weights should have the same shape as a.")
    return x.reshape(-1), w.reshape(-1)


@implements("histogram_bin_edges")
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """Return the edges of bins."""
    x, w = flat_values(a, weights)
    return bin_edges(x, bins, range, w)


@implements("histogram")
def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """Return the number of values in bins, or the sums of their weights, and the edges of the bins.

    Derivatives are taken by weights and edges; the derivative of counts by values is zero.
    """
    x, w = flat_values(a, weights)
    edges = bin_edges(x, bins, range, w)
    n = edges.shape[0] - 1
    total = sum_by_index(bin_index(x, edges), w, n + 1)[:n]
    if not density:
        return total, edges
    width = (edges[1:] - edges[:-1]).to(wg.float64)
    total = total if total.dtype.is_complex else total.to(wg.float64)
    return total / width / total.sum(), edges


def sample_columns(sample: Any) -> list[Tensor]:
    """Return the coordinates of points: columns of a matrix, or the items of a sequence."""
    if isinstance(sample, (Tensor, np.ndarray)):
        x = to_tensor(sample, "histogramdd", "sample")
        if x.ndim == 2:
            return list(x.unbind(1))
        sample = [x] if x.ndim < 2 else list(x.unbind(0))
    return promote(*(to_tensor(one, "histogramdd", "sample").reshape(-1) for one in sample))


def has_items(bins: Any) -> bool:
    """Return whether bins are listed, for each axis or as edges."""
    return isinstance(bins, (list, tuple)) or getattr(bins, "ndim", 0) > 0


def axis_edges(x: Tensor, bins: Any, limits: Any, i: int) -> Tensor:
    """Return the edges along one axis of a histogram of several."""
    t: Any = bins if isinstance(bins, NUMBERS) else to_tensor(bins, "histogramdd", "bins")
    if isinstance(t, Tensor) and t.ndim > 1:
        raise ValueError(f"`bins[{i}]` must be a scalar or 1d array")
    if isinstance(t, Tensor) and t.ndim:
        return checked_edges(t, f"`bins[{i}]` must be monotonically increasing, when an array")
    if t < 1:
        raise ValueError(f"`bins[{i}]` must be positive, when an integer")
    try:
        n = operator.index(bins)
    except TypeError as error:
        raise TypeError(f"`bins[{i}]` must be an integer, when a scalar") from error
    first, last = outer_edges(x, limits)
    kind = np.result_type(float, edge_kind(first, limits))
    return equal_edges(first, last, n, getattr(wg, kind.name))


@implements("histogramdd")
def histogramdd(sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """Return the number of points in the cells of a grid, or the sums of their weights, and the edges of the grid."""
    columns = sample_columns(sample)
    d = len(columns)
    per_axis = list(bins) if has_items(bins) else [bins] * d
    if len(per_axis) != d:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    limits = [None] * d if range is None else list(range)
    if len(limits) != d:
        raise ValueError("range argument must have one entry per dimension")
    edges = [axis_edges(x, b, r, i) for i, (x, b, r) in enumerate(zip(columns, per_axis, limits, strict=True))]
    total = grid_sums(columns, edges, weights)
    return (grid_density(total, edges) if density else total), tuple(edges)


def grid_sums(columns: Sequence[Tensor], edges: Sequence[Tensor], weights: Any) -> Tensor:
    """Return counts of points, or sums of their weights, in the cells of a grid."""
    sizes = [one.shape[0] - 1 for one in edges]
    outside = math.prod(sizes)
    flat = wg.zeros_like(columns[0], dtype=wg.int64)
    inside = wg.ones_like(columns[0], dtype=wg.bool)
    for x, one, n in zip(columns, edges, sizes, strict=True):
        index = bin_index(x, one)
        inside = inside & (index < n)
        flat = flat * n + wg.clamp(index, max=n - 1)
    flat = wg.where(inside, flat, outside)
    w = None if weights is None else real_weights(weights, flat)
    return sum_by_index(flat, w, outside + 1)[:outside].reshape(sizes).to(wg.float64)


def grid_density(total: Tensor, edges: Sequence[Tensor]) -> Tensor:
    """Return sums divided by the volumes of their cells and by the sum of all."""
    result = total
    for i, one in enumerate(edges):
        width = (one[1:] - one[:-1]).to(wg.float64)
        result = result / width.reshape([-1 if j == i else 1 for j, _ in enumerate(edges)])
    return result / total.sum()


@implements("histogram2d")
def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """Return the number of points in the cells of a grid in the plane, and the edges along both axes."""
    columns = [to_tensor(one, "histogram2d", name).reshape(-1) for one, name in ((x, "x"), (y, "y"))]
    if columns[0].shape != columns[1].shape:
        raise ValueError("x and y must have the same length.")
    if has_items(bins) and len(bins) not in (1, 2):
        bins = [bins, bins]
    total, edges = histogramdd(columns, bins, range, density, weights)
    return (total, *edges)
