"""NumPy's LAPACK in an array's own dtype, with NaN where a matrix of a batch has no result.

``numpy.linalg`` works in double precision, fails as a whole when one matrix does, and takes several times as long as a
small matrix itself. What it calls, its generalized ufuncs, does none of this, but is not public: where one is missing,
and with WENGERT_KERNELS=python, ``numpy.linalg`` is called instead, matrix by matrix when it fails.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from wengert_core.runtime.blas_lookup import OneThread
from wengert_core.runtime.config import only_references

GUFUNCS: Any = None if only_references() else getattr(np.linalg, "_umath_linalg", None)

SMALL = 64
FEW, LARGE = 16, 160
"""Columns up to which BLAS takes one thread by itself, and from which on a matrix is worth several."""


def call(xp: Any, name: str, plain: Callable[..., Any], a: Any, *others: Any) -> Any:
    """The generalized ufunc of that name, or ``plain``, on a batch of matrices (and what goes with each)."""
    gufunc = getattr(GUFUNCS, name, None) if xp is np else None
    if gufunc is not None:
        if a.shape[-1] <= FEW or a.shape[-1] > LARGE:
            return gufunc(a, *others)
        with OneThread():
            return gufunc(a, *others)
    try:
        return plain(a, *others)
    except np.linalg.LinAlgError:
        return one_by_one(xp, plain, a, *others)


def one_by_one(xp: Any, plain: Callable[..., Any], a: Any, *others: Any) -> Any:
    """``plain`` of each matrix, NaN where it fails. others: matrices whose batches broadcast."""
    batch = xp.broadcast_shapes(*[x.shape[:-2] for x in (a, *others)])
    flat = [xp.broadcast_to(x, (*batch, *x.shape[-2:])).reshape(-1, *x.shape[-2:]) for x in (a, *others)]
    missing = plain(xp.eye(*a.shape[-2:], dtype=a.dtype), *[x[0] for x in flat[1:]])
    several = isinstance(missing, tuple)
    rows = []
    for members in zip(*flat, strict=True):
        try:
            parts = plain(*members)
        except np.linalg.LinAlgError:
            parts = tuple(x * xp.nan for x in missing) if several else missing * xp.nan
        rows.append(parts if several else (parts,))
    results = tuple(xp.stack(part).reshape(*batch, *part[0].shape) for part in zip(*rows, strict=True))
    return results if several else results[0]


def inv(xp: Any, a: Any) -> Any:
    """The inverse."""
    return call(xp, "inv", xp.linalg.inv, a)


def solve(xp: Any, a: Any, b: Any) -> Any:
    """x of a x = b, of matrices."""
    return call(xp, "solve", xp.linalg.solve, a, b)


def slogdet(xp: Any, a: Any) -> Any:
    """(sign, log |det|)."""
    return call(xp, "slogdet", lambda x: tuple(xp.linalg.slogdet(x)), a)


def cholesky(xp: Any, a: Any, upper: bool) -> Any:
    """The factor: L, or U for upper."""
    return call(xp, "cholesky_up" if upper else "cholesky_lo", lambda x: xp.linalg.cholesky(x, upper=upper), a)


def qr(xp: Any, a: Any, mode: str) -> Any:
    """(Q, R), or R alone for mode "r": in double precision, the only one it has."""
    made = reflectors(xp, a) if xp is np and hasattr(GUFUNCS, "qr_r_raw") else None
    if made is None:
        return xp.linalg.qr(a, mode=mode)
    packed, tau = made
    m, n = a.shape[-2:]
    rows = m if mode == "complete" else min(m, n)
    r = upper_triangle(xp, packed[..., :rows, :]).astype(a.dtype)
    if mode == "r":
        return r
    gufunc = GUFUNCS.qr_complete if mode == "complete" and m > n else GUFUNCS.qr_reduced
    return gufunc(packed, tau).astype(a.dtype), r


def reflectors(xp: Any, a: Any) -> Any:
    """(packed, tau): Householder's reflections in double precision, as LAPACK leaves them."""
    packed = a.astype(xp.result_type(a.dtype, xp.float64))
    return packed, GUFUNCS.qr_r_raw(packed)


def upper_triangle(xp: Any, x: Any, above: int = 0) -> Any:
    """xp.triu, in a third of its time for small matrices."""
    m, n = x.shape[-2:]
    return xp.triu(x, above) if max(m, n) > SMALL else xp.where(xp.asarray(upper_part(m, n, above)), x, 0)


@functools.lru_cache(256)
def upper_part(m: int, n: int, above: int) -> Any:
    """Where the upper triangle of an m x n matrix is."""
    return np.triu(np.ones((m, n), bool), above)


def eigh(xp: Any, a: Any, uplo: str) -> Any:
    """(eigenvalues, eigenvectors) of a Hermitian matrix."""
    return call(xp, "eigh_lo" if uplo == "L" else "eigh_up", lambda x: tuple(xp.linalg.eigh(x, uplo)), a)


def eigvalsh(xp: Any, a: Any, uplo: str) -> Any:
    """The eigenvalues of a Hermitian matrix."""
    return call(xp, "eigvalsh_lo" if uplo == "L" else "eigvalsh_up", lambda x: xp.linalg.eigvalsh(x, uplo), a)


def eig(xp: Any, a: Any) -> Any:
    """(eigenvalues, eigenvectors), complex in the precision of ``a``."""
    dtype = xp.result_type(a.dtype, xp.complex64)
    values, vectors = call(xp, "eig", lambda x: tuple(xp.linalg.eig(x)), a)
    return values.astype(dtype), vectors.astype(dtype)


def svd(xp: Any, a: Any, full_matrices: bool, vectors: bool = True) -> Any:
    """(U, S, Vh), without ``vectors`` empty but for S; NaN where a number is not finite: LAPACK may never end then."""
    finite = xp.isfinite(a).all((-2, -1))
    whole = bool(finite.all())
    a = a if whole else xp.where(finite[..., None, None], a, 0)
    if vectors:
        name = "svd_f" if full_matrices else "svd_s"
        u, values, vh = call(xp, name, lambda x: tuple(xp.linalg.svd(x, full_matrices=full_matrices)), a)
    else:
        values = call(xp, "svd", lambda x: xp.linalg.svd(x, compute_uv=False), a)
        u = vh = xp.empty(0, a.dtype)
    if whole:
        return u, values, vh
    if vectors:
        u, vh = (xp.where(finite[..., None, None], x, xp.nan) for x in (u, vh))
    return u, xp.where(finite[..., None], values, xp.nan), vh
