"""Samples of inverses, systems, determinants, Cholesky's and LU's factors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, of_nodes

SQUARES = [(T(3, 3),), (T(2, 2, 2),), (T(1, 1),), (T(0, 0),), (T(2, 1, 2, 2),)]
SYSTEMS = [(T(3, 3), T(3, 2)), (T(3, 3), T(3)), (T(2, 2, 2), T(2, 2)), (T(2, 2), T(3, 2, 1)), (T(0, 0), T(0, 2))]
RIGHT = [(T(3, 3), T(2, 3), {"left": False}), (T(2, 2, 2), T(3, 2), {"left": False})]
SINGULAR = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]])
INT32 = np.int32


def adjoint(x: Any) -> Any:
    return x.swapaxes(-2, -1).conj() if isinstance(x, np.ndarray) else x.mT.conj()


def definite(x: Any, *rest: Any) -> Any:
    """A positive-definite matrix of one with more columns than rows."""
    return (x @ adjoint(x), *rest)


def dominant(x: Any, *rest: Any) -> Any:
    """With a diagonal that is larger than the rest of each row."""
    return (x + 4 * np.eye(x.shape[-1]) if isinstance(x, np.ndarray) else x + x.new_ones(x.shape[-1]).diag() * 4, *rest)


def infos(x: Any) -> Any:
    return np.zeros(x.shape[:-2], INT32)


def vectors(a: Any, b: Any) -> bool:
    return bool(b.ndim == 1 or (a.ndim - 1 == b.ndim and a.shape[:-1] == b.shape))


def solve(a: Any, b: Any, left: Any = True) -> Any:
    if vectors(a, b):
        return np.linalg.solve(a, b[..., None])[..., 0]
    return np.linalg.solve(a, b) if left else np.linalg.solve(a.swapaxes(-2, -1), b.swapaxes(-2, -1)).swapaxes(-2, -1)


def triangle(a: Any, upper: Any, unit: Any = False) -> Any:
    kept = np.triu(a) if upper else np.tril(a)
    n = a.shape[-1]
    return np.where(np.eye(n, dtype=bool), 1, kept) if unit else kept


def solve_triangular(a: Any, b: Any, upper: Any = None, left: Any = True, unitriangular: Any = False) -> Any:
    a = triangle(a, upper, unitriangular)
    return np.linalg.solve(a, b) if left else np.linalg.solve(a.swapaxes(-2, -1), b.swapaxes(-2, -1)).swapaxes(-2, -1)


TRIANGLES = [
    (T(3, 3), T(3, 2), {"upper": True}),
    (T(3, 3), T(3, 2), {"upper": False}),
    (T(2, 2, 2), T(2, 3), {"upper": True, "unitriangular": True}),
    (T(2, 2), T(2, 3, 2), {"upper": False, "left": False}),
    (T(2, 2), T(3, 2), {"upper": True, "left": False, "unitriangular": True}),
    (T(0, 0), T(0, 2), {"upper": True}),
]
DEFINITE = [(T(3, 5),), (T(2, 2, 4),), (T(0, 0),), (T(2, 4), {"upper": True})]


def cholesky(x: Any, upper: Any = False) -> Any:
    factor = np.linalg.cholesky(x)
    return adjoint(factor) if upper else factor


def from_factor(x: Any, upper: Any = False) -> Any:
    """The matrix that a triangle is Cholesky's factor of."""
    t = triangle(x, upper)
    return adjoint(t) @ t if upper else t @ adjoint(t)


def logdet(x: Any) -> Any:
    sign, size = np.linalg.slogdet(x)
    return np.log(sign) + size if x.dtype.kind == "c" else np.where(sign == -1, math.nan, size)


def old_triangular(b: Any, a: Any, upper: Any = True, transpose: Any = False, unitriangular: Any = False) -> Any:
    t = triangle(a, upper, unitriangular)
    x = np.linalg.solve(t.swapaxes(-2, -1) if transpose else t, b)
    return x, np.broadcast_to(a, (*x.shape[:-2], *a.shape[-2:]))


def lu(x: Any) -> Any:
    """Gauss's elimination as it is taught: (rows in order, L, U, pivots)."""
    m, n = x.shape
    k = min(m, n)
    upper, order, pivots = x.astype(complex if x.dtype.kind == "c" else float), list(range(m)), []
    lower = np.zeros((m, k), upper.dtype)
    for j in range(k):
        p = j + int(np.argmax(np.abs(upper[j:, j].real) + np.abs(upper[j:, j].imag)))
        pivots.append(p + 1)
        order[j], order[p] = order[p], order[j]
        upper[[j, p]], lower[[j, p]] = upper[[p, j]], lower[[p, j]]
        for i in range(j + 1, m):
            lower[i, j] = upper[i, j] / (upper[j, j] or 1)
            upper[i] -= lower[i, j] * upper[j]
        lower[j, j] = 1
    return order, lower, np.triu(upper[:k]), np.array(pivots, INT32)


def each(f: Any, x: Any, *more: Any) -> Any:
    """f of each matrix of a batch, its results stacked."""
    if x.ndim == 2:
        return f(x, *more)
    parts = [each(f, *members) for members in zip(x, *more, strict=True)]
    return tuple(np.stack(part) for part in zip(*parts, strict=True))


def packed(x: Any) -> Any:
    _, lower, upper, pivots = lu(x)
    m, n = x.shape
    both = np.zeros((m, n), lower.dtype)
    both[:, : lower.shape[1]] += np.tril(lower, -1)
    both[: upper.shape[0]] += upper
    return both, pivots


def three(x: Any) -> Any:
    order, lower, upper, _ = lu(x)
    return np.eye(x.shape[0], dtype=lower.dtype)[:, order], lower, upper


def unpacked(both: Any, pivots: Any, unpack_data: Any = True, unpack_pivots: Any = True) -> Any:
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
    p, lower, upper = unpacked(both, pivots)
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
    OpCase("linalg_inv_ex", lambda x: (np.linalg.inv(x), infos(x)), SQUARES, complex=True),
    OpCase("linalg.inv", np.linalg.inv, SQUARES, complex=True),
    OpCase("linalg.inv_ex", lambda x: (np.linalg.inv(x), infos(x)), SQUARES[:2]),
    OpCase("inverse", np.linalg.inv, SQUARES[:2]),
    OpCase(
        "linalg_solve_ex",
        lambda a, b, **w: (solve(a, b, **w), infos(a), *each(packed, a)),
        SYSTEMS + RIGHT,
        complex=True,
    ),
    OpCase("linalg.solve", solve, SYSTEMS + RIGHT, complex=True),
    OpCase("linalg.solve_ex", lambda a, b: (solve(a, b), infos(a)), SYSTEMS[:2]),
    OpCase("linalg_solve_triangular", solve_triangular, TRIANGLES, complex=True, prepared=dominant),
    OpCase("linalg.solve_triangular", solve_triangular, TRIANGLES, prepared=dominant),
    OpCase(
        "triangular_solve",
        old_triangular,
        [(T(2, 3), T(2, 2)), (T(2, 3), T(2, 2), False, True), (T(2, 1), T(2, 2), True, False, True)],
        prepared=lambda b, a, *rest: (b, *dominant(a), *rest),
        warns="torch.triangular_solve is deprecated",
    ),
    OpCase(
        "linalg_det",
        lambda x: (np.linalg.det(x), *each(packed, x)),
        [*SQUARES, (SINGULAR,), (np.ones((3, 3)),), (np.zeros((2, 2)),)],
        complex=True,
    ),
    OpCase("linalg.det", np.linalg.det, SQUARES[:3]),
    OpCase("det", np.linalg.det, SQUARES[:2], complex=True),
    OpCase("linalg_slogdet", lambda x: (*np.linalg.slogdet(x), *each(packed, x)), SQUARES, complex=True),
    OpCase("linalg.slogdet", np.linalg.slogdet, SQUARES[:2]),
    OpCase("slogdet", np.linalg.slogdet, SQUARES[:2]),
    OpCase("logdet", logdet, DEFINITE[:3], complex=True, prepared=definite),
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
    OpCase(
        "linalg_lu_factor_ex",
        lambda x: (*each(packed, x), infos(x)),
        SHAPES,
        complex=True,
    ),
    OpCase("linalg.lu_factor_ex", lambda x: (*each(packed, x), infos(x)), SHAPES[:3]),
    OpCase("linalg.lu_factor", lambda x: each(packed, x), SHAPES[:3]),
    OpCase("lu", packed, SHAPES[:1], warns="torch.lu is deprecated"),
    OpCase("linalg.lu", lambda x: each(three, x), SHAPES, complex=True),
    OpCase(
        "lu_unpack",
        unpacked,
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
CASES += of_nodes(
    CASES,
    _cholesky="cholesky",
    _cholesky_inverse="cholesky_inverse",
    _cholesky_solve="cholesky_solve",
    _linalg_lu="linalg.lu",
    linalg_lu_solve="linalg.lu_solve",
    _lu_unpack="lu_unpack",
    _triangular_solve="triangular_solve",
)
