"""Decompositions, and systems with their factors."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy import errors
from wengert_numpy.autograd_scipy.dispatch import floating, for_tensors
from wengert_numpy.autograd_scipy.linalg.solvers import (
    TRANSPOSES,
    columns,
    like_side,
    require_square,
    solve_triangular,
    transposed_matrix,
)
from wengert_numpy.operands import to_tensor

_linalg = import_module("scipy.linalg")

# ---- Cholesky


@for_tensors(_linalg.cholesky)
def cholesky(a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """Return the factor u with a = u^H u, or with ``lower`` l with a = l l^H; one triangle is read."""
    (a,) = floating(a, name="cholesky")
    require_square(a)
    factor: Any = np.linalg.cholesky(a if lower else a.mH)
    return factor if lower else factor.mH


@for_tensors(_linalg.cho_factor)
def cho_factor(a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """Return the Cholesky factor and ``lower``; the other triangle is zero."""
    return cholesky.on_tensors(a, lower), lower


@for_tensors(_linalg.cho_solve)
def cho_solve(c_and_lower: Any, b: Any, overwrite_b: bool = False, check_finite: bool = True) -> Any:
    """Return x with a x = b by a Cholesky factor of a."""
    factor, lower = c_and_lower
    first = solve_triangular.on_tensors(factor, b, "N" if lower else "C", lower)
    return solve_triangular.on_tensors(factor, first, "C" if lower else "N", lower)


# ---- LU and QR


@for_tensors(_linalg.lu)
def lu(
    a: Any, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True, p_indices: bool = False
) -> Any:
    """Return p, l, u with a = p l u, or with ``permute_l`` p l and u."""
    (a,) = floating(a, name="lu")
    p, lower, upper = wg.linalg.lu(a)
    if permute_l:
        return p @ lower, upper
    return (wg.argmax(p, dim=-1) if p_indices else p.real if p.is_complex() else p), lower, upper


@for_tensors(_linalg.lu_factor)
def lu_factor(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """Return l and u in one matrix, and the rows with which rows were exchanged, counted from 0."""
    (a,) = floating(a, name="lu_factor")
    factors, pivots = wg.linalg.lu_factor(a)
    return factors, pivots - 1


@for_tensors(_linalg.lu_solve)
def lu_solve(lu_and_piv: Any, b: Any, trans: Any = 0, overwrite_b: bool = False, check_finite: bool = True) -> Tensor:
    """Return x with a x = b, a^T x = b or a^H x = b by the result of lu_factor."""
    factors, b = floating(lu_and_piv[0], b, name="lu_solve")
    transposed_matrix(factors, trans, "lu_solve")  # for its error
    pivots = to_tensor(lu_and_piv[1]).to(wg.int32) + 1
    kind = TRANSPOSES[trans]
    side = columns(b)
    if kind == 1 and factors.is_complex():  # a^T x = b is a^H conj(x) = conj(b)
        return like_side(wg.linalg.lu_solve(factors, pivots, side.conj(), adjoint=True).conj(), b)
    return like_side(wg.linalg.lu_solve(factors, pivots, side, adjoint=kind > 0), b)


@for_tensors(_linalg.qr)
def qr(
    a: Any, overwrite_a: bool = False, lwork: Any = None, mode: str = "full", pivoting: bool = False,
    check_finite: bool = True,
) -> Any:  # fmt: skip
    """Return q and r with a = q r; of mode "r" r alone, in a tuple."""
    if pivoting:
        raise errors.unsupported_argument("qr", "pivoting", pivoting, "use pivoting=False, or lu")
    (a,) = floating(a, name="qr")
    modes = {"full": "complete", "r": "complete", "economic": "reduced"}
    if mode not in modes:
        if mode == "raw":
            raise errors.unsupported_argument("qr", "mode", mode, 'use "full", "r" or "economic"')
        raise ValueError("Mode argument should be one of ['full', 'r','economic', 'raw']")
    q, r = wg.linalg.qr(a, mode=modes[mode])
    return (r,) if mode == "r" else (q, r)


# ---- eigenvalues and singular values


@for_tensors(_linalg.eigh)
def eigh(
    a: Any, b: Any = None, *, lower: bool = True, eigvals_only: bool = False, overwrite_a: bool = False,
    overwrite_b: bool = False, type: int = 1, check_finite: bool = True, subset_by_index: Any = None,
    subset_by_value: Any = None, driver: Any = None,
) -> Any:  # fmt: skip
    """Return eigenvalues, in rising order, and eigenvectors of a Hermitian matrix, or of a pair of them."""
    if subset_by_value is not None:
        raise errors.unsupported_argument("eigh", "subset_by_value", subset_by_value, "select with a mask afterwards")
    if type not in (1, 2, 3):
        raise ValueError('"type" keyword only accepts 1, 2, and 3.')
    first, last = (0, None) if subset_by_index is None else (subset_by_index[0], subset_by_index[1] + 1)
    triangle: Any = "L" if lower else "U"
    if b is None:
        (a,) = floating(a, name="eigh")
        require_square(a)
        values, vectors = np.linalg.eigh(a, triangle)
    else:
        a, b = floating(a, b, name="eigh")
        values, vectors = generalized_eigh(a, b, lower, type)
    values = values[..., first:last]
    return values if eigvals_only else (values, vectors[..., first:last])


def generalized_eigh(a: Any, b: Any, lower: bool, kind: int) -> Any:
    """Return eigenvalues and eigenvectors of a v = w b v (1), a b v = w v (2) or b a v = w v (3)."""
    require_square(a)
    require_square(b)
    if not lower:
        a, b = a.mH, b.mH
    factor: Any = np.linalg.cholesky(b)
    whole = wg.tril(a) + wg.tril(a, -1).mH
    if kind == 1:
        left = wg.linalg.solve_triangular(factor, whole, upper=False)
        standard = wg.linalg.solve_triangular(factor, left.mH, upper=False).mH
    else:
        standard = factor.mH @ whole @ factor
    system: Any = np.linalg.eigh(standard)
    values, vectors = system
    if kind == 3:
        return values, factor @ vectors
    return values, wg.linalg.solve_triangular(factor.mH, vectors, upper=True)


@for_tensors(_linalg.eigvalsh)
def eigvalsh(a: Any, b: Any = None, *, lower: bool = True, **options: Any) -> Any:
    """Return the eigenvalues of a Hermitian matrix, or of a pair of them, in rising order."""
    return eigh.on_tensors(a, b, lower=lower, eigvals_only=True, **options)


@for_tensors(_linalg.eig)
def eig(
    a: Any, b: Any = None, left: bool = False, right: bool = True, overwrite_a: bool = False,
    overwrite_b: bool = False, check_finite: bool = True, homogeneous_eigvals: bool = False,
) -> Any:  # fmt: skip
    """Return complex eigenvalues and right eigenvectors of length 1."""
    refuse_pairs("eig", b, left, homogeneous_eigvals)
    (a,) = floating(a, name="eig")
    require_square(a)
    values, vectors = wg.linalg.eig(a)
    return (values, vectors) if right else values


@for_tensors(_linalg.eigvals)
def eigvals(
    a: Any, b: Any = None, overwrite_a: bool = False, check_finite: bool = True, homogeneous_eigvals: bool = False
) -> Any:
    """Return complex eigenvalues."""
    refuse_pairs("eigvals", b, False, homogeneous_eigvals)
    (a,) = floating(a, name="eigvals")
    require_square(a)
    return wg.linalg.eigvals(a)


def refuse_pairs(name: str, b: Any, left: bool, homogeneous: bool) -> None:
    """Raise TypeError for what tensors do not have of eig."""
    if b is not None:
        raise errors.unsupported_argument(name, "b", b, "give solve(b, a) for a, or use eigh")
    if left:
        raise errors.unsupported_argument(name, "left", left, "call it on the adjoint of a")
    if homogeneous:
        raise errors.unsupported_argument(name, "homogeneous_eigvals", homogeneous, "leave it out")


@for_tensors(_linalg.svd)
def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, overwrite_a: bool = False, check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> Any:  # fmt: skip
    """Return u, s, vh with a = u diag(s) vh, or the singular values alone."""
    (a,) = floating(a, name="svd")
    if not compute_uv:
        return wg.linalg.svdvals(a)
    return tuple(wg.linalg.svd(a, full_matrices=full_matrices))


@for_tensors(_linalg.svdvals)
def svdvals(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Tensor:
    """Return the singular values, in falling order."""
    (a,) = floating(a, name="svdvals")
    return wg.linalg.svdvals(a)


FUNCTIONS = (cholesky, cho_factor, cho_solve, lu, lu_factor, lu_solve, qr, eigh, eigvalsh, eig, eigvals, svd, svdvals)
"""The functions of this module that ``wengert.scipy.linalg`` has."""
