"""Samples of outer, inner, cross, bilinear and chained products, and of the trace."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.shapes import recorded_rows

BILINEAR = [(T(2, 3), T(2, 2), T(4, 3, 2)), (T(2, 3), T(2, 2), T(4, 3, 2), T(4))]


def forms(x: Any, y: Any, weight: Any, bias: Any = None) -> Any:
    return np.einsum("...i,kij,...j->...k", x, weight, y) + (0 if bias is None else bias)


CASES = [
    OpCase("_trace", np.trace, [(T(3, 3),), (T(2, 3),), (T(0, 2),)], complex=True),
    OpCase("outer", np.outer, [(T(2), T(3))], complex=True),
    OpCase("ger", np.outer, [(T(2), T(3))]),
    OpCase("inner", np.inner, [(T(3), T(3)), (T(2, 3), T(4, 3)), (T(), T(3))]),
    OpCase("trace", np.trace, [(T(3, 3),), (T(2, 3),)]),
    OpCase("kron", np.kron, [(T(2), T(3)), (T(2, 2), T(1, 3)), (T(2), T(2, 2))]),
    OpCase("cross", lambda x, y, dim=-1: np.cross(x, y, axis=dim), [(T(2, 3), T(2, 3), 1), (T(3), T(3), 0)]),
    OpCase(
        "_linalg_cross",
        lambda x, y, dim=-1: np.cross(x, y, axis=dim),
        [(T(2, 3), T(2, 3)), (T(3, 2), T(3, 2), {"dim": 0}), (T(2, 1, 3), T(1, 4, 3)), (T(0, 3), T(0, 3))],
        complex=True,
    ),
    OpCase(
        "linalg.cross",
        lambda x, y, dim=-1: np.cross(x, y, axis=dim),
        [(T(2, 3), T(2, 3)), (T(3, 2), T(3, 2), {"dim": 0})],
    ),
    OpCase("linalg.multi_dot", np.linalg.multi_dot, [([T(2, 3), T(3, 2), T(2, 4)],), ([T(3), T(3, 2), T(2)],)]),
    OpCase(
        "chain_matmul",
        lambda *xs: np.linalg.multi_dot(xs),
        [(T(2, 3), T(3, 2), T(2, 4))],
        warns="torch.chain_matmul is deprecated",
    ),
    OpCase(
        "linalg.vecdot",
        lambda x, y, dim=-1: (np.conj(x) * y).sum(dim),
        [(T(2, 3), T(2, 3)), (T(2, 3), T(2, 3), {"dim": 0})],
        complex=True,
    ),
    OpCase("bilinear", forms, BILINEAR),
    OpCase("nn.functional.bilinear", forms, BILINEAR),
    OpCase(
        "_trilinear",
        lambda x, w, y: np.einsum("ni,kij,nj->nk", x, w, y),
        [(T(4, 3), T(5, 3, 2), T(4, 2)), (T(0, 3), T(2, 3, 2), T(0, 2)), (T(1, 1), T(1, 1, 1), T(1, 1))],
        complex=True,
    ),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "cross": [(T(2, 3), T(2, 3), {"dim": -1})],
    "linalg.cross": [(T(2, 3), T(2, 3), {"dim": -1})],
    "linalg.vecdot": [(T(2, 3), T(2, 3), {"dim": -2})],
})
