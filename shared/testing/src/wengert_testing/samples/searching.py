"""Samples of finding and counting values, of quantiles, of powers of two and of common divisors."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, fixed
from wengert_testing.samples.shapes import PAIRS, UNARY

BOUNDARIES = np.array([-1.0, 0.0, 0.5, 1.0])
ROWS = np.array([[1, 3, 5], [2, 4, 6]])
WHOLE = np.array([3, 1, 1, 0, 1, 3])
MATRIX = np.array([[1, 1, 2], [1, 1, 2], [2, 1, 1]])
LABELS = np.array([[2, 1, 2, 0], [3, 3, 1, 1]])


def search(boundaries: Any, values: Any, right: Any = False, sorter: Any = None, **words: Any) -> Any:
    right = right or words.get("side") == "right"
    boundaries = boundaries if sorter is None else boundaries[sorter]
    if boundaries.ndim == 1:
        return np.searchsorted(boundaries, values, "right" if right else "left")
    return np.stack([search(row, wanted, right) for row, wanted in zip(boundaries, values, strict=True)])


def runs(x: Any, dim: Any = None) -> Any:
    flat = np.moveaxis(x, dim, 0) if dim is not None else x.reshape(-1)
    starts = [i for i in range(len(flat)) if i == 0 or (flat[i] != flat[i - 1]).any()]
    inverse = np.array([sum(s <= i for s in starts) - 1 for i in range(len(flat))])
    values = flat[starts] if dim is None else np.moveaxis(flat[starts], 0, dim)
    return values, inverse.reshape(x.shape) if dim is None else inverse, np.diff([*starts, len(flat)])


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


def quantile(function: Any) -> Any:
    def oracle(x: Any, q: Any, dim: Any = None, keepdim: Any = False, interpolation: Any = "linear") -> Any:
        return function(x, q, dim, keepdims=keepdim, method=interpolation)

    return oracle


def histogram(x: Any, bins: Any, range: Any = None, density: Any = False, weight: Any = None) -> Any:
    edges: Any = np.linspace(range[0], range[1], bins + 1) if range is not None else bins
    counts, edges = np.histogram(x, edges, density=density, weights=weight)
    return counts.astype(x.dtype), edges.astype(x.dtype)


EDGES = np.array([-1.0, 0.0, 0.5, 1.0, -2.0, 0.1, 2.0])
GRIDS = [
    (T(7, 2), 3),
    (T(7, 2), [2, 3]),
    (T(2, 3, 2), 2, (-2.0, 2.0, -1.0, 1.5)),
    (T(7, 2), 2, {"weight": T(7, domain=(1, 2))}),
    (T(7, 1), 3, {"density": True}),
]


def cell_counts(x: Any, edges: Any, lengths: Any, weight: Any, density: Any, equal: Any) -> Any:
    parts = np.split(edges, np.cumsum(lengths)[:-1])
    return np.histogramdd(x, parts, density=density, weights=weight)[0].astype(x.dtype)


def grid(x: Any, bins: Any, range: Any = None, weight: Any = None, density: Any = False) -> Any:
    ends = None if range is None else list(zip(range[::2], range[1::2], strict=True))
    counts, edges = np.histogramdd(x.reshape(-1, x.shape[-1]), bins, ends, density, weight)
    return counts.astype(x.dtype), tuple(edges)


QUANTILES = [
    (T(5), 0.3),
    (T(2, 4), 0.7, 1),
    (T(2, 4), 0.25, 0, True),
    (T(2, 3), T(2, domain=(0.1, 0.9)), -1),
    (T(2, 5), 0.35, 1, {"interpolation": "lower"}),
    (T(2, 5), 0.35, 1, {"interpolation": "higher"}),
    (T(2, 5), 0.35, 1, {"interpolation": "nearest"}),
    (T(2, 5), 0.35, 1, {"interpolation": "midpoint"}),
    (T(), 0.5),
]

CASES = [
    # ---- places in sorted boundaries
    OpCase("_searchsorted", search, [(BOUNDARIES, T(2, 3), False), (ROWS, np.array([[3], [9]]), True)], grad=False),
    OpCase(
        "searchsorted",
        search,
        [
            (BOUNDARIES, T(2, 3)),
            (BOUNDARIES, T()),
            (BOUNDARIES, T(4), {"right": True}),
            (ROWS, np.array([[3, 4], [4, 0]]), {"side": "right"}),
            (BOUNDARIES[::-1].copy(), T(3), {"sorter": np.array([3, 2, 1, 0])}),
        ],
        grad=False,
    ),
    OpCase(
        "bucketize",
        lambda x, boundaries, right=False: np.searchsorted(boundaries, x, "right" if right else "left"),
        [(T(2, 3), BOUNDARIES), (WHOLE, np.array([1, 3]), {"right": True})],
        grad=False,
    ),
    # ---- membership, positions, runs
    OpCase(
        "_isin",
        lambda x, among, invert: np.isin(x, among, invert=invert),
        [(WHOLE, np.array([1, 3]), False), (WHOLE, np.arange(2, 40), True)],
        grad=False,
    ),
    OpCase(
        "isin",
        lambda x, among, assume_unique=False, invert=False: np.isin(x, among, invert=invert),
        [(MATRIX, np.array([1, 3])), (MATRIX, 2, {"invert": True}), (2, MATRIX), (WHOLE, np.arange(2, 40))],
        grad=False,
    ),
    OpCase(
        "unravel_index",
        lambda x, shape: tuple(np.asarray(a) for a in np.unravel_index(x, shape)),
        [(WHOLE, (2, 3)), (WHOLE, 6), (MATRIX, (3, 2, 4))],
        grad=False,
    ),
    OpCase("_unique_consecutive", runs, [(WHOLE,), (MATRIX,), (MATRIX, 0), (MATRIX, 1)], grad=False),
    OpCase(
        "unique_consecutive",
        lambda x, inverse=False, counts=False, dim=None: runs(x, dim)[: 1 + inverse + counts],
        [(WHOLE,), (WHOLE, True), (MATRIX, True, True), (MATRIX, True, True, 0)],
        grad=False,
    ),
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
    OpCase("_histogramdd", cell_counts, [(T(7, 2), EDGES, [4, 3], None, False, False),
                                         (T(7, 2), EDGES, [4, 3], T(7, domain=(1, 2)), True, False)], grad=False),
    OpCase("histogramdd", grid, GRIDS, grad=False, invariant=lambda counts, edges: (counts, *edges)),
    OpCase("mode", most_frequent, [(fixed(LABELS), 1), (fixed(LABELS), 0, True), (T(4),), (T(2, 3), 0), (T(),)]),
    # ---- quantiles
    OpCase("quantile", quantile(np.quantile), QUANTILES),
    OpCase("nanquantile", quantile(np.nanquantile), QUANTILES),
    # ---- powers of two and divisors
    OpCase("gcd", np.gcd, [(WHOLE, WHOLE[::-1].copy()), (np.array([[4], [-6]]), np.array([6, 0]))], grad=False),
    OpCase("lcm", np.lcm, [(WHOLE, WHOLE[::-1].copy()), (np.array([[4], [-6]]), np.array([6, 0]))], grad=False),
    OpCase("logaddexp2", lambda x, y: np.log2(2**x + 2**y), PAIRS, domain=(-1, 1)),
    OpCase(
        "frexp",
        lambda x: tuple(np.frexp(x)),
        UNARY,
        kinks=(-2, -1, -0.5, 0, 0.5, 1, 2),
        dtypes=("float16", "float64"),
    ),
    OpCase("ldexp", lambda x, y: x * 2.0**y, PAIRS, dtypes=("float32", "float64")),
    OpCase(
        "float_power",
        lambda x, y: np.float_power(x, y),
        [(T(2, 3), T(3)), (T(3), 2), (2.5, T(3)), (T(), T())],
        domain=(0.3, 2),
        dtypes=("float64",),
    ),
]
