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
BILINEAR = [(T(2, 3), T(2, 2), T(4, 3, 2)), (T(2, 3), T(2, 2), T(4, 3, 2), T(4))]


def forms(x: Any, y: Any, weight: Any, bias: Any = None) -> Any:
    return np.einsum("...i,kij,...j->...k", x, weight, y) + (0 if bias is None else bias)


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
    OpCase("outer", np.outer, [(T(2), T(3))], complex=True),
    OpCase("ger", np.outer, [(T(2), T(3))]),
    OpCase("inner", np.inner, [(T(3), T(3)), (T(2, 3), T(4, 3)), (T(), T(3))]),
    OpCase("addmv", product, [(T(2), T(2, 3), T(3)), (T(2), T(2, 3), T(3), {"beta": 0, "alpha": 2.0})]),
    OpCase("baddbmm", product, [(T(2, 2, 2), T(2, 2, 3), T(2, 3, 2)), (T(2), T(2, 2, 3), T(2, 3, 2), {"beta": 0.5})]),
    OpCase(
        "addbmm",
        lambda x, a, b, beta=1, alpha=1: beta * x + alpha * (a @ b).sum(0),
        [(T(2, 2), T(2, 2, 3), T(2, 3, 2))],
    ),
    OpCase(
        "addr",
        lambda x, a, b, beta=1, alpha=1: beta * x + alpha * np.outer(a, b),
        [(T(2, 3), T(2), T(3)), (T(2, 3), T(2), T(3), {"alpha": 0.5})],
    ),
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
