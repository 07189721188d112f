"""Derivatives of some eigenpairs of symmetric matrices, A X = B X diag(E) with X^T B X = 1 (lobpcg).

A vector's derivative has a part within the pairs that are known, as of eigh, and one beside them, for which a matrix is
solved for each pair: A - e B, made regular on the known vectors.
"""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE, has_gradient
from wengert_formulas.derivatives.linalg.linalg_spectral import differences, on_diagonal


def solve_off_span(A: Tensor, B: Tensor, E: Tensor, X: Tensor, right: Tensor) -> Tensor:
    """For each pair the z with (A - e B) z = what of its column of ``right`` is not along B X; X^T B z = 0."""
    bx = B @ X
    outside = right - bx @ (X.mT @ right)
    scale = E.abs().amax(-1, keepdim=True).unsqueeze(-1)
    known = on_diagonal(scale - (E.unsqueeze(-2) - E.unsqueeze(-1)))
    raised = bx.unsqueeze(-3) @ known @ bx.mT.unsqueeze(-3)
    shifted = A.unsqueeze(-3) - E.unsqueeze(-1).unsqueeze(-1) * B.unsqueeze(-3) + raised
    return wc.linalg_solve_ex(shifted, outside.mT.unsqueeze(-1))[0].squeeze(-1).mT


def within(E: Tensor, turned: Tensor) -> Tensor:
    """turned[i, j] / (e_j - e_i), and 0 for i = j."""
    one = wc.eye(E.shape[-1], dtype=wc.bool, device=E.device)
    return wc.where(one, 0, turned / differences(E))


def symmetric(x: Tensor) -> Tensor:
    """(x + x^T) / 2."""
    return (x + x.mT) * 0.5


def pairs_grad(grads: Any, A: Tensor, B: Tensor, E: Tensor, X: Tensor) -> Tensor:
    """The cotangent of dA X, column by column, times X^T."""
    return symmetric(sylvester_cotangent(grads, A, B, E, X) @ X.mT)


def sylvester_cotangent(grads: Any, A: Tensor, B: Tensor, E: Tensor, X: Tensor) -> Tensor:
    """The cotangent of dA X - dB X diag(E)."""
    by_values, by_vectors = grads
    result = X * by_values.unsqueeze(-2)
    if has_gradient(by_vectors):
        result = result + X @ within(E, X.mT @ by_vectors) - solve_off_span(A, B, E, X, by_vectors)
    return result


def pairs_grad_b(grads: Any, A: Tensor, B: Tensor, E: Tensor, X: Tensor) -> Tensor:
    """As for A, times -e; and what keeps X^T B X = 1."""
    by_vectors = grads[1]
    inner = -sylvester_cotangent(grads, A, B, E, X) * E.unsqueeze(-2)
    if has_gradient(by_vectors):
        inner = inner - X * ((X * by_vectors).sum(-2, keepdim=True) * 0.5)
    return symmetric(inner @ X.mT)


def pairs_tangent(A_t: Tensor, B_t: Tensor, A: Tensor, B: Tensor, E: Tensor, X: Tensor) -> Any:
    """Of the values X^T (dA - e dB) X; of the vectors, as for the gradients."""
    moved_b = symmetric(B_t) @ X
    moved = symmetric(A_t) @ X - moved_b * E.unsqueeze(-2)
    turned = X.mT @ moved
    vectors = (
        X @ within(E, turned) - solve_off_span(A, B, E, X, moved) - X * ((X * moved_b).sum(-2, keepdim=True) * 0.5)
    )
    return turned.diagonal(0, -2, -1), vectors


TABLE.derivative("_eigenpairs", A=pairs_grad, B=pairs_grad_b, jvp=pairs_tangent, node="LOBPCGAutogradFunctionBackward")
