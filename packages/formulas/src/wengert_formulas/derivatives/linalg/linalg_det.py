"""Derivatives of determinants, of singular matrices too."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.drivers.pointwise.pointwise_checks import is_batched, is_constant
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE, imag
from wengert_formulas.derivatives.linalg.matmul import adjoint

derivative = TABLE.derivative


def column(x: Tensor) -> Tensor:
    """Numbers of a batch as 1 x 1 matrices."""
    return x.unsqueeze(-1).unsqueeze(-1)


def size_of(x: Tensor) -> Tensor:
    """The Frobenius norms of a batch."""
    return x.detach().abs().square().sum((-2, -1)).sqrt()


def inverse_by(A: Tensor, LU: Tensor, pivots: Tensor) -> Tensor:
    """A^-H: from its factors, which are constants, or where derivatives by A are asked for from A."""
    if not is_constant(A):
        return adjoint(wc.linalg_inv_ex(A)[0])
    return wc.linalg_lu_solve(LU, pivots, wc.eye(A.shape[-1], dtype=A.dtype, device=A.device), adjoint=True)


def cofactors(A: Tensor, result: Tensor, LU: Tensor, pivots: Tensor) -> Tensor:
    """The conjugate of d det / dA, det A^-T, or what that is in the limit for a (nearly) singular matrix."""
    inverse = inverse_by(A, LU, pivots)
    if (size_of(A) * size_of(inverse) < (1e4 if A.dtype in (wc.float32, wc.complex64) else 1e6)).all().item():
        return column(result.conj()) * inverse
    return near_singular(A, result).conj()


def near_singular(A: Tensor, result: Tensor) -> Tensor:
    """d det / dA where an A^-1 may be wrong."""
    u, s, vh = wc.linalg_svd(A.detach(), False, True)
    top = s.narrow(-1, 0, 1)
    top = wc.where(top == 0, 1, top)
    small = s * 1e3 <= top
    bad = is_bad(s / top, small)
    if not bad.any().item():
        return column(result) * wc.linalg_inv_ex(A)[0].mT
    k = int(wc.where(bad, small.sum(-1), 1).max().item())
    n = s.shape[-1]
    found = adjugate(A, u.narrow(-1, n - k, k) * top.unsqueeze(-1), vh.narrow(-2, n - k, k)).mT
    if bad.all().item():
        return found
    regular = wc.where(column(bad), wc.eye(n, dtype=A.dtype, device=A.device), A)
    return wc.where(column(bad), found, column(wc.where(bad, 1, result)) * wc.linalg_inv_ex(regular)[0].mT)


def is_bad(ratios: Tensor, small: Tensor) -> Tensor:
    """Which matrices ``adjugate`` serves better than det A^-1.

    The error of adjugate is that of its largest terms, where nothing is small; that of det A^-1 and its derivatives
    has the condition number as a factor, but is relative to a result that is the product of all small values but one.
    ratios: the singular values over the largest; what is below rounding is 0.
    """
    n = ratios.shape[-1]
    others, last = wc.where(small, ratios, 1).narrow(-1, 0, n - 1).prod(-1), ratios.select(-1, n - 1)
    return small.select(-1, n - 1) & ((others >= last) | (last <= n * wc.finfo(ratios.dtype).eps))


def adjugate(A: Tensor, x: Tensor, yh: Tensor) -> Tensor:
    """det(A) A^-1, which is a polynomial, for A of any rank.

    B = A + X Y^H is well conditioned when X and Y span the singular vectors of small values. With M = 1 - Y^H B^-1 X, a
    matrix as large as there are such values, det A = det B det M, and
    adj A = det B (det M B^-1 + B^-1 X adj M Y^H B^-1). X and Y are constants, so derivatives of every order are right.
    """
    b = A + x @ yh
    inverse = wc.linalg_inv_ex(b)[0]
    det_m, adj_m = small_adjugate(wc.eye(x.shape[-1], dtype=A.dtype, device=A.device) - yh @ inverse @ x)
    return column(wc.linalg_det(b)[0]) * (column(det_m) * inverse + inverse @ x @ adj_m @ yh @ inverse)


def small_adjugate(M: Tensor) -> tuple[Tensor, Tensor]:
    """(det M, adj M) without a division by M. Source: Faddeev and LeVerrier's recursion."""
    k = M.shape[-1]
    one = wc.eye(k, dtype=M.dtype, device=M.device)
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
    A=lambda grad, A, result, LU, pivots: column(grad) * cofactors(A, result, LU, pivots),
    outputs=("result",),
    jvp=lambda A_t, A, result, LU, pivots: (
        (cofactors(A, result, LU, pivots).conj() * A_t).sum((-2, -1)), None, None
    ),
)


def slogdet_grad(grads: Any, A: Tensor, sign: Tensor, LU: Tensor, pivots: Tensor) -> Tensor:
    """d log|det| is Re tr(A^-1 dA); the phase of a complex one turns with Im tr(A^-1 dA)."""
    by_sign, by_log = grads
    if A.is_complex():
        by_log = wc.complex(by_log, -imag(by_sign.conj() * sign))
    idle = (sign == 0) & (by_log == 0)  # a singular matrix that takes no part
    gradient = column(by_log) * inverse_by(A, LU, pivots)
    return wc.where(column(idle), 0, gradient) if is_batched(idle) or idle.any() else gradient


def slogdet_tangent(A_t: Tensor, A: Tensor, sign: Tensor, LU: Tensor, pivots: Tensor) -> Any:
    """The tangents of the sign and of the logarithm."""
    moved = (inverse_by(A, LU, pivots).conj() * A_t).sum((-2, -1))
    if not A.is_complex():
        return wc.zeros_like(sign), moved, None, None
    parts = wc.view_as_real(moved)
    return sign * (parts.select(-1, 1) * 1j), parts.select(-1, 0), None, None


derivative("linalg_slogdet", A=slogdet_grad, outputs=("sign", "logabsdet"), jvp=slogdet_tangent)
