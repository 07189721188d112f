"""Derivatives of Cholesky's factor."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE
from wengert_formulas.derivatives.linalg.matmul import adjoint

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


# ---- what is made of it: A is the square of a factor, of which a triangle is read
def square_grad(grad: Tensor, factor: Tensor, upper: bool) -> Tensor:
    """The gradient by the factor, from that by A."""
    grad = grad + adjoint(grad)
    return (factor.triu() @ grad).triu() if upper else (grad @ factor.tril()).tril()


def square_tangent(factor_t: Tensor, factor: Tensor, upper: bool) -> Tensor:
    """The tangent of A."""
    half = adjoint(factor_t.triu()) @ factor.triu() if upper else factor_t.tril() @ adjoint(factor.tril())
    return half + adjoint(half)


def solve_grads(grad: Tensor, input2: Tensor, result: Tensor, upper: bool, needs: Any) -> Any:
    """The gradient by the right side solves the same system."""
    by_b = wc.cholesky_solve(grad, input2, upper)
    return by_b, square_grad(-(by_b @ adjoint(result)), input2, upper) if needs[1] else None


derivative(
    "cholesky",
    self=lambda grad, result, upper: cholesky_grad(grad, result, upper),
    jvp=lambda self_t, result, upper: cholesky_tangent(self_t, result, upper)[0],
)
derivative(
    "cholesky_solve",
    joint=solve_grads,
    joint_inputs=("self", "input2"),
    jvp=lambda self_t, input2_t, input2, result, upper: wc.cholesky_solve(
        self_t - square_tangent(input2_t, input2, upper) @ result, input2, upper
    ),
)
derivative(
    "cholesky_inverse",
    self=lambda grad, self, result, upper: square_grad(-(result @ grad @ result), self, upper),
    jvp=lambda self_t, self, result, upper: -(result @ square_tangent(self_t, self, upper) @ result),
)
