"""Derivatives of inverses, linear systems, triangular systems.

Source: M. Giles, Collected matrix derivative results for forward and reverse mode algorithmic differentiation (2008).
"""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.drivers.pointwise.pointwise_checks import is_constant
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE
from wengert_formulas.derivatives.linalg.matmul import adjoint

derivative = TABLE.derivative


def solve(A: Tensor, B: Tensor, left: bool = True) -> Tensor:
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


def solve_grads(
    grad: Tensor, A: Tensor, B_shape: Any, result: Tensor, LU: Tensor, pivots: Tensor, left: bool, needs: Any
) -> Any:
    """The gradients by A and B: that by B solves the adjoint system."""
    vector = is_vector(tuple(A.shape), B_shape)
    grad, x = (grad.unsqueeze(-1), result.unsqueeze(-1)) if vector else (grad, result)
    if is_constant(A):
        by_b = wc.linalg_lu_solve(LU, pivots, grad, left=left, adjoint=True)
    else:
        by_b = solve(adjoint(A), grad, left)
    by_a = None
    if needs[0]:
        by_a = -(by_b @ adjoint(x)) if left else -(adjoint(x) @ by_b)
    return by_a, by_b.squeeze(-1) if vector else by_b


def solve_tangent(
    A_t: Tensor, B_t: Tensor, A: Tensor, B_shape: Any, result: Tensor, LU: Tensor, pivots: Tensor, left: bool
) -> Any:
    """A dX = dB - dA X."""
    vector = is_vector(tuple(A.shape), B_shape)
    x, b = (result.unsqueeze(-1), B_t.unsqueeze(-1)) if vector else (result, B_t)
    rest = b - (A_t @ x if left else x @ A_t)
    moved = wc.linalg_lu_solve(LU, pivots, rest, left=left) if is_constant(A) else solve(A, rest, left)
    return (moved.squeeze(-1) if vector else moved), None, None, None


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


def old_grads(
    grads: Any, A: Tensor, solution: Tensor, upper: bool, transpose: bool, unitriangular: bool, needs: Any
) -> Any:
    """As those of solve_triangular, of A or its transpose, and the copy's."""
    matrix = A.mT if transpose else A
    by_a, by_b = triangular_grads(grads[0], matrix, solution, upper != transpose, True, unitriangular, needs[::-1])
    if by_a is not None:
        by_a = (by_a.mT if transpose else by_a) + grads[1]
    return by_b, by_a


def old_tangent(
    self_t: Tensor, A_t: Tensor, A: Tensor, solution: Tensor, upper: bool, transpose: bool, unitriangular: bool
) -> Any:
    """The tangents of the solution and of the copy."""
    matrix_t, matrix = (A_t.mT, A.mT) if transpose else (A_t, A)
    moved = triangular_tangent(matrix_t, self_t, matrix, solution, upper != transpose, True, unitriangular)
    return moved, A_t.expand(*solution.shape[:-2], *A.shape[-2:]).clone()


derivative(
    "triangular_solve",
    joint=old_grads,
    joint_inputs=("self", "A"),
    jvp=old_tangent,
)
derivative(
    "linalg_solve_triangular",
    joint=triangular_grads,
    joint_inputs=("A", "B"),
    jvp=triangular_tangent,
)
