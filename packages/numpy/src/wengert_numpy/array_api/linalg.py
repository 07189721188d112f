"""The extension ``linalg``: decompositions, equations, norms."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import wengert as wg
from wengert import Tensor

from wengert_numpy.array_api.axes import Axis, axes_of
from wengert_numpy.array_api.binding import promote_arrays
from wengert_numpy.array_api.creation import as_array, matrices
from wengert_numpy.array_api.linear_algebra import matmul, matrix_transpose, outer, tensordot, vecdot
from wengert_numpy.array_api.promotion import reduction_dtype
from wengert_numpy.array_api.statistical import floating_array
from wengert_numpy.operands import to_dtype

__all__ = [
    "cholesky", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "matmul", "matrix_norm",
    "matrix_power", "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals",
    "tensordot", "trace", "vecdot", "vector_norm",
]  # fmt: skip


class Eigen(NamedTuple):
    """The result of eig and eigh."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class QR(NamedTuple):
    """The result of qr."""

    Q: Tensor
    R: Tensor


class SVD(NamedTuple):
    """The result of svd."""

    U: Tensor
    S: Tensor
    Vh: Tensor


class SignLogDet(NamedTuple):
    """The result of slogdet."""

    sign: Tensor
    logabsdet: Tensor


def floating_matrices(x: Any, name: str) -> Tensor:
    """Return matrices of floating or complex numbers."""
    return matrices(floating_array(x), name)


# ---- decompositions


def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    """Return the lower (or upper) triangular factor of positive-definite matrices."""
    return wg.linalg.cholesky(floating_matrices(x, "cholesky"), upper=upper)


def eig(x: Tensor, /) -> Eigen:
    """Return eigenvalues and eigenvectors of square matrices, both complex."""
    return Eigen(*wg.linalg.eig(floating_matrices(x, "eig")))


def eigvals(x: Tensor, /) -> Tensor:
    """Return the eigenvalues of square matrices, which are complex."""
    return wg.linalg.eigvals(floating_matrices(x, "eigvals"))


def eigh(x: Tensor, /) -> Eigen:
    """Return eigenvalues, in ascending order, and eigenvectors of symmetric or Hermitian matrices."""
    return Eigen(*wg.linalg.eigh(floating_matrices(x, "eigh")))


def eigvalsh(x: Tensor, /) -> Tensor:
    """Return the eigenvalues of symmetric or Hermitian matrices, in ascending order."""
    return wg.linalg.eigvalsh(floating_matrices(x, "eigvalsh"))


def qr(x: Tensor, /, *, mode: Literal["reduced", "complete"] = "reduced") -> QR:
    """Return factors of matrices, one with orthonormal columns and an upper triangular one."""
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr(): mode must be 'reduced' or 'complete', got {mode!r}")
    return QR(*wg.linalg.qr(floating_matrices(x, "qr"), mode=mode))


def svd(x: Tensor, /, *, full_matrices: bool = True) -> SVD:
    """Return singular vectors and singular values of matrices, U, S and Vh, the values in descending order."""
    return SVD(*wg.linalg.svd(floating_matrices(x, "svd"), full_matrices=full_matrices))


def svdvals(x: Tensor, /) -> Tensor:
    """Return the singular values of matrices, in descending order."""
    return wg.linalg.svdvals(floating_matrices(x, "svdvals"))


# ---- determinants, inverses, equations


def det(x: Tensor, /) -> Tensor:
    """Return the determinants of square matrices."""
    return wg.linalg.det(floating_matrices(x, "det"))


def slogdet(x: Tensor, /) -> SignLogDet:
    """Return the signs of determinants and the logarithms of their absolute values."""
    return SignLogDet(*wg.linalg.slogdet(floating_matrices(x, "slogdet")))


def inv(x: Tensor, /) -> Tensor:
    """Return the inverses of square matrices."""
    return wg.linalg.inv(floating_matrices(x, "inv"))


def pinv(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """Return the pseudo-inverses of matrices.

    rtol: singular values up to this part of the largest count as zero, max(M, N) times the dtype's eps by default.
    """
    return wg.linalg.pinv(floating_matrices(x, "pinv"), rtol=rtol)


def matrix_rank(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """Return the ranks of matrices, the numbers of singular values that are not zero; rtol is that of pinv."""
    return wg.linalg.matrix_rank(floating_matrices(x, "matrix_rank"), rtol=rtol)


def matrix_power(x: Tensor, n: int, /) -> Tensor:
    """Return whole powers of square matrices."""
    return wg.linalg.matrix_power(matrices(x, "matrix_power"), n)


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Return the solutions of the equations x1 @ x == x2, in which x2 has one dim (a vector) or holds matrices."""
    x1, x2 = promote_arrays(floating_matrices(x1, "solve"), floating_array(x2))
    if x2.ndim == 1:
        return wg.linalg.solve(x1, x2[:, None])[..., 0]
    if x2.ndim < x1.ndim:  # so that wg.linalg.solve takes no stack of matrices for one of vectors
        x2 = x2.reshape((1,) * (x1.ndim - x2.ndim) + tuple(x2.shape))
    return wg.linalg.solve(x1, x2)


# ---- norms, diagonals, products


def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: float | Literal["fro", "nuc"] | None = "fro") -> Tensor:
    """Return norms of matrices: "fro", "nuc", 1, -1, 2, -2, inf or -inf."""
    x = floating_matrices(x, "matrix_norm")
    return wg.linalg.matrix_norm(x, "fro" if ord is None else ord, keepdim=keepdims)


def vector_norm(x: Tensor, /, *, axis: Axis = None, keepdims: bool = False, ord: float = 2) -> Tensor:
    """Return the p-norms, p = ord, of vectors along axes (None: of all elements)."""
    x = floating_array(x)
    if axis == ():
        return (x != 0).to(wg.abs(x).dtype) if ord == 0 else wg.abs(x)
    dims = axes_of(axis, x.ndim)
    if not x.numel() and ord == float("inf"):
        return wg.sum(wg.abs(x), dims, keepdims)  # zero, as in NumPy; wg.linalg.vector_norm refuses it
    return wg.linalg.vector_norm(x, ord, dim=None if axis is None else dims, keepdim=keepdims)


def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    """Return diagonals of matrices, a view."""
    return wg.diagonal(matrices(x, "diagonal"), offset, -2, -1)


def trace(x: Tensor, /, *, offset: int = 0, dtype: Any = None) -> Tensor:
    """Return the sums along diagonals of matrices. Integers are added in 64 bits."""
    x = matrices(x, "trace")
    kind = reduction_dtype(x.dtype) if dtype is None else to_dtype(dtype, "trace")
    return wg.sum(diagonal(x, offset=offset), -1, dtype=kind)


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Return the cross products of vectors of three elements along an axis."""
    x1, x2 = promote_arrays(as_array(x1), as_array(x2))
    first, second = axes_of(axis, x1.ndim)[0], axes_of(axis, x2.ndim)[0]
    if x1.shape[first] != 3 or x2.shape[second] != 3:
        raise ValueError(
            f"cross(): the vectors must have 3 elements, they have {x1.shape[first]} and {x2.shape[second]}"
        )
    if axis < 0:
        return wg.linalg.cross(*wg.broadcast_tensors(x1, x2), dim=axis)
    result = wg.linalg.cross(*wg.broadcast_tensors(wg.movedim(x1, first, -1), wg.movedim(x2, second, -1)), dim=-1)
    return wg.movedim(result, -1, axis)
