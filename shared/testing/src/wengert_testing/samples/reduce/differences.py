"""Samples of differences, gradients of samples and integrals."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.shapes import recorded_rows


def diff(x: Any, n: Any = 1, dim: Any = -1, prepend: Any = None, append: Any = None) -> Any:
    ends = {name: value for name, value in (("prepend", prepend), ("append", append)) if value is not None}
    return np.diff(x, n, dim, **ends)


def gradient(x: Any, spacing: Any = None, dim: Any = None, edge_order: Any = 1) -> Any:
    places = [spacing] if spacing is not None and not isinstance(spacing, (list, tuple)) else spacing or []
    found = np.gradient(x, *places, axis=dim, edge_order=edge_order)
    return tuple(found) if isinstance(found, (list, tuple)) else (found,)


def cumulative(y: Any, x: Any = None, dx: Any = 1, dim: Any = -1) -> Any:
    y = np.moveaxis(y, dim, -1)
    if x is None:
        widths = dx
    else:
        widths = np.diff(x if x.ndim == 1 else np.moveaxis(x, dim, -1), axis=-1)
    return np.moveaxis(np.cumsum(widths * (y[..., 1:] + y[..., :-1]) / 2, -1), -1, dim)


def trapezoid(y: Any, x: Any = None, dx: Any = 1, dim: Any = -1) -> Any:
    return np.trapezoid(y, x, dx, dim)


INTEGRALS = [
    (T(4),),
    (T(2, 3), {"dx": 0.5}),
    (T(2, 3), T(3)),
    (T(2, 3), T(2, 3), {"dim": 0}),
    (T(3, 2), T(3), {"dim": 0}),
]

CASES = [
    OpCase(
        "diff",
        diff,
        [
            (T(4),),
            (T(2, 3), 2),
            (T(3, 2), 1, 0),
            (T(3), 0),
            (T(2), 3),
            (T(2, 2), {"prepend": T(2, 1), "append": T(2, 2)}),
            (np.array([True, False, False]),),
        ],
        complex=True,
    ),
    OpCase(
        "gradient",
        gradient,
        [
            (T(4),),
            (T(3, 4), {"spacing": 2.0}),
            (T(3, 4), {"spacing": [1.0, 3.0]}),
            (T(3, 4), {"dim": 1, "edge_order": 2}),
            (T(4), {"spacing": [np.array([0.0, 1.0, 3.0, 4.0])], "edge_order": 2}),
            (T(2, 3), {"spacing": [np.array([0.0, 1.0]), np.array([0.0, 1.0, 4.0])]}),
        ],
    ),
    OpCase("trapezoid", trapezoid, INTEGRALS, complex=True),
    OpCase("trapz", trapezoid, INTEGRALS[:3]),
    OpCase("cumulative_trapezoid", cumulative, INTEGRALS, complex=True),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "cumulative_trapezoid": [(T(3, 2), {"dim": -2})],
    "diff": [(T(3, 2), 1, -2)],
    "gradient": [(T(3, 2), {"dim": -2})],
    "trapezoid": [(T(3, 2), {"dim": -2})],
    "trapz": [(T(3, 2), {"dim": -2})],
})
