"""Samples of LU's factors, and of what is solved with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, of_nodes
from wengert_testing.samples.linalg.linalg_solve import INT32, dominant, each, infos, lu, pack_lu
from wengert_testing.samples.shapes import recorded_rows


def three(x: Any) -> Any:
    order, lower, upper, _ = lu(x)
    return np.eye(x.shape[0], dtype=lower.dtype)[:, order], lower, upper


def unpack_lu(both: Any, pivots: Any, unpack_data: Any = True, unpack_pivots: Any = True) -> Any:
    m, n = both.shape
    k = min(m, n)
    order = list(range(m))
    for i, p in enumerate(pivots):
        order[i], order[p - 1] = order[p - 1], order[i]
    lower = np.tril(both[:, :k], -1) + np.eye(m, k)
    empty = np.zeros(0)
    return (
        np.eye(m)[:, order] if unpack_pivots else empty,
        *((lower, np.triu(both[:k])) if unpack_data else (empty, empty)),
    )


def lu_solve(both: Any, pivots: Any, b: Any, left: Any = True, adjoint: Any = False) -> Any:
    p, lower, upper = unpack_lu(both, pivots)
    a = p @ lower @ upper
    a = a.conj().T if adjoint else a
    return np.linalg.solve(a, b) if left else np.linalg.solve(a.T, b.swapaxes(-2, -1)).swapaxes(-2, -1)


SHAPES = [(T(3, 3),), (T(2, 4),), (T(4, 2),), (T(2, 3, 3),), (T(0, 2),)]

PIVOTS = np.array([2, 3, 3], INT32)

FACTORED = [
    (T(3, 3), PIVOTS, T(3, 2)),
    (T(3, 3), PIVOTS, T(3, 2), {"adjoint": True}),
    (T(3, 3), PIVOTS, T(2, 3), {"left": False}),
    (T(3, 3), PIVOTS, T(2, 2, 3), {"left": False, "adjoint": True}),
]

ROWS = OpCase(
    "_lu_permutation",
    lambda pivots, rows: np.array([2, 0, 1]) if rows == 3 else np.array([[0, 1], [1, 0]]),
    [(np.array([3, 3, 3], INT32), 3), (np.array([[1, 2], [2, 2]], INT32), 2)],
    grad=False,
)


CASES = [
    OpCase(
        "linalg_lu_factor_ex",
        lambda x: (*each(pack_lu, x), infos(x)),
        SHAPES,
        complex=True,
    ),
    OpCase("linalg.lu_factor_ex", lambda x: (*each(pack_lu, x), infos(x)), SHAPES[:3]),
    OpCase("linalg.lu_factor", lambda x: each(pack_lu, x), SHAPES[:3]),
    OpCase("lu", pack_lu, SHAPES[:1], warns="torch.lu is deprecated"),
    OpCase("linalg.lu", lambda x: each(three, x), SHAPES, complex=True),
    OpCase(
        "lu_unpack",
        unpack_lu,
        [
            (T(3, 3), PIVOTS),
            (T(3, 4), PIVOTS),
            (T(4, 3), PIVOTS),
            (T(3, 3), PIVOTS, False),
            (T(3, 3), PIVOTS, True, False),
        ],
    ),
    OpCase("linalg.lu_solve", lu_solve, FACTORED, prepared=dominant, complex=True),
    OpCase(
        "lu_solve",
        lambda b, both, pivots: lu_solve(both, pivots, b),
        [(T(3, 2), T(3, 3), PIVOTS)],
        prepared=lambda b, both, pivots: (b, *dominant(both), pivots),
        warns="torch.lu_solve is deprecated",
    ),
    ROWS,
]
CASES += of_nodes(CASES, _linalg_lu="linalg.lu", linalg_lu_solve="linalg.lu_solve", _lu_unpack="lu_unpack")
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "linalg.lu": [(T(3, 3, domain=(0.1, 1.0)), {"pivot": True})],
    "linalg.lu_factor": [(T(3, 3, domain=(0.1, 1.0)), {"pivot": True})],
    "linalg.lu_factor_ex": [(T(3, 3, domain=(0.1, 1.0)), {"pivot": True, "check_errors": True})],
})
CASES += recorded_rows({"lu": [(T(3, 3, domain=(0.1, 1.0)), True, True)]}, warns="torch.lu is deprecated")
