"""Decompositions of numpy.linalg: Cholesky, QR, singular values, eigenvalues."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.linalg.linear_algebra import (
    NOT_CONVERGED,
    RESULTS,
    LinAlgError,
    hermitian_matrix,
    hermitian_svd,
    is_true,
    matrices,
    real_dtype,
    run,
)
from wengert_numpy.functions.table import implements
from wengert_numpy.operands import FROM_NUMPY, numpy_dtype


@implements("linalg.cholesky")
def cholesky(a: Any, /, *, upper: bool = False) -> Any:
    """Return the Cholesky factor of Hermitian matrices, of which one triangle is read, that of the factor."""
    t, dtype = matrices(a, "linalg.cholesky")
    t = hermitian_matrix(t, "U" if upper else "L")
    return run("Matrix is not positive definite", wg.linalg.cholesky, t, upper=bool(upper)).to(dtype)


@implements("linalg.qr")
def qr(a: Any, mode: str = "reduced") -> Any:
    """Return Q and R, R alone for mode="r", the reflectors and their factors for mode="raw"."""
    if mode not in ("reduced", "complete", "r", "raw"):
        raise ValueError(f"Unrecognized mode '{mode}'")
    t, dtype = matrices(a, "linalg.qr", square=False)
    m, n = t.shape[-2:]
    if mode == "raw":
        reflectors, factors = wg.geqrf(t)
        return reflectors.mT.to(dtype), factors.to(dtype)
    q, r = wg.linalg.qr(t, "reduced")
    if mode == "r":  # the op's own mode "r" has no derivative
        return r.to(dtype)
    if mode == "complete" and m > n:  # nor has its mode "complete"
        q = complete_basis(q, wg.linalg.qr(t.detach(), "complete").Q[..., n:])
        r = wg.cat([r, wg.zeros((*t.shape[:-2], m - n, n), dtype=r.dtype, device=r.device)], dim=-2)
    return RESULTS.QRResult(q.to(dtype), r.to(dtype))


def complete_basis(q: Tensor, rest: Tensor) -> Tensor:
    """Return orthonormal columns together with the rest of a basis, which is a constant: any one would do.

    Its columns stay orthogonal to ``q``, and orthonormal, wherever ``q`` goes. So whatever depends on the space that
    they span alone, as their projection does, has its derivative, of any order.
    """
    rest = rest - q @ (q.mH @ rest)
    scale = wg.linalg.inv(wg.linalg.cholesky(rest.mH @ rest)).mH
    return wg.cat([q, rest @ scale], dim=-1)


@implements("linalg.svd")
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """Return U, S and Vh, S alone for compute_uv=False."""
    t, dtype = matrices(a, "linalg.svd", square=hermitian)
    real = real_dtype(dtype)
    if not compute_uv:
        s = hermitian_svdvals(t) if hermitian else run("SVD did not converge", wg.linalg.svdvals, t)
        return s.to(real)
    if hermitian:
        u, s, vh = hermitian_svd(t)
    else:
        u, s, vh = run("SVD did not converge", wg.linalg.svd, t, full_matrices=bool(full_matrices))
        n = s.shape[-1]
        if n < u.shape[-1]:
            u = complete_basis(u[..., :n], u[..., n:].detach())
        if n < vh.shape[-2]:
            vh = complete_basis(vh[..., :n, :].mH, vh[..., n:, :].mH.detach()).mH
    return RESULTS.SVDResult(u.to(dtype), s.to(real), vh.to(dtype))


def hermitian_svdvals(t: Tensor) -> Tensor:
    """Return the singular values of Hermitian matrices: the absolute eigenvalues, the largest one first."""
    values = run(NOT_CONVERGED, wg.linalg.eigvalsh, hermitian_matrix(t, "L"))
    return wg.flip(wg.sort(wg.abs(values), dim=-1).values, (-1,))


@implements("linalg.svdvals")
def svdvals(x: Any, /) -> Any:
    """Return the singular values."""
    return svd(x, compute_uv=False)


@implements("linalg.eigh")
def eigh(a: Any, UPLO: str = "L") -> Any:
    """Return the eigenvalues and eigenvectors of Hermitian matrices, of which the triangle ``UPLO`` is read."""
    t, dtype, uplo = hermitian_operand(a, UPLO, "linalg.eigh")
    values, vectors = run(NOT_CONVERGED, wg.linalg.eigh, t, uplo)
    return RESULTS.EighResult(values.to(real_dtype(dtype)), vectors.to(dtype))


@implements("linalg.eigvalsh")
def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    """Return the eigenvalues of Hermitian matrices, of which the triangle ``UPLO`` is read."""
    t, dtype, uplo = hermitian_operand(a, UPLO, "linalg.eigvalsh")
    return run(NOT_CONVERGED, wg.linalg.eigvalsh, t, uplo).to(real_dtype(dtype))


def hermitian_operand(a: Any, uplo: str, name: str) -> tuple[Tensor, Any, str]:
    """Return an operand as Hermitian matrices, the dtype of results, and the triangle."""
    uplo = uplo.upper()
    if uplo not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    t, dtype = matrices(a, name)
    return hermitian_matrix(t, uplo), dtype, uplo


@implements("linalg.eig")
def eig(a: Any) -> Any:
    """Return the eigenvalues and eigenvectors of general matrices: real ones where all are real, as in NumPy."""
    t, dtype = matrices(a, "linalg.eig")
    require_finite(t)
    values, vectors = run(NOT_CONVERGED, wg.linalg.eig, t)
    dtype, part = spectrum_dtype(t, values, dtype)
    return RESULTS.EigResult(part(values).to(dtype), part(vectors).to(dtype))


@implements("linalg.eigvals")
def eigvals(a: Any) -> Any:
    """Return the eigenvalues of general matrices: real ones where all are real, as in NumPy."""
    t, dtype = matrices(a, "linalg.eigvals")
    require_finite(t)
    values = run(NOT_CONVERGED, wg.linalg.eigvals, t)
    dtype, part = spectrum_dtype(t, values, dtype)
    return part(values).to(dtype)


def require_finite(t: Tensor) -> None:
    """Raise LinAlgError for matrices that hold infinities or NaN."""
    if not is_true(wg.isfinite(t).all()):
        raise LinAlgError("Array must not contain infs or NaNs")


def spectrum_dtype(t: Tensor, values: Tensor, dtype: Any) -> tuple[Any, Callable[[Tensor], Tensor]]:
    """Return the dtype of eigenvalues and eigenvectors, and the function that takes the part of them that NumPy
    returns: real parts for real matrices all of whose eigenvalues are real.
    """
    if not t.dtype.is_complex and not is_true((values.imag != 0).any()):
        return dtype, wg.real
    return FROM_NUMPY[np.result_type(numpy_dtype(dtype), np.complex64)], wg.positive
