"""Linear algebra on arrays that NumPy lacks: LU, triangular systems, and what went wrong with which matrix.

All take batches of matrices and are written for speed on large batches of small matrices and on large matrices: work is
done on the whole batch at once, in blocks.
"""

from __future__ import annotations

import math
from typing import Any

from wengert_core.ops.linalg import linalg_lapack as lapack

BLOCK = 32
"""Columns that a step of LU works on; the rest is one product of matrices a step."""
FEW = 3
"""Batches up to this size are factored matrix by matrix."""
MANY = 64
"""Batches from this size on are substituted row by row."""
SUBSTITUTION = 64
"""Up to this order a triangular system is one call of LAPACK."""


def adjoint(x: Any) -> Any:
    """Matrices transposed and conjugated."""
    return x.swapaxes(-2, -1).conj()


# ---- LU
def size(x: Any) -> Any:
    """What LAPACK chooses pivots by: |Re| + |Im|."""
    return abs(x.real) + abs(x.imag) if x.dtype.kind == "c" else abs(x)


def lu_factor(xp: Any, a: Any) -> tuple[Any, Any, Any]:
    """(LU, pivots, info): L below the diagonal (its ones left out) and U, in one array, by partial pivoting.

    pivots: int32[..., k], row i was swapped with row pivots[i] - 1. info: int32[...], the number of the first zero
    on U's diagonal, 0 without one. Source: Golub and Van Loan, Matrix Computations, section 3.4.
    """
    m, n = a.shape[-2:]
    k = min(m, n)
    batch = a.shape[:-2]
    lu = xp.array(a).reshape(math.prod(batch), m, n)
    pivots = xp.zeros((len(lu), k), xp.int32)
    for start in range(0, k, BLOCK):
        end = min(start + BLOCK, k)
        for j in range(start, end):
            if len(lu) <= FEW:
                for matrix, rows in zip(lu, pivots, strict=True):
                    eliminate_in_one(matrix, rows, j, end)
            else:
                eliminate(xp, lu, pivots, j, end)
        if end < n:
            lower = lu[:, start:end, start:end]
            lu[:, start:end, end:] = solve_triangular(xp, lower, lu[:, start:end, end:], False, True)
            lu[:, end:, end:] -= lu[:, end:, start:end] @ lu[:, start:end, end:]
    zero = xp.diagonal(lu, 0, -2, -1) == 0
    info = xp.where(zero.any(-1), zero.argmax(-1) + 1, 0) if k else xp.zeros(len(lu))
    return lu.reshape(a.shape), pivots.reshape(*batch, k), info.astype(xp.int32).reshape(batch)


def eliminate(xp: Any, lu: Any, pivots: Any, j: int, end: int) -> None:
    """Column j: its pivot's row is swapped up, and taken off the rows below in the columns up to ``end``."""
    each = xp.arange(len(lu))
    row = size(lu[:, j:, j]).argmax(-1) + j
    pivots[:, j] = row + 1
    lu[each, j], lu[each, row] = lu[each, row], lu[each, j]
    pivot = lu[:, j, j]
    lu[:, j + 1 :, j] /= xp.where(pivot == 0, 1, pivot)[:, None]
    lu[:, j + 1 :, j + 1 : end] -= lu[:, j + 1 :, j, None] * lu[:, j, None, j + 1 : end]


def eliminate_in_one(lu: Any, pivots: Any, j: int, end: int) -> None:
    """The same in one matrix: less work than for a batch, of which only a large one is worth it."""
    row = int(size(lu[j:, j]).argmax()) + j
    pivots[j] = row + 1
    if row != j:
        lu[[j, row]] = lu[[row, j]]
    pivot = lu[j, j]
    if pivot != 0:
        lu[j + 1 :, j] /= pivot
    lu[j + 1 :, j + 1 : end] -= lu[j + 1 :, j, None] * lu[j, j + 1 : end]


def permutation(xp: Any, pivots: Any, rows: int) -> Any:
    """Which row of A is each row of L U: int64[..., rows]."""
    flat = pivots.reshape(math.prod(pivots.shape[:-1]), pivots.shape[-1])
    order = xp.tile(xp.arange(rows), (len(flat), 1))
    each = xp.arange(len(flat))
    for i in range(flat.shape[-1]):
        other = flat[:, i] - 1
        order[each, i], order[each, other] = order[each, other], order[each, i]
    return order.reshape(*pivots.shape[:-1], rows)


# ---- triangular systems
def solve_triangular(xp: Any, t: Any, b: Any, upper: bool, unit: bool) -> Any:
    """x of t x = b, where only a triangle of t is read; zeros on the diagonal give infinities, as in LAPACK."""
    if not upper:
        return solve_triangular(xp, t[..., ::-1, ::-1], b[..., ::-1, :], True, unit)[..., ::-1, :]
    n = t.shape[-1]
    if n <= SUBSTITUTION:
        return back_substitute(xp, t, b, unit)
    half = n // 2
    below = solve_triangular(xp, t[..., half:, half:], b[..., half:, :], True, unit)
    rest = b[..., :half, :] - t[..., :half, half:] @ below
    above = solve_triangular(xp, t[..., :half, :half], rest, True, unit)
    return xp.concatenate([above, xp.broadcast_to(below, (*above.shape[:-2], *below.shape[-2:]))], -2)


def back_substitute(xp: Any, t: Any, b: Any, unit: bool) -> Any:
    """Back substitution. LAPACK's LU of an upper triangle swaps nothing and changes nothing, so its solve is that."""
    if unit:
        t = lapack.upper_triangle(xp, t, 1) + xp.eye(t.shape[-1], dtype=t.dtype)
    else:
        t = lapack.upper_triangle(xp, t)
    if max(math.prod(t.shape[:-2]), math.prod(b.shape[:-2])) >= MANY:
        return row_by_row(xp, t, b)
    x = lapack.solve(xp, t, b)
    if x.size and has_nan(x[..., 0, 0]) and not t.diagonal(0, -2, -1).all():
        return row_by_row(xp, t, b)
    return x


def has_nan(x: Any) -> bool:
    """Whether a NaN is among some numbers: what LAPACK fills the result of a matrix with that has none."""
    if x.size == 1:
        number = x.item()
        return bool(number != number)
    return bool((x != x).any())


def row_by_row(xp: Any, t: Any, b: Any) -> Any:
    """Back substitution written out: for a diagonal with zeros, and for large batches, a row of all at once."""
    n = t.shape[-1]
    batch = xp.broadcast_shapes(t.shape[:-2], b.shape[:-2])
    x = xp.array(xp.broadcast_to(b, (*batch, *b.shape[-2:])))
    for i in reversed(range(n)):
        x[..., i, :] -= (t[..., i, None, i + 1 :] @ x[..., i + 1 :, :])[..., 0, :]
        x[..., i, :] /= t[..., i, i, None]
    return x


# ---- LAPACK's results with infos
def inverse(xp: Any, a: Any) -> tuple[Any, Any]:
    """(inverse, info): NaN and the number of the zero pivot where a matrix is singular."""
    result = lapack.inv(xp, a)
    return result, pivot_info(xp, a, result)


def pivot_info(xp: Any, a: Any, result: Any) -> Any:
    """The number of the first zero pivot of each matrix, 0 without one; LAPACK has kept it, but a NaN tells of it.

    Whether there is one LAPACK says by the sign of the determinant; which it is, our elimination (or the last, should
    its rounding differ).
    """
    if not (result.size and has_nan(result[..., 0, 0])):
        return xp.zeros(a.shape[:-2], xp.int32)
    position = lu_factor(xp, a)[2]
    position = xp.where(position == 0, a.shape[-1], position)
    return xp.where(lapack.slogdet(xp, a)[0] == 0, position, 0).astype(xp.int32)


def cholesky(xp: Any, a: Any, upper: bool) -> tuple[Any, Any]:
    """(factor, info): info is the order of the first leading minor that is not positive, 0 when all are."""
    factor = lapack.cholesky(xp, a, upper)
    info = xp.zeros(a.shape[:-2], xp.int32)
    if a.size and has_nan(factor[..., -1, -1]):
        for position in map(tuple, xp.argwhere(xp.isnan(factor[..., -1, -1]))):
            columns, info[position] = stopped_cholesky(xp, adjoint(a[position]) if upper else a[position])
            factor[position] = adjoint(columns) if upper else columns
    return factor, info


def stopped_cholesky(xp: Any, a: Any) -> tuple[Any, int]:
    """The lower factor of a matrix that has none, as the algorithm that goes by columns leaves it, and info.

    Columns before the pivot that is not positive are the factor's, columns behind it the matrix's.
    """
    columns = xp.tril(a)
    k, bad = 0, a.shape[-1]
    while bad - k > 1:  # the order of the first minor that fails, by halving
        order = (k + bad) // 2
        minor = lapack.cholesky(xp, a[:order, :order], False)
        if xp.isnan(minor[-1, -1]):
            bad = order
        else:
            k, columns[:order, :order] = order, minor
    columns[k:, :k] = adjoint(solve_triangular(xp, columns[:k, :k], adjoint(columns[k:, :k]), False, False))
    columns[k, k] = columns[k, k].real - (abs(columns[k, :k]) ** 2).sum()
    return columns, bad
