"""Samples of diagonals, differences, integrals, covariances."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, fixed


def diag_embed(x: Any, offset: Any = 0, dim1: Any = -2, dim2: Any = -1) -> Any:
    n = x.shape[-1] + abs(offset)
    out = np.zeros((*x.shape[:-1], n, n), x.dtype)
    for i in range(x.shape[-1]):
        out[..., i + max(-offset, 0), i + max(offset, 0)] = x[..., i]
    return np.moveaxis(out, (-2, -1), (dim1, dim2))


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


def cov(x: Any, correction: Any = 1, fweights: Any = None, aweights: Any = None) -> Any:
    return np.cov(x, ddof=correction, fweights=fweights, aweights=aweights)


COUNTS = np.array([1, 2, 1])
CASES = [
    OpCase("diag", np.diag, [(T(3),), (T(2), 1), (T(2, 3),), (T(3, 2), -1), (T(0),)], complex=True),
    OpCase("diagflat", np.diagflat, [(T(3),), (T(2, 2), -1), (T(),)]),
    OpCase(
        "diag_embed",
        diag_embed,
        [(T(3),), (T(2, 3),), (T(2, 3), 1), (T(2, 2), -1, 0, 2), (T(2), 1, 1, 0), (T(2, 0),)],
        complex=True,
    ),
    OpCase(
        "linalg.diagonal",
        lambda x, offset=0, dim1=-2, dim2=-1: np.diagonal(x, offset, dim1, dim2),
        [(T(2, 3),), (T(2, 3, 3), {"offset": 1}), (T(2, 3, 2), {"dim1": 0, "dim2": 2})],
    ),
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
    OpCase(
        "cov",
        cov,
        [
            (T(2, 4),),
            (T(4),),
            (T(2, 3), {"correction": 0}),
            (T(2, 3), {"fweights": COUNTS}),
            (T(2, 3), {"aweights": T(3, domain=(0.5, 1.5))}),
            (T(3, 3), {"fweights": COUNTS, "aweights": fixed([1.0, 0.5, 2.0])}),
        ],
    ),
    OpCase("cov", cov, [(T(2, 4),), (T(3, 3), {"fweights": COUNTS})], complex=True),
    OpCase("corrcoef", np.corrcoef, [(T(2, 4),), (T(3, 5),), (T(4),)], complex=True),
]
