"""Rules that estimate the width of a histogram's bins from its values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.reduce.quantiles import percentile
from wengert_numpy.operands import inexact


def extent(x: Tensor) -> float:
    """Return the difference of the largest and the smallest value."""
    return float(x.amax().item() - x.amin().item())


def sqrt(x: Tensor, limits: Any) -> float:
    """Return the width for which the number of bins is the root of the number of values."""
    return extent(x) / math.sqrt(x.numel())


def sturges(x: Tensor, limits: Any) -> float:
    """Return the width by Sturges' rule, for values with a normal distribution."""
    return extent(x) / (math.log2(x.numel()) + 1.0)


def rice(x: Tensor, limits: Any) -> float:
    """Return the width by the Rice rule, which depends on the number of values alone."""
    return extent(x) / (2.0 * math.cbrt(x.numel()))


def deviation(x: Tensor) -> float:
    """Return the standard deviation."""
    return float(wg.std(inexact(x), correction=0).item())


def scott(x: Tensor, limits: Any) -> float:
    """Return the width by Scott's rule, which uses the standard deviation."""
    return math.cbrt(24.0 * math.pi**0.5 / x.numel()) * deviation(x)


def stone(x: Tensor, limits: Any) -> float:
    """Return the width by Stone's rule: that of the smallest estimate of the error by cross-validation."""
    n, size = x.numel(), extent(x)
    if n <= 1 or size == 0:
        return 0.0
    from wengert_numpy.functions.reduce.histograms import bin_index, equal_edges, sum_by_index

    values = inexact(x)
    first, last = (limit.to(values.dtype) for limit in limits)

    def error(bins: int) -> Any:
        index = bin_index(values, equal_edges(first, last, bins, values.dtype))
        share = sum_by_index(index, None, bins + 1)[:bins].to(wg.float64) / n
        return (2 - (n + 1) * (share * share).sum().item()) / (size / bins)

    return size / min(range(1, max(100, int(math.sqrt(n))) + 1), key=error)


def doane(x: Tensor, limits: Any) -> float:
    """Return the width by Doane's rule, Sturges' with a correction for skewed distributions."""
    n, sigma = x.numel(), deviation(x)
    if n <= 2 or not sigma > 0:
        return 0.0
    values = inexact(x)
    skewness = (((values - values.mean()) / sigma) ** 3).mean().item()
    error = math.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)))
    return extent(x) / (1.0 + math.log2(n) + math.log2(1.0 + abs(skewness) / error))


def freedman_diaconis(x: Tensor, limits: Any) -> float:
    """Return the width by the Freedman-Diaconis rule, which uses the distance of the quartiles."""
    upper, lower = percentile(x, [75, 25]).tolist()
    return float(2.0 * (upper - lower) / math.cbrt(x.numel()))


def auto(x: Tensor, limits: Any) -> float:
    """Return the smaller width of Sturges' and of the Freedman-Diaconis rule."""
    return min(max(freedman_diaconis(x, limits), sqrt(x, limits) / 2), sturges(x, limits))


ESTIMATORS: dict[str, Callable[[Tensor, Any], float]] = {
    "stone": stone, "auto": auto, "doane": doane, "fd": freedman_diaconis, "rice": rice, "scott": scott,
    "sqrt": sqrt, "sturges": sturges,
}
"""The rules, by NumPy's names."""
