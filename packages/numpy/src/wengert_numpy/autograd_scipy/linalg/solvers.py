"""Linear systems and inverses."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy import errors
from wengert_numpy.autograd_numpy.extend import defjvp_argnums, defvjp_argnums, primitive
from wengert_numpy.autograd_scipy.dispatch import floating, for_tensors

_linalg = import_module("scipy.linalg")

TRANSPOSES = {0: 0, 1: 1, 2: 2, "N": 0, "T": 1, "C": 2}
"""Values of ``trans``: the matrix itself, its transpose, its adjoint."""


def transposed_matrix(a: Tensor, trans: Any, name: str) -> Tensor:
    """Return a matrix, its transpose or its adjoint. ValueError for another ``trans``."""
    if trans not in TRANSPOSES:
        raise ValueError(f"{name}(): argument 'trans' = {trans!r}: expected 0, 1, 2, 'N', 'T' or 'C'")
    kind = TRANSPOSES[trans]
    return a if kind == 0 else a.mT if kind == 1 else a.mH


def require_square(a: Tensor) -> None:
    """Raise ValueError, as SciPy has it, unless a tensor's matrices are square."""
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"expected square matrix, got shape {tuple(a.shape)}")


def require_rows(a: Tensor, b: Tensor, name: str) -> None:
    """Raise ValueError unless a right-hand side, a vector or a matrix, has as many rows as a matrix."""
    rows = b.shape[0] if b.ndim == 1 else b.shape[-2]
    if rows != a.shape[-2]:
        raise ValueError(f"{name}(): shapes of a {tuple(a.shape)} and b {tuple(b.shape)} are incompatible")


def columns(b: Tensor) -> Tensor:
    """Return a right-hand side as a matrix."""
    return b.unsqueeze(-1) if b.ndim == 1 else b


def like_side(x: Any, b: Tensor) -> Tensor:
    """Return a solution in the form of the right-hand side."""
    solution: Tensor = x.squeeze(-1) if b.ndim == 1 else x
    return solution


def one_triangle(a: Tensor, lower: bool, adjoint: bool) -> Tensor:
    """Return the symmetric or Hermitian matrix of which one triangle is given."""
    half = wg.tril(a) if lower else wg.triu(a)
    rest = wg.tril(a, -1) if lower else wg.triu(a, 1)
    return half + (rest.mH if adjoint else rest.mT)


def apply_structure(a: Tensor, assume_a: Any, lower: bool) -> Tensor:
    """Return the matrix that is meant under an assumption on its structure. ValueError for an unknown one."""
    if assume_a in ("pos", "positive definite", "her", "hermitian"):
        return one_triangle(a, lower, True)
    if assume_a in ("sym", "symmetric"):
        return one_triangle(a, lower, False)
    if assume_a == "upper triangular":
        return wg.triu(a)
    if assume_a == "lower triangular":
        return wg.tril(a)
    if assume_a == "diagonal":
        return wg.diag_embed(wg.diagonal(a, dim1=-2, dim2=-1))
    if assume_a not in (None, "gen", "general", "banded", "tridiagonal"):
        raise ValueError(f"{assume_a} is not a recognized matrix structure")
    return a


@for_tensors(_linalg.solve)
def solve(
    a: Any, b: Any, lower: bool = False, overwrite_a: bool = False, overwrite_b: bool = False,
    check_finite: bool = True, assume_a: Any = None, transposed: bool = False,
) -> Tensor:  # fmt: skip
    """Return x with a x = b."""
    a, b = floating(a, b, name="solve")
    require_square(a)
    require_rows(a, b, "solve")
    a = apply_structure(a, assume_a, lower)
    return like_side(np.linalg.solve(a.mT if transposed else a, columns(b)), b)


@for_tensors(_linalg.solve_triangular)
def solve_triangular(
    a: Any, b: Any, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False, overwrite_b: bool = False,
    check_finite: bool = True,
) -> Tensor:  # fmt: skip
    """Return x with a x = b for a triangular matrix, of which the other triangle is not read."""
    a, b = floating(a, b, name="solve_triangular")
    require_square(a)
    require_rows(a, b, "solve_triangular")
    upper = bool(lower) if TRANSPOSES.get(trans) else not lower
    matrix = transposed_matrix(a, trans, "solve_triangular")
    x = wg.linalg.solve_triangular(matrix, columns(b), upper=upper, unitriangular=bool(unit_diagonal))
    return like_side(x, b)


@for_tensors(_linalg.inv)
def inv(
    a: Any, overwrite_a: bool = False, check_finite: bool = True, *, assume_a: Any = None, lower: bool = False
) -> Any:
    """Return the inverse."""
    (a,) = floating(a, name="inv")
    require_square(a)
    return np.linalg.inv(apply_structure(a, assume_a, lower))


@for_tensors(_linalg.det)
def det(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Tensor:
    """Return the determinant."""
    (a,) = floating(a, name="det")
    require_square(a)
    return wg.linalg.det(a)


@for_tensors(_linalg.pinv)
def pinv(a: Any, *, atol: Any = None, rtol: Any = None, return_rank: bool = False, check_finite: bool = True) -> Any:
    """Return the pseudo-inverse."""
    (a,) = floating(a, name="pinv")
    if rtol is None and atol is None:
        rtol = max(a.shape[-2:]) * wg.finfo(a.dtype).eps
    atol, rtol = 0.0 if atol is None else float(atol), 0.0 if rtol is None else float(rtol)
    inverse = wg.linalg.pinv(a, atol=atol, rtol=rtol)
    return (inverse, int(wg.linalg.matrix_rank(a, atol=atol, rtol=rtol))) if return_rank else inverse


@for_tensors(_linalg.lstsq)
def lstsq(
    a: Any, b: Any, cond: Any = None, overwrite_a: bool = False, overwrite_b: bool = False, check_finite: bool = True,
    lapack_driver: Any = None,
) -> Any:  # fmt: skip
    """Return the least-squares solution of a x = b, the sums of squared residuals, the rank, the singular values."""
    a, b = floating(a, b, name="lstsq")
    require_rows(a, b, "lstsq")
    rtol = wg.finfo(a.dtype).eps if cond is None else float(cond)
    side = columns(b)
    x = wg.linalg.pinv(a, rtol=rtol) @ side
    values = wg.linalg.svdvals(a)
    rank = int(wg.sum(values > rtol * wg.amax(values)))
    m, n = a.shape
    squares = wg.sum(wg.abs(side - a @ x) ** 2, dim=0)
    residues = squares if m > n and rank == n else squares[:0]
    return like_side(x, b), residues.squeeze(0) if b.ndim == 1 and len(residues) else residues, rank, values


# ---- Sylvester's equation


@primitive
def sylvester(a: Any, b: Any, q: Any) -> Any:
    """Return x with a x + x b = q."""
    return _linalg.solve_sylvester(a, b, q)


def sylvester_vjp(argnums: Any, x: Any, args: Any, kwargs: Any) -> Any:
    """Return the function from a cotangent to the gradients, by the solution of the transposed equation."""
    a, b, _ = args

    def vjp(g: Any) -> Any:
        y = sylvester(a.T, b.T, g)
        parts = {0: lambda: -y @ x.T, 1: lambda: -x.T @ y, 2: lambda: y}
        return tuple(parts[i]() for i in argnums)

    return vjp


def sylvester_jvp(argnums: Any, tangents: Any, x: Any, args: Any, kwargs: Any) -> Any:
    """Return the tangent of the solution."""
    a, b, _ = args
    products = {0: lambda t: -(t @ x), 1: lambda t: -(x @ t), 2: lambda t: t}
    total = sum(products[i](tangent) for i, tangent in zip(argnums, tangents, strict=True))
    return sylvester(a, b, total)


defvjp_argnums(sylvester, sylvester_vjp)
defjvp_argnums(sylvester, sylvester_jvp)


@for_tensors(_linalg.solve_sylvester)
def solve_sylvester(a: Any, b: Any, q: Any) -> Any:
    """Return x with a x + x b = q."""
    a, b, q = floating(a, b, q, name="solve_sylvester")
    if not a.ndim == b.ndim == q.ndim == 2:
        raise errors.unsupported_argument("solve_sylvester", "a", tuple(a.shape), "call it for each matrix")
    return sylvester(a, b, q)


@for_tensors(_linalg.solve_continuous_lyapunov)
def solve_continuous_lyapunov(a: Any, q: Any) -> Any:
    """Return x with a x + x a^H = q."""
    a, q = floating(a, q, name="solve_continuous_lyapunov")
    require_square(a)
    return sylvester(a, a.mH, q)


@for_tensors(_linalg.solve_discrete_lyapunov)
def solve_discrete_lyapunov(a: Any, q: Any, method: Any = None) -> Tensor:
    """Return x with a x a^H - x + q = 0, by its linear system."""
    a, q = floating(a, q, name="solve_discrete_lyapunov")
    require_square(a)
    system = wg.eye(a.shape[0] ** 2, dtype=a.dtype) - wg.kron(a, a.conj())
    return wg.linalg.solve(system, q.reshape(-1)).reshape(q.shape)


FUNCTIONS = (solve, solve_triangular, inv, det, pinv, lstsq, solve_sylvester, solve_continuous_lyapunov,
             solve_discrete_lyapunov)  # fmt: skip
"""The functions of this module that ``wengert.scipy.linalg`` has."""
