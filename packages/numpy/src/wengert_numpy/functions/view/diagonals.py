"""Diagonals and triangles: diag, diagonal, tril, triu, and the indices of them."""

from __future__ import annotations

from typing import Any

import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.table import implements
from wengert_numpy.operands import axis_index, to_tensor


@implements("diagonal")
def diagonal(a: Any, offset: int = 0, axis1: Any = 0, axis2: Any = 1) -> Tensor:
    """Return a view of the diagonals of the planes that two axes span, along the last axis."""
    x = to_tensor(a, "diagonal")
    if x.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    first, second = axis_index(axis1, x.ndim), axis_index(axis2, x.ndim)
    if first == second:
        raise ValueError("axis1 and axis2 cannot be the same")
    return wg.diagonal(x, offset=offset, dim1=first, dim2=second)


@implements("diag")
def diag(v: Any, k: int = 0) -> Tensor:
    """Return a view of a matrix's diagonal, or the matrix with this diagonal."""
    x = to_tensor(v, "diag")
    if x.ndim == 1:
        return wg.diag_embed(x, offset=k)
    if x.ndim == 2:
        return diagonal(x, k)
    raise ValueError("Input must be 1- or 2-d.")


@implements("diagflat")
def diagflat(v: Any, k: int = 0) -> Tensor:
    """Return the matrix whose diagonal has the elements of a tensor."""
    return wg.diag_embed(to_tensor(v, "diagflat").reshape(-1), offset=k)


def triangle(m: Any, name: str) -> Tensor:
    """Return the tensor of which a triangle is taken: of one axis the matrix whose rows are all it."""
    x = to_tensor(m, name)
    if not x.ndim:
        raise TypeError(f"{name}(): argument 'm' must have at least one axis")
    return x.expand(x.shape[0], x.shape[0]) if x.ndim == 1 else x


@implements("tril")
def tril(m: Any, k: int = 0) -> Tensor:
    """Return the lower triangle of the last two axes, zeros above diagonal k."""
    return wg.tril(triangle(m, "tril"), k)


@implements("triu")
def triu(m: Any, k: int = 0) -> Tensor:
    """Return the upper triangle of the last two axes, zeros below diagonal k."""
    return wg.triu(triangle(m, "triu"), k)


def matrix_shape(arr: Any, name: str) -> tuple[int, int]:
    """Return the shape of a matrix. ValueError for another number of axes."""
    x = to_tensor(arr, name, "arr")
    if x.ndim != 2:
        raise ValueError("input array must be 2-d")
    return x.shape[0], x.shape[1]


@implements("tril_indices_from")
def tril_indices_from(arr: Any, k: int = 0) -> tuple[Tensor, ...]:
    """Return the indices of a matrix's lower triangle."""
    return tuple(wg.tril_indices(*matrix_shape(arr, "tril_indices_from"), offset=k).unbind(0))


@implements("triu_indices_from")
def triu_indices_from(arr: Any, k: int = 0) -> tuple[Tensor, ...]:
    """Return the indices of a matrix's upper triangle."""
    return tuple(wg.triu_indices(*matrix_shape(arr, "triu_indices_from"), offset=k).unbind(0))


@implements("diag_indices_from")
def diag_indices_from(arr: Any) -> tuple[Tensor, ...]:
    """Return the indices of the main diagonal of a tensor whose axes all have one length."""
    x = to_tensor(arr, "diag_indices_from", "arr")
    if x.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    if any(length != x.shape[0] for length in x.shape):
        raise ValueError("All dimensions of input must be of equal length")
    return (wg.arange(x.shape[0], device=x.device),) * x.ndim
