"""Ufuncs of vectors and matrices, which have core dims: matmul, vecdot, matvec, vecmat.

Note [Core dims]
    Each function brings the core dims of its inputs to the end, multiplies, and moves those of the product to where
    ``axes`` has them. ``operand_axes`` checks as NumPy does: what it lets pass, the op can compute.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy.operands import axis_index
from wengert_numpy.ufuncs.composed_ufuncs import conjugate


def sum_of_products(op: Callable[..., Tensor], *tensors: Tensor, **kwargs: Any) -> Tensor:
    """Return an op that sums products, of which that of booleans is whether any product is true, as in NumPy."""
    if all(t.dtype is wg.bool for t in tensors):
        return op(*(t.to(wg.int64) for t in tensors), **kwargs).to(wg.bool)
    return op(*tensors, **kwargs)


def operand_axes(name: str, counts: Sequence[int], axes: Any) -> list[tuple[Any, ...]]:
    """Return the axes of the core dims of each operand, the product last; the last dims where ``axes`` is None.

    counts: how many core dims each operand has.   Raises NumPy's errors for lists of another form.
    """
    if axes is None:
        return [tuple(range(-count, 0)) for count in counts]
    if not isinstance(axes, list):
        raise TypeError("axes should be a list.")
    if len(axes) == len(counts) - 1 and not counts[-1]:
        axes = [*axes, ()]
    if len(axes) != len(counts):
        raise ValueError(
            f"axes should be a list with an entry for all {len(counts)} inputs and outputs; entries for outputs can "
            "only be omitted if none of them has core axes."
        )
    entries = [entry if isinstance(entry, tuple) else (entry,) for entry in axes]
    for i, (entry, count) in enumerate(zip(entries, counts, strict=True)):
        if len(entry) != count:
            raise np.exceptions.AxisError(
                f"{name}: operand {i} has {count} core dimensions, but {len(entry)} dimensions are specified by axes "
                "tuple."
            )
    return entries


def require_dims(name: str, tensors: Sequence[Tensor], counts: Sequence[int]) -> None:
    """Raise ValueError for operands that have fewer dims than core dims."""
    for i, (t, count) in enumerate(zip(tensors, counts, strict=False)):
        if t.ndim < count:
            raise ValueError(
                f"{name}: Input operand {i} does not have enough dimensions (has {t.ndim}, its core requires {count})"
            )


def core_last(x: Tensor, axes: tuple[Any, ...]) -> Tensor:
    """Return the tensor with its core dims, those in ``axes``, moved to the end."""
    places = tuple(axis_index(axis, x.ndim) for axis in axes)
    return wg.movedim(x, places, tuple(range(-len(axes), 0)))


def core_back(x: Tensor, axes: tuple[Any, ...]) -> Tensor:
    """Return the tensor with its last dims moved to ``axes``."""
    places = tuple(axis_index(axis, x.ndim) for axis in axes)
    return wg.movedim(x, tuple(range(-len(axes), 0)), places) if axes else x


def multiply(name: str, x: Tensor, y: Tensor) -> Tensor:
    """Return the product of matrices, or vectors, in the last dims. ValueError where their sizes do not fit."""
    rows = y.shape[-2 if y.ndim > 1 else -1]
    if x.shape[-1] != rows:
        raise ValueError(
            f"{name}: Input operand 1 has a mismatch in its core dimension 0: size {rows} is different from "
            f"{x.shape[-1]}, shapes are {list(x.shape)} and {list(y.shape)}"
        )
    np.broadcast_shapes(tuple(x.shape[:-2]), tuple(y.shape[:-2]))
    return sum_of_products(wg.matmul, x, y)


def matmul(x: Tensor, y: Tensor, axes: Any = None, **others: Any) -> Tensor:
    """Return the product of matrices, batches of them and vectors."""
    if others:
        raise TypeError(f"matmul: {next(iter(others))} is for ufuncs with a single core dim, use axes")
    require_dims("matmul", (x, y), (1, 1))
    first, second = min(x.ndim, 2), min(y.ndim, 2)
    places = operand_axes("matmul", (first, second, first + second - 2), axes)
    return core_back(multiply("matmul", core_last(x, places[0]), core_last(y, places[1])), places[2])


def vecdot(x: Tensor, y: Tensor, axis: Any = None, axes: Any = None, keepdims: bool = False) -> Tensor:
    """Return the dot product along an axis, of which the first operand is conjugated."""
    if axis is not None:
        if axes is not None:
            raise TypeError("cannot specify both 'axis' and 'axes'")
        axes = [axis, axis, axis] if keepdims else [axis, axis]
    require_dims("vecdot", (x, y), (1, 1))
    if axes is not None and keepdims and len(axes) == 2:
        axes = [*axes, -1]
    places = operand_axes("vecdot", (1, 1, int(keepdims)), axes)
    x, y = core_last(x, places[0]), core_last(y, places[1])
    total = multiply("vecdot", conjugate(x)[..., None, :], y[..., :, None])[..., 0]
    return core_back(total, places[2]) if keepdims else total[..., 0]


def matvec(x: Tensor, y: Tensor, axes: Any = None, **others: Any) -> Tensor:
    """Return the product of matrices and vectors, of batches of both."""
    if others:
        raise TypeError(f"matvec: {next(iter(others))} is for ufuncs with a single core dim, use axes")
    require_dims("matvec", (x, y), (2, 1))
    places = operand_axes("matvec", (2, 1, 1), axes)
    product = multiply("matvec", core_last(x, places[0]), core_last(y, places[1])[..., None])[..., 0]
    return core_back(product, places[2])


def vecmat(x: Tensor, y: Tensor, axes: Any = None, **others: Any) -> Tensor:
    """Return the product of conjugated vectors and matrices, of batches of both."""
    if others:
        raise TypeError(f"vecmat: {next(iter(others))} is for ufuncs with a single core dim, use axes")
    require_dims("vecmat", (x, y), (1, 2))
    places = operand_axes("vecmat", (1, 2, 1), axes)
    product = multiply("vecmat", conjugate(core_last(x, places[0]))[..., None, :], core_last(y, places[1]))[..., 0, :]
    return core_back(product, places[2])


CORE: dict[str, Callable[..., Any]] = {"matmul": matmul, "vecdot": vecdot, "matvec": matvec, "vecmat": vecmat}
"""Ufuncs of vectors and matrices."""
