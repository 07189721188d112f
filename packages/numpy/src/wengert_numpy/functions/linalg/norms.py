"""Functions of numpy.linalg that measure: norms of vectors and matrices, condition numbers, ranks."""

from __future__ import annotations

from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.linalg import decompositions, linear_algebra
from wengert_numpy.functions.linalg.linear_algebra import LinAlgError
from wengert_numpy.functions.table import implements
from wengert_numpy.operands import axis_index, axis_list, inexact, numpy_dtype, to_tensor

FROBENIUS = (None, "fro", "f")


@implements("linalg.norm")
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    """Return a norm of vectors, or of matrices for two axes; of all elements for neither ord nor axis."""
    t = inexact(to_tensor(x, "linalg.norm", "x"))
    if axis is None and (ord is None or (ord in FROBENIUS and t.ndim == 2) or (ord == 2 and t.ndim == 1)):
        return with_dims(wg.linalg.vector_norm(t.reshape(-1)), t, range(t.ndim), keepdims)
    axes = norm_axes(axis, t.ndim)
    if len(axes) == 1:
        result = norm_of_vectors(t, ord, axes[0])
    elif len(axes) == 2:
        result = norm_of_matrices(wg.movedim(t, axes, (-2, -1)), ord)
    else:
        raise ValueError("Improper number of dimensions to norm.")
    return with_dims(result, t, axes, keepdims)


def norm_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """Return the axes of vectors or matrices, None for all, as numbers from 0 on."""
    if axis is None:
        return tuple(range(ndim))
    if not isinstance(axis, tuple):
        try:
            axis = (int(axis),)
        except Exception as error:
            raise TypeError("'axis' must be None, an integer or a tuple of integers") from error
    axes = tuple(axis_index(one, ndim) for one in axis)
    if len(set(axes)) < len(axes):
        raise ValueError("Duplicate axes given.")
    return axes


def with_dims(result: Tensor, t: Tensor, axes: Any, keepdims: Any) -> Tensor:
    """Return a reduction of axes of ``t``, with dims of size 1 in their place for keepdims."""
    return result.reshape([1 if i in axes else n for i, n in enumerate(t.shape)]) if keepdims else result


def norm_of_vectors(t: Tensor, ord: Any, axis: int) -> Tensor:
    """Return the norm of vectors along an axis."""
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    order = 2.0 if ord is None else float(ord)
    if not t.shape[axis] and abs(order) == np.inf:
        if order < 0:
            raise ValueError("zero-size array to reduction operation minimum which has no identity")
        return wg.sum(wg.abs(t), dim=axis)
    return wg.linalg.vector_norm(t, order, dim=axis)


def norm_of_matrices(t: Tensor, ord: Any) -> Tensor:
    """Return the norm of the matrices of the last two dims."""
    if ord in FROBENIUS:
        return wg.linalg.vector_norm(t, dim=(-2, -1))
    if ord == "nuc":
        return wg.sum(decompositions.svdvals(t), dim=-1)
    if ord in (2, -2):
        return extremum(decompositions.svdvals(t), ord > 0)
    if ord in (1, -1, np.inf, -np.inf):
        return extremum(wg.sum(wg.abs(t), dim=-2 if abs(ord) == 1 else -1), ord > 0)
    raise ValueError("Invalid norm order for matrices.")


def extremum(values: Tensor, largest: bool) -> Tensor:
    """Return the largest, or the smallest, number of the last dim; 0 as the largest of none."""
    if values.shape[-1]:
        return wg.amax(values, dim=-1) if largest else wg.amin(values, dim=-1)
    if not largest:
        raise ValueError("zero-size array to reduction operation minimum which has no identity")
    return wg.sum(values, dim=-1)


@implements("linalg.vector_norm")
def vector_norm(x: Any, /, *, axis: Any = None, keepdims: Any = False, ord: Any = 2) -> Any:
    """Return the norm of vectors, whose elements are those of one or several axes."""
    t = inexact(to_tensor(x, "linalg.vector_norm", "x"))
    axes = axis_list(axis, t.ndim)
    rest = [i for i in range(t.ndim) if i not in axes]
    flat = t.permute(*axes, *rest).reshape(int(np.prod([t.shape[i] for i in axes])), *(t.shape[i] for i in rest))
    return with_dims(norm_of_vectors(flat, ord, 0), t, axes, keepdims)


@implements("linalg.matrix_norm")
def matrix_norm(x: Any, /, *, keepdims: Any = False, ord: Any = "fro") -> Any:
    """Return the norm of the matrices of the last two dims."""
    return norm(x, ord, (-2, -1), keepdims)


@implements("linalg.cond")
def cond(x: Any, p: Any = None) -> Any:
    """Return the condition number: the norm ``p`` of matrices times that of their inverses."""
    t = to_tensor(x, "linalg.cond", "x")
    if not t.numel() and 0 in t.shape[-2:]:
        raise LinAlgError("cond is not defined on empty arrays")
    if p is None or p in (2, -2):
        s = decompositions.svdvals(t)
        number = s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    else:
        number = product_of_norms(t, p)
    holds_nan = wg.isnan(t).any(dim=-1).any(dim=-1)
    return wg.where(wg.isnan(number) & ~holds_nan, np.inf, number)


def product_of_norms(t: Tensor, p: Any) -> Tensor:
    """Return the norm of matrices times that of their inverses, NaN for singular ones."""
    working, dtype = linear_algebra.matrices(t, "linalg.cond")
    inverse, info = wg.linalg.inv_ex(working)
    number = norm_of_matrices(working, p) * norm_of_matrices(inverse, p)
    return wg.where(info > 0, np.nan, number).to(linear_algebra.real_dtype(dtype))


@implements("linalg.matrix_rank")
def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """Return the number of singular values above ``tol``, or above ``rtol`` times the largest one."""
    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    t = to_tensor(A, "linalg.matrix_rank", "A")
    if t.ndim < 2:
        return int(bool((t != 0).any()))
    s = decompositions.svd(t, compute_uv=False, hermitian=hermitian)
    if tol is not None:
        bound = to_tensor(tol, "linalg.matrix_rank", "tol")[..., None]
    else:
        factor = max(t.shape[-2:]) * np.finfo(numpy_dtype(s)).eps if rtol is None else rtol
        bound = extremum(s, True)[..., None] * to_tensor(factor, "linalg.matrix_rank", "rtol")[..., None]
    return wg.sum(s > bound, dim=-1)
