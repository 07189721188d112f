"""Linear algebra functions of the main namespace: products of vectors, matrices and arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import wengert as wg
from wengert import Tensor

from wengert_numpy.array_api.axes import axes_of
from wengert_numpy.array_api.binding import binary, promote_arrays
from wengert_numpy.array_api.creation import as_array, matrices

matmul = binary(wg.matmul, "matmul", "Return the product of matrices, of vectors, or of stacks of matrices.")


def matrix_transpose(x: Tensor, /) -> Tensor:
    """Return matrices with rows and columns exchanged, a view."""
    return wg.transpose(matrices(x, "matrix_transpose"), -2, -1)


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Tensor:
    """Return the contraction of two arrays over axes.

    axes: how many, the last of x1 with the first of x2; or those of x1 and those of x2.
    """
    x1, x2 = promote_arrays(x1, x2)
    dims: Any = axes
    if not isinstance(axes, int):
        first, second = ([one] if isinstance(one, int) else list(one) for one in axes)
        dims = axes_of(tuple(first), x1.ndim), axes_of(tuple(second), x2.ndim)
        check_contraction(x1, x2, dims)
    return wg.tensordot(x1, x2, dims=dims)


def check_contraction(x1: Tensor, x2: Tensor, axes: tuple[list[int], list[int]]) -> None:
    """Raise ValueError where axes that are contracted differ in size; none is broadcast."""
    first, second = [x1.shape[one] for one in axes[0]], [x2.shape[one] for one in axes[1]]
    if first != second:
        raise ValueError(f"shape-mismatch for sum: axes of sizes {first} and {second} cannot be contracted")


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Return the dot product along an axis, of which x1 is conjugated."""
    x1, x2 = promote_arrays(x1, x2)
    first, second = (wg.movedim(one, axes_of(axis, one.ndim), [-1]) for one in (x1, x2))
    if first.shape[-1] != second.shape[-1]:
        raise ValueError(
            f"vecdot(): the vectors have {first.shape[-1]} and {second.shape[-1]} elements: they must "
            "have as many, they are not broadcast"
        )
    if first.dtype.is_complex:
        first = wg.conj(first)
    if first.dtype is wg.bool:
        return (first & second).any(-1)
    if first.ndim == second.ndim == 1:
        return wg.matmul(first, second)
    return wg.matmul(first[..., None, :], second[..., None])[..., 0, 0]


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Return the products of each element of a vector with each of another."""
    x1, x2 = promote_arrays(as_array(x1), as_array(x2))
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"outer(): Input arrays must be one-dimensional, but they have {x1.ndim} and {x2.ndim} dims")
    return wg.outer(x1, x2)
