"""Samples of counting: histograms, the most frequent value."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, fixed
from wengert_testing.samples.index.searching import BOUNDARIES, WHOLE
from wengert_testing.samples.shapes import recorded_rows

LABELS = np.array([[2, 1, 2, 0], [3, 3, 1, 1]])


def most_frequent(x: Any, dim: Any = -1, keepdim: Any = False) -> Any:
    def one(line: Any) -> Any:
        values, counts = np.unique(line, return_counts=True)
        value = values[np.argmax(counts)]
        return value, max(i for i, v in enumerate(line) if v == value)

    if x.ndim == 0:
        return x, np.array(0)
    pairs = np.apply_along_axis(lambda line: np.array(one(line)), dim, x)
    values, places = np.take(pairs, 0, axis=dim), np.take(pairs, 1, axis=dim).astype(np.int64)
    return tuple(np.expand_dims(a, dim) if keepdim else a for a in (values.astype(x.dtype), places))


def histogram(x: Any, bins: Any, range: Any = None, density: Any = False, weight: Any = None) -> Any:
    edges: Any = np.linspace(range[0], range[1], bins + 1) if range is not None else bins
    counts, edges = np.histogram(x, edges, density=density, weights=weight)
    return counts.astype(x.dtype), edges.astype(x.dtype)


CASES = [
    # ---- counts
    OpCase(
        "bincount",
        lambda x, weights=None, minlength=0: np.bincount(x, weights, minlength),
        [(WHOLE,), (WHOLE, T(6)), (WHOLE, None, 7)],
        grad=False,
        strided=False,
        note="by weights its derivative is not implemented, as in torch",
    ),
    OpCase(
        "histc",
        lambda x, bins, low, high: np.histogram(x, bins, (low, high) if low < high else None)[0].astype(x.dtype),
        [(T(7), 4, -1, 1), (T(2, 3), 5, 0, 0)],
        grad=False,
    ),
    OpCase(
        "_histogram",
        lambda x, edges, weight, density, equal: histogram(x, edges, None, density, weight),
        [(T(7), BOUNDARIES, None, False, False), (T(7), BOUNDARIES, T(7), True, False)],
        grad=False,
    ),
    OpCase(
        "histogram",
        histogram,
        [(T(7), BOUNDARIES), (T(2, 3), 4, {"range": (-1.0, 1.5)}), (T(7), BOUNDARIES, {"weight": T(7, domain=(1, 2))})],
        grad=False,
    ),
    OpCase("mode", most_frequent, [(fixed(LABELS), 1), (fixed(LABELS), 0, True), (T(4),), (T(2, 3), 0), (T(),)]),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "mode": [(T(2, 3), -1, True)],
})
CASES += recorded_rows({
    "histogram": [(T(3), 3, {"density": True, "range": (-2.0, 2.0)})],
}, grad=False)
