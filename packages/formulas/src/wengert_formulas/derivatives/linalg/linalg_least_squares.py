"""Derivatives of pseudo-inverses and least squares."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE
from wengert_formulas.derivatives.linalg.matmul import adjoint

derivative = TABLE.derivative


# ---- pseudo-inverse
def pinv_grad(grad: Tensor, A: Tensor, P: Tensor) -> Tensor:
    """At constant rank. Source: Golub and Pereyra, The differentiation of pseudo-inverses and nonlinear least squares
    problems whose variables separate, SIAM J. Numer. Anal. 10 (1973), theorem 4.3.
    """
    ph, gh = adjoint(P), adjoint(grad)
    left = (gh - A @ (P @ gh)) @ P @ ph
    right = ph @ P @ (gh - (gh @ P) @ A)
    return -(ph @ grad @ ph) + left + right


def pinv_tangent(A_t: Tensor, A: Tensor, result: Tensor) -> Tensor:
    """As pinv_grad."""
    P, ah = result, adjoint(A_t)
    ph = adjoint(P)
    first = P @ ph @ (ah - (ah @ A) @ P)
    second = (ah - P @ (A @ ah)) @ ph @ P
    return -(P @ A_t @ P) + first + second


derivative("linalg_pinv", A=lambda grad, A, result: pinv_grad(grad, A, result), jvp=pinv_tangent)


# ---- least squares
def lstsq_grads(grads: Any, A: Tensor, B: Tensor, solution: Tensor, residuals: Tensor) -> Any:
    """X = pinv(A) B; the residuals do not change with X, which is where they are smallest."""
    P = wc.linalg_pinv(A, 0.0, threshold(A), False)
    by_b = adjoint(P) @ grads[0]
    by_a = pinv_grad(grads[0] @ adjoint(B), A, P)
    if residuals.numel():
        rest = (A @ solution - B) * (2 * grads[1].unsqueeze(-2))
        by_a, by_b = by_a + rest @ adjoint(solution), by_b - rest
    return by_a, by_b


def threshold(A: Tensor) -> float:
    """eps * max(m, n): as linalg.pinv and linalg.lstsq have it."""
    eps = 2.0**-52 if A.dtype in (wc.float64, wc.complex128) else 2.0**-23
    return eps * max(A.shape[-2:])


def lstsq_tangent(A_t: Tensor, B_t: Tensor, A: Tensor, B: Tensor, solution: Tensor, residuals: Tensor) -> Any:
    """As lstsq_grads."""
    P = wc.linalg_pinv(A, 0.0, threshold(A), False)
    x_t = P @ B_t + pinv_tangent(A_t, A, P) @ B
    r_t = wc.zeros_like(residuals)
    if residuals.numel():
        rest = A @ solution - B
        moved = A_t @ solution - B_t
        product = rest.conj() * moved
        r_t = (wc.view_as_real(product).select(-1, 0) if product.is_complex() else product).sum(-2) * 2
    return x_t, r_t, None, None


derivative(
    "linalg_lstsq",
    joint=lstsq_grads,
    joint_inputs=("A", "B"),
    outputs=("solution", "residuals"),
    jvp=lstsq_tangent,
)
