"""Samples of products of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T

MM = [(T(2, 3), T(3, 2)), (T(1, 1), T(1, 4)), (T(0, 3), T(3, 2)), (T(2, 0), T(0, 2))]
RANKS = [
    (T(3), T(3)),
    (T(2, 3), T(3)),
    (T(3), T(3, 2)),
    (T(2, 3), T(3, 2)),
    (T(2, 2, 3), T(3)),
    (T(3), T(2, 3, 2)),
    (T(2, 2, 3), T(3, 2)),
    (T(2, 3), T(2, 3, 2)),
    (T(2, 2, 3), T(2, 3, 2)),
    (T(2, 1, 2, 3), T(2, 3, 2)),
]
ADDED = [
    (T(2, 2), T(2, 3), T(3, 2)),
    (T(2), T(2, 3), T(3, 2), {"beta": 0.5, "alpha": 2.0}),
    (T(), T(2, 3), T(3, 2), {"alpha": 0.3}),
]


def product(x: Any, a: Any, b: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    return beta * x + alpha * (a @ b)


def affine(x: Any, weight: Any, bias: Any = None) -> Any:
    return x @ weight.T + (0 if bias is None else bias)


LINEAR = [(T(2, 3), T(4, 3)), (T(2, 3), T(4, 3), T(4)), (T(3), T(4, 3), T(4)), (T(2, 2, 3), T(4, 3), T(4))]


CASES = [
    OpCase("mm", np.matmul, MM, complex=True),
    OpCase("bmm", np.matmul, [(T(2, 2, 3), T(2, 3, 2)), (T(0, 2, 3), T(0, 3, 2))], complex=True),
    OpCase("mv", np.matmul, [(T(2, 3), T(3))], complex=True),
    OpCase("dot", np.dot, [(T(3), T(3)), (T(0), T(0))], complex=True),
    OpCase("vdot", np.vdot, [(T(3), T(3))], complex=True),
    OpCase("addmm", product, ADDED, complex=True),
    OpCase("nn.functional.linear", affine, LINEAR, complex=True),
    OpCase("matmul", np.matmul, RANKS, complex=True),
    OpCase("linalg.matmul", np.matmul, RANKS[:4]),
]
