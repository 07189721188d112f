"""Derivatives of inverses, linear systems, determinants, Cholesky's and LU's factors.

Source: M. Giles, Collected matrix derivative results for forward and reverse mode algorithmic differentiation (2008).
"""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.tensor import Tensor

from wengert_formulas.base import TABLE, imag
from wengert_formulas.matmul import adjoint

derivative = TABLE.derivative


def column(x: Tensor) -> Tensor:
    """Numbers of a batch as 1 x 1 matrices."""
    return x.unsqueeze(-1).unsqueeze(-1)


def solved(A: Tensor, B: Tensor, left: bool = True) -> Tensor:
    """X of A X = B, infinite or NaN where A is singular."""
    return wc.linalg_solve_ex(A, B, left=left)[0]


# ---- inverse
derivative(
    "linalg_inv_ex",
    A=lambda grad, inverse: -(adjoint(inverse) @ grad @ adjoint(inverse)),
    outputs=("inverse",),
    jvp=lambda A_t, inverse: (-(inverse @ A_t @ inverse), None),
)


# ---- A X = B
def is_vector(A_shape: Any, B_shape: Any) -> bool:
    """Whether B holds vectors."""
    return len(B_shape) == 1 or (len(A_shape) - 1 == len(B_shape) and A_shape[:-1] == B_shape)


def solve_grads(grad: Tensor, A: Tensor, B_shape: Any, result: Tensor, left: bool, needs: Any) -> Any:
    """The gradients by A and B: that by B solves the adjoint system."""
    vector = is_vector(tuple(A.shape), B_shape)
    grad, x = (grad.unsqueeze(-1), result.unsqueeze(-1)) if vector else (grad, result)
    by_b = solved(adjoint(A), grad, left)
    by_a = None
    if needs[0]:
        by_a = -(by_b @ adjoint(x)) if left else -(adjoint(x) @ by_b)
    return by_a, by_b.squeeze(-1) if vector else by_b


def solve_tangent(A_t: Tensor, B_t: Tensor, A: Tensor, B_shape: Any, result: Tensor, left: bool) -> Any:
    """A dX = dB - dA X."""
    vector = is_vector(tuple(A.shape), B_shape)
    x, b = (result.unsqueeze(-1), B_t.unsqueeze(-1)) if vector else (result, B_t)
    moved = solved(A, b - (A_t @ x if left else x @ A_t), left)
    return (moved.squeeze(-1) if vector else moved), None


derivative(
    "linalg_solve_ex",
    joint=solve_grads,
    joint_inputs=("A", "B"),
    outputs=("result",),
    jvp=solve_tangent,
)


# ---- A X = B with a triangular A
def triangle(x: Tensor, upper: bool, strict: bool) -> Tensor:
    """The triangle that is read."""
    return x.triu(int(strict)) if upper else x.tril(-int(strict))


def triangular_grads(
    grad: Tensor, A: Tensor, result: Tensor, upper: bool, left: bool, unitriangular: bool, needs: Any
) -> Any:
    """As those of solve, in the triangle."""
    by_b = wc.linalg_solve_triangular(adjoint(A), grad, upper=not upper, left=left, unitriangular=unitriangular)
    by_a = None
    if needs[0]:
        product = by_b @ adjoint(result) if left else adjoint(result) @ by_b
        by_a = -triangle(product, upper, unitriangular)
    return by_a, by_b


def triangular_tangent(
    A_t: Tensor, B_t: Tensor, A: Tensor, result: Tensor, upper: bool, left: bool, unitriangular: bool
) -> Tensor:
    """A dX = dB - dA X."""
    moved = triangle(A_t, upper, unitriangular)
    rest = B_t - (moved @ result if left else result @ moved)
    return wc.linalg_solve_triangular(A, rest, upper=upper, left=left, unitriangular=unitriangular)


derivative(
    "linalg_solve_triangular",
    joint=triangular_grads,
    joint_inputs=("A", "B"),
    jvp=triangular_tangent,
)


# ---- determinants
def cofactors(A: Tensor, result: Tensor) -> Tensor:
    """d det / dA: det A^-T, or for a singular matrix what that is in the limit."""
    if not (result == 0).any().item():
        return column(result) * wc.linalg_inv_ex(A)[0].mT
    return adjugate(A).mT


def adjugate(A: Tensor) -> Tensor:
    """det(A) A^-1, which is a polynomial, for A of any rank.

    B = A + X Y^H is regular when X and Y span the singular vectors of small values. With M = 1 - Y^H B^-1 X, a matrix
    as large as there are such values, det A = det B det M, and adj A = det B (det M B^-1 + B^-1 X adj M Y^H B^-1).
    X and Y are constants here, so derivatives of every order are right.
    """
    u, s, vh = wc.linalg_svd(A.detach(), False, True)
    n = s.shape[-1]
    top = s.narrow(-1, 0, 1)
    top = wc.where(top == 0, 1, top)
    small = (s <= top * (1e-5 if s.dtype is wc.float32 else 1e-12)).sum(-1)
    k = max(1, int(small.max().item()))
    x, yh = u.narrow(-1, n - k, k) * top.unsqueeze(-1), vh.narrow(-2, n - k, k)
    b = A + x @ yh
    inverse = wc.linalg_inv_ex(b)[0]
    det_m, adj_m = small_adjugate(wc.eye(k, dtype=A.dtype) - yh @ inverse @ x)
    return column(wc.linalg_det(b)) * (column(det_m) * inverse + inverse @ x @ adj_m @ yh @ inverse)


def small_adjugate(M: Tensor) -> tuple[Tensor, Tensor]:
    """(det M, adj M) without a division by M. Source: Faddeev and LeVerrier's recursion."""
    k = M.shape[-1]
    one = wc.eye(k, dtype=M.dtype)
    adj = one.expand(M.shape)
    c = -diagonal_sum(M @ adj)
    for j in range(2, k + 1):
        adj = M @ adj + column(c) * one
        c = -diagonal_sum(M @ adj) / j
    return (c if k % 2 == 0 else -c), (adj if k % 2 else -adj)


def diagonal_sum(x: Tensor) -> Tensor:
    """The traces of a batch."""
    return x.diagonal(0, -2, -1).sum(-1)


derivative(
    "linalg_det",
    A=lambda grad, A, result: column(grad) * cofactors(A, result).conj(),
    jvp=lambda A_t, A, result: (cofactors(A, result) * A_t).sum((-2, -1)),
)


def slogdet_grad(grads: Any, A: Tensor, sign: Tensor) -> Tensor:
    """d log|det| is Re tr(A^-1 dA); the phase of a complex one turns with Im tr(A^-1 dA)."""
    by_sign, by_log = grads
    if A.is_complex():
        by_log = wc.complex(by_log, -imag(by_sign.conj() * sign))
    idle = column((sign == 0) & (by_log == 0))  # a singular matrix that takes no part
    return wc.where(idle, 0, column(by_log) * adjoint(wc.linalg_inv_ex(A)[0]))


def slogdet_tangent(A_t: Tensor, A: Tensor, sign: Tensor) -> Any:
    """The tangents of the sign and of the logarithm."""
    moved = (wc.linalg_inv_ex(A)[0].mT * A_t).sum((-2, -1))
    if not A.is_complex():
        return wc.zeros_like(sign), moved
    parts = wc.view_as_real(moved)
    return sign * (parts.select(-1, 1) * 1j), parts.select(-1, 0)


derivative("linalg_slogdet", A=slogdet_grad, jvp=slogdet_tangent)


# ---- Cholesky
def half_triangle(x: Tensor) -> Tensor:
    """The lower triangle with half the diagonal."""
    return x.tril() - wc.diag_embed(x.diagonal(0, -2, -1)) * 0.5


def lower_solve(L: Tensor, x: Tensor, left: bool = True) -> Tensor:
    """L^-1 x or x L^-1."""
    return wc.linalg_solve_triangular(L, x, upper=False, left=left)


def adjoint_solve(L: Tensor, x: Tensor) -> Tensor:
    """L^-H x."""
    return wc.linalg_solve_triangular(adjoint(L), x, upper=True)


def cholesky_grad(grad: Tensor, L: Tensor, upper: bool) -> Tensor:
    """The Hermitian gradient, though only a triangle of A is read."""
    if upper:
        grad, L = adjoint(grad), adjoint(L)
    inner = half_triangle(adjoint(L) @ grad)
    inner = (inner + adjoint(inner)) * 0.5
    return lower_solve(L, adjoint_solve(L, inner), left=False)


def cholesky_tangent(A_t: Tensor, L: Tensor, upper: bool) -> Any:
    """dL = L half_triangle(L^-1 dA L^-H), dA Hermitian."""
    L = adjoint(L) if upper else L
    A_t = (A_t + adjoint(A_t)) * 0.5
    inner = lower_solve(L, adjoint(lower_solve(L, adjoint(A_t))))
    moved = L @ half_triangle(inner)
    return (adjoint(moved) if upper else moved), None


derivative(
    "linalg_cholesky_ex",
    A=cholesky_grad,
    outputs=("L",),
    jvp=cholesky_tangent,
)


# ---- LU
def in_order(x: Tensor, order: Tensor) -> Tensor:
    """The rows of matrices in another order."""
    return x.gather(-2, order.unsqueeze(-1).expand(x.shape))


def parts(LU: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """L's square part with what is below it, U's square part with what is beside it, as they lie in LU."""
    return LU.narrow(-1, 0, k), LU.narrow(-2, 0, k)


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
