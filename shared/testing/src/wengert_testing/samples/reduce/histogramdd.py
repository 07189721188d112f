"""Samples of histograms over several dims."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T

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


CASES = [
    OpCase("_histogramdd", cell_counts, [(T(7, 2), EDGES, [4, 3], None, False, False),
                                         (T(7, 2), EDGES, [4, 3], T(7, domain=(1, 2)), True, False)], grad=False),
    OpCase("histogramdd", grid, GRIDS, grad=False, invariant=lambda counts, edges: (counts, *edges)),
]
