"""Functions of numpy.linalg that solve, invert, multiply, and measure volumes; norms and decompositions are elsewhere.

Note [The dtype of linear algebra]
    NumPy computes in float64 or complex128, whatever the inputs are, and rounds the result to the inputs' precision:
    the rank of a matrix of float32 is decided at the precision of float64. So do these functions.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import wengert as wg
from numpy.linalg import _linalg
from wengert import Tensor

from wengert_numpy.functions.table import implements
from wengert_numpy.operands import FROM_NUMPY, numpy_dtype, promote, to_tensor, to_tensors, write_out


class LinAlgError(np.linalg.LinAlgError, wg.linalg.LinAlgError):
    """NumPy's error of linear algebra, which is wengert's, too: whoever catches either one catches it."""


RESULTS: Any = _linalg
"""NumPy's namedtuples of results, which hold tensors as well as arrays."""
SINGULAR = "Singular matrix"
NOT_CONVERGED = "Eigenvalues did not converge"
WORKING = (wg.float64, wg.complex128)
"""The dtypes in which NumPy computes."""


def run(phrase: str, op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return an op's result. NumPy's LinAlgError, which begins with NumPy's phrase, where it cannot be computed."""
    try:
        return op(*args, **kwargs)
    except wg.linalg.LinAlgError as error:
        raise LinAlgError(f"{phrase}: {error}") from error


def common_dtype(*tensors: Tensor) -> Any:
    """Return the dtype of results: float64 where a tensor of integers is among the inputs. TypeError for float16."""
    kinds = [numpy_dtype(t) for t in tensors]
    for kind in kinds:
        if kind.kind not in "biufc" or kind == np.float16:
            raise TypeError(f"array type {kind.name} is unsupported in linalg")
    return FROM_NUMPY[np.result_type(*(kind if kind.kind in "fc" else np.float64 for kind in kinds))]


def real_dtype(dtype: Any) -> Any:
    """Return the dtype of the real and imaginary parts of numbers of a dtype."""
    return FROM_NUMPY[np.empty(0, numpy_dtype(dtype)).real.dtype]


def require_matrices(t: Tensor, square: bool = True) -> None:
    """Raise LinAlgError for a tensor that is no matrix, or stack of matrices, or whose matrices are not square."""
    if t.ndim < 2:
        raise LinAlgError(f"{t.ndim}-dimensional array given. Array must be at least two-dimensional")
    if square and t.shape[-1] != t.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")


def matrices(a: Any, name: str, square: bool = True) -> tuple[Tensor, Any]:
    """Return an operand as matrices of the dtype in which NumPy computes, and the dtype of results."""
    t = to_tensor(a, name)
    require_matrices(t, square)
    if t.dtype in WORKING:
        return t, t.dtype
    dtype = common_dtype(t)
    return t.to(wg.complex128 if dtype.is_complex else wg.float64), dtype


def hermitian_matrix(a: Tensor, uplo: str) -> Tensor:
    """Return the Hermitian matrices whose lower ("L") or upper triangle is that of ``a``, which is all that is read."""
    triangle = wg.tril(a, -1) if uplo == "L" else wg.triu(a, 1)
    diagonal = wg.diagonal(a, dim1=-2, dim2=-1)
    if a.dtype.is_complex:
        diagonal = wg.real(diagonal).to(a.dtype)
    return triangle + triangle.mH + wg.diag_embed(diagonal)


def hermitian_svd(t: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the singular value decomposition of Hermitian matrices from that in eigenvectors."""
    values, vectors = run(NOT_CONVERGED, wg.linalg.eigh, hermitian_matrix(t, "L"))
    order = wg.flip(wg.argsort(wg.abs(values), dim=-1), (-1,))
    values = wg.take_along_dim(values, order, dim=-1)
    u = wg.take_along_dim(vectors, order[..., None, :], dim=-1)
    sign = wg.copysign(wg.ones_like(values), values).to(u.dtype)
    return u, wg.abs(values), (u * sign[..., None, :]).mH


def is_true(condition: Tensor) -> bool:
    """Return whether a condition, by which NumPy chooses a shape or a dtype, holds; True within vmap, which has one
    shape and dtype for all items of a batch.
    """
    try:
        return bool(condition)
    except RuntimeError:
        return True


# ---- systems of equations, inverses, determinants


@implements("linalg.solve")
def solve(a: Any, b: Any) -> Any:
    """Return x of a @ x = b. A ``b`` of one dim is a vector, any other one matrices."""
    left, right = to_tensor(a, "linalg.solve"), to_tensor(b, "linalg.solve", "b")
    require_matrices(left)
    alike = left.dtype is right.dtype and left.dtype in WORKING and left.shape[:1] == right.shape[:1]
    if alike and left.ndim == 2 and right.ndim <= 2:
        return run(SINGULAR, wg.linalg.solve, left, right)
    dtype = common_dtype(left, right)
    working = wg.complex128 if dtype.is_complex else wg.float64
    columns = right[:, None] if right.ndim == 1 else right
    if not columns.ndim or columns.shape[-2] != left.shape[-1]:
        raise ValueError(
            f"solve: Input operand 1 has a mismatch in its core dimension 0: b has shape {tuple(right.shape)}, a has "
            f"shape {tuple(left.shape)}"
        )
    np.broadcast_shapes(tuple(left.shape[:-2]), tuple(columns.shape[:-2]))
    columns = columns.reshape((1,) * (left.ndim - columns.ndim) + tuple(columns.shape))
    x = run(SINGULAR, wg.linalg.solve, left.to(working), columns.to(working)).to(dtype)
    return x[..., 0] if right.ndim == 1 else x


@implements("linalg.inv")
def inv(a: Any) -> Any:
    """Return the inverse."""
    t, dtype = matrices(a, "linalg.inv")
    return run(SINGULAR, wg.linalg.inv, t).to(dtype)


@implements("linalg.pinv")
def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = np._NoValue) -> Any:
    """Return the pseudo-inverse; singular values up to ``rcond`` times the largest one count as zero."""
    if rcond is not None and rtol is not np._NoValue:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    t, dtype = matrices(a, "linalg.pinv", square=hermitian)
    if rcond is None:
        rcond = 1e-15 if rtol is np._NoValue else rtol
    if rcond is None:
        rcond = max(t.shape[-2:]) * np.finfo(numpy_dtype(dtype)).eps
    bound = to_tensor(rcond, "linalg.pinv", "rcond").to(wg.float64)
    return pseudo_inverse(hermitian_matrix(t, "L") if hermitian else t, bound, bool(hermitian)).to(dtype)


def pseudo_inverse(t: Tensor, bound: Tensor, hermitian: bool = False) -> Tensor:
    """Return the pseudo-inverse; singular values up to ``bound`` times the largest one count as zero.

    The op's derivative supposes that what counts as zero is zero. Where that is not so, the derivative is that of the
    singular value decomposition, which needs distinct singular values.
    """
    phrase = "SVD did not converge"
    rounding = max(t.shape[-2:]) * np.finfo(np.float64).eps
    if t.numel() and is_true((bound > rounding).any()):
        u, s, vh = hermitian_svd(t) if hermitian else run(phrase, wg.linalg.svd, t, full_matrices=False)
        large = s > bound[..., None] * s[..., :1]
        if is_true((~large & (s > rounding * s[..., :1])).any()):
            inverse = wg.where(large, 1 / wg.where(large, s, 1), 0).to(t.dtype)
            return vh.mH @ (inverse[..., None] * u.mH)
    result: Tensor = run(phrase, wg.linalg.pinv, t, rtol=bound, hermitian=hermitian)
    return result


@implements("linalg.lstsq")
def lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return a solution of least squares, the sums of squared residuals, the rank and the singular values of ``a``."""
    left, right = to_tensor(a, "linalg.lstsq"), to_tensor(b, "linalg.lstsq", "b")
    columns = right[:, None] if right.ndim == 1 else right
    for t in (left, columns):
        if t.ndim != 2:
            raise LinAlgError(f"{t.ndim}-dimensional array given. Array must be two-dimensional")
    (m, n), dtype = left.shape, common_dtype(left, right)
    if m != columns.shape[0]:
        raise LinAlgError("Incompatible dimensions")
    working = wg.complex128 if dtype.is_complex else wg.float64
    left, columns = left.to(working), columns.to(working)
    bound = np.finfo(np.float64).eps * max(m, n) if rcond is None else rcond
    bound = np.finfo(np.float64).eps if bound < 0 else bound
    phrase = "SVD did not converge in Linear Least Squares"
    s = run(phrase, wg.linalg.svdvals, left)
    rank = wg.sum(s > bound * s[:1]).to(wg.int32)
    # the pseudo-inverse has a derivative for every rank, and a batching rule, which lstsq has not
    x = pseudo_inverse(left, wg.tensor(bound, dtype=wg.float64, device=left.device)) @ columns
    residuals = wg.sum(wg.abs(columns - left @ x) ** 2, dim=0)
    if m <= n or not is_true(rank == n):
        residuals = residuals[:0]
    if right.ndim == 1:
        x = x[:, 0]
    real = real_dtype(dtype)
    return x.to(dtype), residuals.to(real), rank, s.to(real)


@implements("linalg.tensorsolve")
def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    """Return x of tensordot(a, x, x.ndim) = b."""
    left, right = to_tensor(a, "linalg.tensorsolve"), to_tensor(b, "linalg.tensorsolve", "b")
    if axes is not None:
        order = list(range(left.ndim))
        for axis in axes:
            order.remove(axis)
            order.append(axis)
        left = left.permute(order)
    shape = tuple(left.shape[-(left.ndim - right.ndim) :])
    size = int(np.prod(shape))
    if left.numel() != size**2:
        raise LinAlgError(
            "Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])"
        )
    return solve(left.reshape(size, size), right.reshape(-1)).reshape(shape)


@implements("linalg.tensorinv")
def tensorinv(a: Any, ind: int = 2) -> Any:
    """Return the inverse of the tensor product with ``a``, whose first ``ind`` dims are rows."""
    t = to_tensor(a, "linalg.tensorinv")
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    columns = int(np.prod(t.shape[ind:]))
    return inv(t.reshape(columns, -1)).reshape(tuple(t.shape[ind:]) + tuple(t.shape[:ind]))


@implements("linalg.det")
def det(a: Any) -> Any:
    """Return the determinant."""
    t, dtype = matrices(a, "linalg.det")
    return wg.linalg.det(t).to(dtype)


@implements("linalg.slogdet")
def slogdet(a: Any) -> Any:
    """Return the sign and the logarithm of the absolute value of the determinant."""
    t, dtype = matrices(a, "linalg.slogdet")
    sign, logabsdet = wg.linalg.slogdet(t)
    if dtype not in WORKING:
        sign, logabsdet = sign.to(dtype), logabsdet.to(real_dtype(dtype))
    return RESULTS.SlogdetResult(sign, logabsdet)


# ---- powers and products


@implements("linalg.matrix_power")
def matrix_power(a: Any, n: Any) -> Any:
    """Return a matrix times itself ``n`` times, of the inverse for a negative ``n``."""
    t = to_tensor(a, "linalg.matrix_power")
    require_matrices(t)
    try:
        n = operator.index(n)
    except TypeError as error:
        raise TypeError("exponent must be an integer") from error
    if n < 0:
        t, n = inv(t), -n
    if n == 0:
        return wg.broadcast_to(wg.eye(t.shape[-1], dtype=t.dtype, device=t.device), t.shape).clone()
    result: Any = None
    while n:
        if n & 1:
            result = t if result is None else np.matmul(result, t)
        n >>= 1
        t = np.matmul(t, t) if n else t
    return result


@implements("linalg.multi_dot")
def multi_dot(arrays: Any, *, out: Any = None) -> Any:
    """Return the product of matrices, of which the first and the last one may be vectors, in the cheapest order."""
    tensors = to_tensors(arrays, "linalg.multi_dot")
    if len(tensors) < 2:
        raise ValueError("Expecting at least two arrays.")
    for i, t in enumerate(tensors):
        if t.ndim != 2 and not (t.ndim == 1 and i in (0, len(tensors) - 1)):
            raise LinAlgError(f"{t.ndim}-dimensional array given. Array must be two-dimensional")
    for first, second in pairwise(tensors):
        if first.shape[-1] != second.shape[0]:
            raise ValueError(f"shapes {tuple(first.shape)} and {tuple(second.shape)} not aligned")
    return write_out(out, wg.linalg.multi_dot(promote(*tensors)), "linalg.multi_dot", "no")
