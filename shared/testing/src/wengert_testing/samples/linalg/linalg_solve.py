"""Samples of inverses and systems, and the matrices that samples of factorizations are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, of_nodes
from wengert_testing.samples.shapes import recorded_rows

SQUARES = [(T(3, 3),), (T(2, 2, 2),), (T(1, 1),), (T(0, 0),), (T(2, 1, 2, 2),)]
SYSTEMS = [(T(3, 3), T(3, 2)), (T(3, 3), T(3)), (T(2, 2, 2), T(2, 2)), (T(2, 2), T(3, 2, 1)), (T(0, 0), T(0, 2))]
RIGHT = [(T(3, 3), T(2, 3), {"left": False}), (T(2, 2, 2), T(3, 2), {"left": False})]

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


def pack_lu(x: Any) -> Any:
    _, lower, upper, pivots = lu(x)
    m, n = x.shape
    both = np.zeros((m, n), lower.dtype)
    both[:, : lower.shape[1]] += np.tril(lower, -1)
    both[: upper.shape[0]] += upper
    return both, pivots


CASES = [
    OpCase("linalg_inv_ex", lambda x: (np.linalg.inv(x), infos(x)), SQUARES, complex=True),
    OpCase("linalg.inv", np.linalg.inv, SQUARES, complex=True),
    OpCase("linalg.inv_ex", lambda x: (np.linalg.inv(x), infos(x)), SQUARES[:2]),
    OpCase("inverse", np.linalg.inv, SQUARES[:2]),
    OpCase(
        "linalg_solve_ex",
        lambda a, b, **w: (solve(a, b, **w), infos(a), *each(pack_lu, a)),
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
]
CASES += of_nodes(CASES, _triangular_solve="triangular_solve")
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "linalg.inv_ex": [(T(3, 3, domain=(0.1, 1.0)), {"check_errors": True})],
    "linalg.solve_ex": [(T(3, 3, domain=(0.1, 1.0)), T(3, 2), {"left": True, "check_errors": True})],
})
