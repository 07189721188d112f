"""Samples of Cholesky's factors, and of what is solved with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, of_nodes
from wengert_testing.samples.linalg.linalg_solve import DEFINITE, adjoint, definite, dominant, infos, triangle
from wengert_testing.samples.shapes import recorded_rows


def cholesky(x: Any, upper: Any = False) -> Any:
    factor = np.linalg.cholesky(x)
    return adjoint(factor) if upper else factor


def from_factor(x: Any, upper: Any = False) -> Any:
    """The matrix that a triangle is Cholesky's factor of."""
    t = triangle(x, upper)
    return adjoint(t) @ t if upper else t @ adjoint(t)


CASES = [
    OpCase(
        "linalg_cholesky_ex", lambda x, **w: (cholesky(x, **w), infos(x)), DEFINITE, complex=True, prepared=definite
    ),
    OpCase("linalg.cholesky", cholesky, DEFINITE, prepared=definite),
    OpCase("linalg.cholesky_ex", lambda x: (cholesky(x), infos(x)), DEFINITE[:2], prepared=definite),
    OpCase("cholesky", cholesky, DEFINITE[:2], prepared=definite, warns="torch.cholesky is deprecated"),
    OpCase(
        "cholesky_solve",
        lambda b, x, upper=False: np.linalg.solve(from_factor(x, upper), b),
        [(T(3, 2), T(3, 3)), (T(3, 2), T(3, 3), True), (T(2, 2, 1), T(2, 2))],
        prepared=lambda b, x, *rest: (b, *dominant(x), *rest),
        complex=True,
    ),
    OpCase(
        "cholesky_inverse",
        lambda x, upper=False: np.linalg.inv(from_factor(x, upper)),
        [(T(3, 3),), (T(3, 3), True), (T(2, 2, 2),)],
        prepared=dominant,
        complex=True,
    ),
]
CASES += of_nodes(
    CASES, _cholesky="cholesky", _cholesky_inverse="cholesky_inverse", _cholesky_solve="cholesky_solve"
)
# ---- dims from the end, and keywords
SQUARE = T(3, 3, domain=(0.1, 1.0))
CASES += recorded_rows({"cholesky": [(SQUARE, True)]}, prepared=definite, warns="torch.cholesky is deprecated")
CASES += recorded_rows({"linalg.cholesky_ex": [(SQUARE, {"upper": True, "check_errors": True})]}, prepared=definite)
