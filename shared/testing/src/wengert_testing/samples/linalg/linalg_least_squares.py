"""Samples of pseudo-inverses, ranks and least squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, fixed
from wengert_testing.samples.shapes import recorded_rows

SHAPES = [(T(3, 3),), (T(2, 4),), (T(4, 2),), (T(2, 3, 2),)]


def pinv(x: Any, *tolerances: Any, **words: Any) -> Any:
    return np.linalg.pinv(x)


def rank(x: Any, tol: Any = None, hermitian: Any = False, atol: Any = None, rtol: Any = None) -> Any:
    return np.linalg.matrix_rank(x, tol if tol is not None else atol, hermitian=hermitian)


def lstsq(a: Any, b: Any, rcond: Any = None, driver: Any = "gelsy") -> Any:
    vector = b.ndim == a.ndim - 1
    right = b[..., None] if vector else b
    x = np.linalg.pinv(a) @ right
    nothing = np.zeros(0)
    m, n = a.shape[-2:]
    residuals = (abs(a @ x - right) ** 2).sum(-2) if m > n and driver != "gelsy" else nothing
    ranks = np.zeros(0, np.int64) if driver == "gels" else np.asarray(np.linalg.matrix_rank(a))
    values = np.linalg.svd(a, compute_uv=False) if driver in ("gelsd", "gelss") else nothing
    return x[..., 0] if vector else x, residuals, ranks, values


SYSTEMS = [(T(4, 2), T(4, 3)), (T(2, 3), T(2, 1)), (T(2, 3, 2), T(2, 3, 1))]

LSTSQ = [(*SYSTEMS[0], 1e-12, "gels"), (*SYSTEMS[1], 1e-12, "gelsy"), (*SYSTEMS[2], 1e-12, "gelsd")]


CASES = [
    OpCase("linalg_pinv", pinv, [(*s, 0.0, 1e-12) for s in SHAPES], complex=True),
    OpCase("linalg.pinv", pinv, [*SHAPES, (T(3, 3), 1e-12)], complex=True),
    OpCase("pinverse", pinv, SHAPES[:2]),
    OpCase(
        "linalg.matrix_rank",
        rank,
        [*SHAPES[:2], (fixed(np.ones((3, 3))),), (fixed(np.diag([3.0, 0.1])), 0.2), (fixed(np.eye(2)), 0.5, True)],
        grad=False,
    ),
    OpCase("linalg_lstsq", lstsq, LSTSQ, complex=True),
    OpCase("linalg.lstsq", lstsq, [*SYSTEMS, (T(2, 3, 2), T(2, 3)), (T(4, 2), T(4, 1), {"driver": "gelss"})]),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "linalg.pinv": [(T(3, 2), {"hermitian": False, "atol": 1e-9, "rtol": 1e-9})],
    "pinverse": [(T(3, 2), 1e-9)],
    "linalg.lstsq": [(T(4, 2), T(4, 1), 1e-9, {"driver": "gelsd"})],
})
CASES += recorded_rows({
    "linalg.matrix_rank": [(T(3, 2), {"atol": 1e-9, "rtol": 1e-9})],
}, grad=False)
