"""Derivatives of LU's factors."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE
from wengert_formulas.derivatives.linalg.matmul import adjoint

derivative = TABLE.derivative


def in_order(x: Tensor, order: Tensor) -> Tensor:
    """The rows of matrices in another order."""
    return x.gather(-2, order.unsqueeze(-1).expand(x.shape))


conj_t = adjoint
"""The adjoint, where an argument is called so."""


def unit_solve(L: Tensor, x: Tensor) -> Tensor:
    """L^-1 x, L with ones on its diagonal."""
    return wc.linalg_solve_triangular(L, x, upper=False, unitriangular=True)


def lu_grad(grad: Tensor, LU: Tensor, pivots: Tensor) -> Tensor:
    """The gradient by the rows, put back in order."""
    return in_order(ordered_grad(grad, LU), wc._lu_permutation(pivots, LU.shape[-2]).argsort(-1))


def ordered_grad(grad: Tensor, LU: Tensor) -> Tensor:
    """The gradient by the rows in the order of L U; k is the smaller size."""
    (m, n), k = LU.shape[-2:], min(LU.shape[-2:])
    square = LU.narrow(-1, 0, k).narrow(-2, 0, k)
    by_square = grad.narrow(-1, 0, k).narrow(-2, 0, k)
    lower, upper = square.tril(-1), square.triu()
    by_lower = adjoint(lower) @ by_square.tril(-1) + by_square.tril(-1)  # L^H grad: L has ones on its diagonal
    by_upper = by_square.triu() @ adjoint(upper)
    if n > m:
        beside, by_beside = LU.narrow(-1, k, n - k), grad.narrow(-1, k, n - k)
        by_lower = by_lower - by_beside @ adjoint(beside)
    if m > n:
        below, by_below = LU.narrow(-2, k, m - k), grad.narrow(-2, k, m - k)
        by_upper = by_upper - adjoint(below) @ by_below
    inner = by_lower.tril(-1) + by_upper.triu()
    inner = wc.linalg_solve_triangular(adjoint(upper), inner, upper=False, left=False)
    if m > n:
        outer = wc.linalg_solve_triangular(adjoint(upper), by_below, upper=False, left=False)
    inner = wc.linalg_solve_triangular(adjoint(square), inner, upper=True, unitriangular=True)
    if n > m:
        last = wc.linalg_solve_triangular(adjoint(square), by_beside, upper=True, unitriangular=True)
        inner = wc.cat([inner, last], -1)
    if m > n:
        inner = wc.cat([inner, outer], -2)
    return inner


def lu_tangent(A_t: Tensor, LU: Tensor, pivots: Tensor) -> Any:
    """The tangents of the factors in one matrix."""
    return ordered_tangent(in_order(A_t, wc._lu_permutation(pivots, LU.shape[-2])), LU), None, None


def ordered_tangent(moved: Tensor, LU: Tensor) -> Tensor:
    """dL = L tril(F, -1) and dU = triu(F) U, where F = L^-1 dA U^-1, of the square part; rows as those of L U."""
    (m, n), k = LU.shape[-2:], min(LU.shape[-2:])
    square = LU.narrow(-1, 0, k).narrow(-2, 0, k)
    core = unit_solve(square, moved.narrow(-1, 0, k).narrow(-2, 0, k))
    core = wc.linalg_solve_triangular(square, core, upper=True, left=False)
    lower, upper = core.tril(-1), core.triu()
    result = square.tril(-1) @ lower + lower + upper @ square.triu()
    if n > m:
        beside = unit_solve(square, moved.narrow(-1, k, n - k)) - lower @ LU.narrow(-1, k, n - k)
        result = wc.cat([result, beside], -1)
    if m > n:
        below = wc.linalg_solve_triangular(square, moved.narrow(-2, k, m - k), upper=True, left=False)
        result = wc.cat([result, below - LU.narrow(-2, k, m - k) @ upper], -2)
    return result


# ---- L and U as two matrices
def pack_factors(L: Tensor, U: Tensor) -> Tensor:
    """What of them is not fixed in one matrix: L below the diagonal, and U."""
    (m, k), n = L.shape[-2:], U.shape[-1]
    lower, upper = L.tril(-1), U.triu()
    if m > k:
        return wc.cat([lower.narrow(-2, 0, k) + upper, lower.narrow(-2, k, m - k)], -2)
    if n > k:
        return wc.cat([lower + upper.narrow(-1, 0, k), upper.narrow(-1, k, n - k)], -1)
    return lower + upper


def split_tangent(LU_t: Tensor) -> tuple[Tensor, Tensor]:
    """The tangents of L and U from those in one matrix."""
    k = min(LU_t.shape[-2:])
    return LU_t.narrow(-1, 0, k).tril(-1), LU_t.narrow(-2, 0, k).triu()


def unpack_grad(grads: Any, unpack_data: bool) -> Any:
    """The parts that are read."""
    return pack_factors(*grads) if unpack_data else None


def unpack_tangent(LU_data_t: Tensor, unpack_data: bool) -> Any:
    """The same of the tangent; nothing of what is empty."""
    return (None, *split_tangent(LU_data_t)) if unpack_data else (None, None, None)


derivative(
    "linalg_lu",
    A=lambda grads, P, L, U: P @ ordered_grad(pack_factors(*grads), pack_factors(L, U)),
    outputs=("L", "U"),
    jvp=lambda A_t, P, L, U: (None, *split_tangent(ordered_tangent(P.mT @ A_t, pack_factors(L, U)))),
)
derivative("lu_unpack", LU_data=unpack_grad, outputs=("L", "U"), jvp=unpack_tangent)


# ---- systems
def lu_solve_grads(
    grad: Tensor, LU: Tensor, pivots: Tensor, result: Tensor, left: bool, adjoint: bool, needs: Any
) -> Any:
    """The gradient by B solves the adjoint system; that by A is one by its factors."""
    by_b = wc.linalg_lu_solve(LU, pivots, grad, left=left, adjoint=not adjoint)
    if not needs[0]:
        return None, by_b
    by_a = -(by_b @ conj_t(result) if left else conj_t(result) @ by_b)
    by_a = conj_t(by_a) if adjoint else by_a
    by_rows = in_order(by_a, wc._lu_permutation(pivots, LU.shape[-1]))
    unit = LU.tril(-1)
    by_lower = (by_rows @ conj_t(LU.triu())).tril(-1)
    return by_lower + (by_rows + conj_t(unit) @ by_rows).triu(), by_b


def lu_solve_tangent(
    LU_t: Tensor, B_t: Tensor, LU: Tensor, pivots: Tensor, result: Tensor, left: bool, adjoint: bool
) -> Tensor:
    """A dX = dB - dA X, and its kin."""
    lower, upper = LU.tril(-1), LU.triu()
    lower_t, upper_t = LU_t.tril(-1), LU_t.triu()
    moved = lower_t @ upper + lower @ upper_t + upper_t
    moved = in_order(moved, wc._lu_permutation(pivots, LU.shape[-1]).argsort(-1))
    moved = conj_t(moved) if adjoint else moved
    rest = B_t - (moved @ result if left else result @ moved)
    return wc.linalg_lu_solve(LU, pivots, rest, left=left, adjoint=adjoint)


derivative(
    "linalg_lu_solve",
    joint=lu_solve_grads,
    joint_inputs=("LU", "B"),
    jvp=lu_solve_tangent,
)
derivative(
    "linalg_lu_factor_ex",
    A=lu_grad,
    outputs=("LU",),
    jvp=lu_tangent,
)
TABLE.not_differentiable("_lu_permutation")
