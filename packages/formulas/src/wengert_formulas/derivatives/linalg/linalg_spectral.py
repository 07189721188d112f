"""Derivatives of eigenvalues, singular values, QR.

Vectors are determined up to a phase, so only what does not depend on it has a derivative: complex ones are checked.
"""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.drivers.pointwise.pointwise_checks import every_sample
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE, has_gradient, imag, real
from wengert_formulas.derivatives.linalg.matmul import adjoint

derivative = TABLE.derivative


def on_diagonal(x: Tensor) -> Tensor:
    """Matrices with x on the diagonal."""
    return wc.diag_embed(x)


def diagonal(x: Tensor) -> Tensor:
    """The diagonals of matrices."""
    return x.diagonal(0, -2, -1)


def skew(x: Tensor) -> Tensor:
    """x - x^H."""
    return x - adjoint(x)


def differences(values: Tensor) -> Tensor:
    """values[j] - values[i], and 1 for i = j."""
    one = wc.eye(values.shape[-1], dtype=wc.bool, device=values.device)
    return wc.where(one, 1, values.unsqueeze(-2) - values.unsqueeze(-1))


def check_phase(op: str, quantity: Tensor, turned: Tensor, what: str) -> None:
    """RuntimeError when a gradient depends on the vectors' phases: when ``quantity``, which should be zero, is not.

    1e-2 is torch's measure; what rounding leaves of a large gradient ``turned`` is let through.
    """
    if quantity.numel():
        size, whole = (every_sample(x).detach().abs().max().item() for x in (quantity, turned))
        if size > 1e-2 + 1e-5 * whole:
            how = "phase term, making it ill-defined" if op == "svd" else "quantity, so it is ill-defined"
            raise RuntimeError(
                f"{op}_backward: The {what} in the complex case are specified up to multiplication by e^{{i phi}}. The "
                f"specified loss function depends on this {how}. Its derivative by the phase is {size:.3g}: use what "
                "no phase changes, as absolute values or products with adjoints."
            )


# ---- Hermitian matrices
def eigh_grad(grads: Any, A: Tensor, eigenvalues: Tensor, eigenvectors: Tensor, UPLO: str) -> Tensor:
    """V (diag(gL) + skew(V^H gV) / 2 (lambda_j - lambda_i)) V^H, which is Hermitian as A is meant to be."""
    by_values, by_vectors = grads
    v = eigenvectors if eigenvectors.ndim > 1 else wc.linalg_eigh(A, UPLO, True)[1]
    if not (eigenvectors.ndim > 1 and has_gradient(by_vectors)):
        return (v * by_values.unsqueeze(-2)) @ adjoint(v)
    turned = adjoint(v) @ by_vectors
    if v.is_complex():
        check_phase("linalg_eigh", imag(diagonal(turned)), turned, "eigenvectors")
    inner = skew(turned) * 0.5 / differences(eigenvalues)
    one = wc.eye(v.shape[-1], dtype=wc.bool, device=v.device)
    return v @ wc.where(one, on_diagonal(by_values.to(v.dtype)), inner) @ adjoint(v)


def eigh_tangent(A_t: Tensor, A: Tensor, eigenvalues: Tensor, eigenvectors: Tensor, UPLO: str) -> Any:
    """The diagonal of V^H dA V; V times what is beside it, divided by the differences of eigenvalues."""
    v = eigenvectors if eigenvectors.ndim > 1 else wc.linalg_eigh(A, UPLO, True)[1]
    moved = adjoint(v) @ ((A_t + adjoint(A_t)) * 0.5) @ v
    values = real(diagonal(moved))
    if eigenvectors.ndim == 1:
        return values, None
    one = wc.eye(v.shape[-1], dtype=wc.bool, device=v.device)
    return values, v @ wc.where(one, 0, moved / differences(eigenvalues))


derivative("linalg_eigh", A=eigh_grad, jvp=eigh_tangent)


# ---- any square matrices
def eig_grad(grads: Any, A: Tensor, eigenvalues: Tensor, eigenvectors: Tensor) -> Tensor:
    """V^-H (diag(gL) + (V^H gV - V^H V Re diag(V^H gV)) / conj(lambda_j - lambda_i)) V^H; real for a real A.

    Source: Boeddeker et al., On the computation of complex-valued gradients (2017), section 4.7 (vectors of length 1).
    """
    by_values, by_vectors = grads
    v = eigenvectors
    inner = on_diagonal(by_values)
    if has_gradient(by_vectors):
        turned = adjoint(v) @ by_vectors
        check_phase("linalg_eig", imag(diagonal(turned)), turned, "eigenvectors")
        turned = turned - (adjoint(v) @ v) * real(diagonal(turned)).unsqueeze(-2)
        one = wc.eye(v.shape[-1], dtype=wc.bool, device=v.device)
        inner = wc.where(one, inner, turned / differences(eigenvalues.conj()))
    result = wc.linalg_solve_ex(adjoint(v), inner @ adjoint(v))[0]
    return result if A.is_complex() else real(result)


def eig_tangent(A_t: Tensor, eigenvalues: Tensor, eigenvectors: Tensor) -> Any:
    """The diagonal of V^-1 dA V; vectors keep their length."""
    v = eigenvectors
    moved = wc.linalg_solve_ex(v, A_t.to(v.dtype) @ v)[0]
    one = wc.eye(v.shape[-1], dtype=wc.bool, device=v.device)
    turned = v @ wc.where(one, 0, moved / differences(eigenvalues))
    stretched = real(diagonal(adjoint(v) @ turned)).unsqueeze(-2)
    return diagonal(moved), turned - v * stretched


derivative("linalg_eig", A=eig_grad, jvp=eig_tangent)


# ---- singular values
def thin(A: Tensor, U: Tensor, S: Tensor, Vh: Tensor) -> tuple[Tensor, Tensor]:
    """U and Vh with as many vectors as there are singular values; computed when the op left them out."""
    if U.ndim < 2:
        U, S, Vh = wc.linalg_svd(A, False, True)
    k = S.shape[-1]
    return U.narrow(-1, 0, k), Vh.narrow(-2, 0, k)


def svd_grad(grads: Any, A: Tensor, U: Tensor, S: Tensor, Vh: Tensor) -> Tensor:
    """Source: J. Townsend, Differentiating the singular value decomposition (2016); the phase by invariance."""
    by_u, by_s, by_vh = grads
    u, vh = thin(A, U, S, Vh)
    if U.ndim < 2 or not (has_gradient(by_u) or has_gradient(by_vh)):
        return (u * by_s.unsqueeze(-2)) @ vh
    k = S.shape[-1]
    by_u, by_vh = by_u.narrow(-1, 0, k), by_vh.narrow(-2, 0, k)
    from_u, from_v = adjoint(u) @ by_u, vh @ adjoint(by_vh)
    square = S * S
    s_row, s_column = S.unsqueeze(-2), S.unsqueeze(-1)
    inner = (skew(from_u) * s_row + s_column * skew(from_v)) / differences(square)
    center = by_s.to(inner.dtype)
    if u.is_complex():
        turn = imag(diagonal(from_u))
        check_phase("svd", turn + imag(diagonal(from_v)), from_u, "singular vectors")
        center = wc.complex(by_s, turn / S)
    one = wc.eye(k, dtype=wc.bool, device=S.device)
    inner = wc.where(one, on_diagonal(center), inner)
    m, n = u.shape[-2], vh.shape[-1]
    if m > k:
        rest = (by_u - u @ from_u) / s_row
        result = (u @ inner + rest) @ vh
    else:
        result = u @ inner @ vh
    if n > k:
        rest = (by_vh - adjoint(from_v) @ vh) / s_column
        result = result + u @ rest
    return result


def svd_tangent(A_t: Tensor, A: Tensor, U: Tensor, S: Tensor, Vh: Tensor) -> Any:
    """The phases of complex vectors turn as little as they can."""
    u, vh = thin(A, U, S, Vh)
    v = adjoint(vh)
    moved = adjoint(u) @ A_t @ v
    values = real(diagonal(moved))
    if U.ndim < 2:
        return None, values, None
    k, (m, n) = S.shape[-1], A.shape[-2:]
    s_row, s_column = S.unsqueeze(-2), S.unsqueeze(-1)
    gaps = differences(S * S)
    one = wc.eye(k, dtype=wc.bool, device=S.device)
    turn: Any = 0
    if u.is_complex():
        turn = on_diagonal(wc.complex(wc.zeros_like(S), imag(diagonal(moved)) / (S * 2)))
    by_u = wc.where(one, turn, (moved * s_row + s_column * adjoint(moved)) / gaps)
    by_v = wc.where(one, -turn, (s_column * moved + adjoint(moved) * s_row) / gaps)
    u_t, v_t = u @ by_u, v @ by_v
    if m > k:
        outside = A_t @ v
        u_t = u_t + (outside - u @ moved) / s_row
    if n > k:
        outside = adjoint(A_t) @ u
        v_t = v_t + (outside - v @ adjoint(moved)) / s_row
    return with_zeros(u_t, U), values, adjoint(with_zeros(v_t, adjoint(Vh)))


def with_zeros(x_t: Tensor, x: Tensor) -> Tensor:
    """The tangent with zeros for the vectors that full_matrices adds: they are not determined."""
    missing = x.shape[-1] - x_t.shape[-1]
    return x_t if not missing else wc.cat([x_t, wc.zeros_like(x.narrow(-1, 0, missing))], -1)


derivative("linalg_svd", A=svd_grad, jvp=svd_tangent)


# ---- QR
def check_qr(mode: str, m: int, n: int) -> None:
    """What has no derivative."""
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, "
            "mode='reduced') if you are going to differentiate through linalg.qr."
        )
    if mode == "complete" and m > n:
        raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols.")


def half_upper(x: Tensor) -> Tensor:
    """The upper triangle with half the diagonal."""
    n = x.shape[-1]
    return x * (x.new_ones((n, n)).triu() - wc.eye(n, dtype=x.dtype, device=x.device) * 0.5)


def qr_grad(grads: Any, A_shape: Any, Q: Tensor, R: Tensor, mode: str) -> Tensor:
    """(gQ + Q (N + N^H)) R^-H with N = half_upper(gR R^H - Q^H gQ); what is beside a square part depends on Q alone."""
    m, n = A_shape[-2:]
    check_qr(mode, m, n)
    by_q, by_r = grads
    if m >= n:
        return qr_square_grad(by_q, by_r, Q, R)
    beside, by_beside = R.narrow(-1, m, n - m), by_r.narrow(-1, m, n - m)
    by_q = by_q + Q @ beside @ adjoint(by_beside)
    first = qr_square_grad(by_q, by_r.narrow(-1, 0, m), Q, R.narrow(-1, 0, m))
    return wc.cat([first, Q @ by_beside], -1)


def qr_square_grad(by_q: Tensor, by_r: Tensor, q: Tensor, r: Tensor) -> Tensor:
    """For an R that is square."""
    by_vectors = has_gradient(by_q)
    inner = by_r @ adjoint(r)
    inner = half_upper(inner - adjoint(q) @ by_q if by_vectors else inner)
    inner = q @ (inner + adjoint(inner))
    inner = by_q + inner if by_vectors else inner
    return wc.linalg_solve_triangular(adjoint(r), inner, upper=False, left=False)


def qr_tangent(A_t: Tensor, Q: Tensor, R: Tensor, mode: str) -> Any:
    """C = dA R^-1: dR = T R with T = half_upper(Q^H C + C^H Q) and dQ = C - Q T."""
    m, n = A_t.shape[-2:]
    check_qr(mode, m, n)
    k = min(m, n)
    square = R.narrow(-1, 0, k)
    c = wc.linalg_solve_triangular(square, A_t.narrow(-1, 0, k), upper=True, left=False)
    turned = adjoint(Q) @ c
    t = half_upper(turned + adjoint(turned))
    q_t, r_t = c - Q @ t, t @ square
    if n > m:
        beside = adjoint(q_t) @ Q @ R.narrow(-1, m, n - m) + adjoint(Q) @ A_t.narrow(-1, m, n - m)
        r_t = wc.cat([r_t, beside], -1)
    return q_t, r_t


derivative("linalg_qr", A=qr_grad, jvp=qr_tangent)


def no_derivative(grad: Tensor) -> Tensor:
    """torch has none either."""
    raise NotImplementedError("the derivative for 'geqrf' is not implemented. Use linalg.qr, which has one.")


derivative("_geqrf", input=no_derivative, jvp=lambda input_t: no_derivative(input_t))
