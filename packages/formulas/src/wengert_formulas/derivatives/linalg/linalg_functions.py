"""Derivatives of the exponential of matrices and of products of reflections."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE
from wengert_formulas.derivatives.linalg.matmul import adjoint

derivative = TABLE.derivative


# ---- exponential
def exponential_along(A: Tensor, direction: Tensor) -> Tensor:
    """The derivative of exp(A) along a direction: the upper right block of exp([[A, D], [0, A]]).

    Source: Najfeld and Havel, Derivatives of the matrix exponential and their computation, Adv. Appl. Math. 16 (1995).
    """
    n = A.shape[-1]
    above = wc.cat([A, direction], -1)
    below = wc.cat([wc.zeros_like(A), A], -1)
    return wc.linalg_matrix_exp(wc.cat([above, below], -2)).narrow(-2, 0, n).narrow(-1, n, n)


derivative(
    "linalg_matrix_exp",
    A=lambda grad, A: exponential_along(adjoint(A), grad),
    jvp=lambda A_t, A: exponential_along(A, A_t),
)


# ---- products of reflections: each is x - f v (v^H x), f its number of tau
def reflections(input: Tensor, tau: Tensor, adjoint_: bool) -> tuple[list[Tensor], list[Tensor]]:
    """The columns v, and the factors f as matrices of one element."""
    v = input.tril(-1) + wc.eye(*input.shape[-2:], dtype=input.dtype, device=input.device)
    factors = (tau.conj() if adjoint_ else tau).unsqueeze(-1).unsqueeze(-1)
    each = range(tau.shape[-1])
    return [v.narrow(-1, i, 1) for i in each], [factors.select(-3, i) for i in each]


def apply_reflections(v: list[Tensor], f: list[Tensor], x: Tensor, order: list[int]) -> list[Tensor]:
    """x, and what it is after each of the reflections."""
    after = [x]
    for i in order:
        after.append(after[-1] - f[i] * (v[i] @ (adjoint(v[i]) @ after[-1])))
    return after


def reflections_grads(
    grad: Tensor, input: Tensor, tau: Tensor, x: Tensor, order: list[int], adjoint_: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients by input, tau and x, from the last reflection to the first."""
    v, f = reflections(input, tau, adjoint_)
    states = apply_reflections(v, f, x, order)
    by_v, by_f = [wc.zeros_like(each) for each in v], [wc.zeros_like(each) for each in f]
    for before, i in zip(states[-2::-1], reversed(order), strict=True):
        seen, pulled = adjoint(v[i]) @ before, adjoint(v[i]) @ grad
        by_f[i] = -(pulled * seen.conj()).sum(-1, keepdim=True)
        by_v[i] = -(f[i].conj() * (grad @ adjoint(seen)) + f[i] * (before @ adjoint(pulled)))
        grad = grad - f[i].conj() * (v[i] @ pulled)
    if not order:
        return wc.zeros_like(input), wc.zeros_like(tau), grad
    rest = input.shape[-1] - len(v)
    columns = [*by_v, input.new_zeros((*input.shape[:-1], rest))] if rest else by_v
    by_tau = wc.cat(by_f, -1).squeeze(-2)
    return wc.cat(columns, -1).tril(-1), by_tau.conj() if adjoint_ else by_tau, grad


def reflections_tangent(
    input_t: Tensor, tau_t: Tensor, x_t: Tensor, input: Tensor, tau: Tensor, x: Tensor, order: list[int],
    adjoint_: bool,
) -> Tensor:
    """The tangent after all reflections."""
    v, f = reflections(input, tau, adjoint_)
    moved = input_t.tril(-1)
    f_t = (tau_t.conj() if adjoint_ else tau_t).unsqueeze(-1).unsqueeze(-1)
    for before, i in zip(apply_reflections(v, f, x, order), order, strict=False):
        v_t, seen = moved.narrow(-1, i, 1), adjoint(v[i]) @ before
        by_v = v_t @ seen + v[i] @ (adjoint(v_t) @ before + adjoint(v[i]) @ x_t)
        x_t = x_t - f_t.select(-3, i) * (v[i] @ seen) - f[i] * by_v
    return x_t


def one_like(input: Tensor) -> Tensor:
    """The matrix with ones on its diagonal that the reflections start from."""
    return wc.eye(*input.shape[-2:], dtype=input.dtype, device=input.device).expand(input.shape)


def backwards(tau: Tensor) -> list[int]:
    """The reflections from the last to the first."""
    return list(range(tau.shape[-1]))[::-1]


derivative(
    "linalg_householder_product",
    joint=lambda grad, input, tau: reflections_grads(grad, input, tau, one_like(input), backwards(tau), False)[:2],
    joint_inputs=("input", "tau"),
    jvp=lambda input_t, tau_t, input, tau: reflections_tangent(
        input_t, tau_t, wc.zeros_like(input), input, tau, one_like(input), backwards(tau), False
    ),
)


def ormqr_order(input2: Tensor, left: bool, transpose: bool) -> list[int]:
    """In which order the reflections come."""
    return backwards(input2)[::-1] if transpose == left else backwards(input2)


def ormqr_grads(grad: Tensor, self: Tensor, input2: Tensor, input3: Tensor, left: bool, transpose: bool) -> Any:
    """Those of the reflections, from the left."""
    x, grad = (input3, grad) if left else (adjoint(input3), adjoint(grad))
    order = ormqr_order(input2, left, transpose)
    by_input, by_tau, by_x = reflections_grads(grad, self, input2, x, order, transpose == left)
    return by_input, by_tau, by_x if left else adjoint(by_x)


def ormqr_tangent(
    self_t: Tensor, input2_t: Tensor, input3_t: Tensor, self: Tensor, input2: Tensor, input3: Tensor, left: bool,
    transpose: bool,
) -> Tensor:
    """That of the reflections, from the left."""
    x, x_t = (input3, input3_t) if left else (adjoint(input3), adjoint(input3_t))
    order = ormqr_order(input2, left, transpose)
    moved = reflections_tangent(self_t, input2_t, x_t, self, input2, x, order, transpose == left)
    return moved if left else adjoint(moved)


derivative("ormqr", joint=ormqr_grads, joint_inputs=("self", "input2", "input3"), jvp=ormqr_tangent)
