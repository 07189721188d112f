"""Derivatives of LU's factors."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.tensor import Tensor

from wengert_formulas.base import TABLE
from wengert_formulas.matmul import adjoint

derivative = TABLE.derivative


def in_order(x: Tensor, order: Tensor) -> Tensor:
    """The rows of matrices in another order."""
    return x.gather(-2, order.unsqueeze(-1).expand(x.shape))


def unit_solve(L: Tensor, x: Tensor) -> Tensor:
    """L^-1 x, L with ones on its diagonal."""
    return wc.linalg_solve_triangular(L, x, upper=False, unitriangular=True)


def lu_grad(grad: Tensor, LU: Tensor, pivots: Tensor) -> Tensor:
    """The gradient by the rows in the order of L U, put back in order; k is the smaller size."""
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
    return in_order(inner, wc._lu_permutation(pivots, m).argsort(-1))


def lu_tangent(A_t: Tensor, LU: Tensor, pivots: Tensor) -> Any:
    """dL = L tril(F, -1) and dU = triu(F) U, where F = L^-1 dA U^-1, of the square part."""
    (m, n), k = LU.shape[-2:], min(LU.shape[-2:])
    square = LU.narrow(-1, 0, k).narrow(-2, 0, k)
    moved = in_order(A_t, wc._lu_permutation(pivots, m))
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
    return result, None, None


derivative(
    "linalg_lu_factor_ex",
    A=lu_grad,
    outputs=("LU",),
    jvp=lu_tangent,
)
TABLE.not_differentiable("_lu_permutation")
