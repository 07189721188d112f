"""Derivatives of Cholesky's factor."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.tensor import Tensor

from wengert_formulas.base import TABLE
from wengert_formulas.matmul import adjoint

derivative = TABLE.derivative


def half_triangle(x: Tensor, scale: float = 1.0) -> Tensor:
    """The lower triangle with half the diagonal, times a number."""
    n = x.shape[-1]
    return x * (x.new_ones((n, n)).tril() * scale - wc.eye(n, dtype=x.dtype, device=x.device) * (0.5 * scale))


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
    inner = half_triangle(adjoint(L) @ grad, 0.5)
    return lower_solve(L, adjoint_solve(L, inner + adjoint(inner)), left=False)


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
