"""Products of arrays: dot, inner, outer, tensordot, einsum, kron, cross, trace."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy import errors
from wengert_numpy.functions.table import implements
from wengert_numpy.operands import axis_index, cast, numpy_dtype, promote, to_dtype, to_tensor, write_out
from wengert_numpy.ufuncs.composed_ufuncs import conjugate
from wengert_numpy.ufuncs.core_ufuncs import sum_of_products
from wengert_numpy.ufuncs.general import call
from wengert_numpy.ufuncs.rows import ROWS


def pair(a: Any, b: Any, name: str) -> list[Tensor]:
    """Return two operands, of which also numbers have NumPy's dtypes, in their common dtype."""
    return promote(to_tensor(a, name), to_tensor(b, name, "b"))


@implements("dot")
def dot(a: Any, b: Any, out: Any = None) -> Any:
    """Return the sum over the last axis of ``a`` and the last but one of ``b``; of a scalar, the product."""
    x, y = pair(a, b, "dot")
    if not x.ndim or not y.ndim:
        product: Any = np.multiply(x, y)
        return write_out(out, product, "dot", "no")
    axis = max(y.ndim - 2, 0)
    if x.shape[-1] != y.shape[axis]:
        raise ValueError(
            f"shapes {tuple(x.shape)} and {tuple(y.shape)} not aligned: {x.shape[-1]} (dim {x.ndim - 1}) != "
            f"{y.shape[axis]} (dim {axis})"
        )
    if x.ndim <= 2 and y.ndim <= 2:
        product = sum_of_products(wg.matmul, x, y)
    else:
        product = sum_of_products(wg.tensordot, x, y, dims=([x.ndim - 1], [axis]))
    return write_out(out, product, "dot", "no")


@implements("vdot")
def vdot(a: Any, b: Any, /) -> Any:
    """Return the dot product of all elements, those of ``a`` conjugated."""
    x, y = pair(a, b, "vdot")
    if x.numel() != y.numel():
        raise ValueError("cannot reshape array: vdot takes arrays of one size")
    return sum_of_products(wg.matmul, conjugate(x).reshape(-1), y.reshape(-1))


@implements("inner")
def inner(a: Any, b: Any, /) -> Any:
    """Return the sum over the last axes of both; of a scalar, the product."""
    x, y = pair(a, b, "inner")
    if not x.ndim or not y.ndim:
        return np.multiply(x, y)
    if x.shape[-1] != y.shape[-1]:
        raise ValueError(
            f"shapes {tuple(x.shape)} and {tuple(y.shape)} not aligned: {x.shape[-1]} (dim {x.ndim - 1}) != "
            f"{y.shape[-1]} (dim {y.ndim - 1})"
        )
    return sum_of_products(wg.tensordot, x, y, dims=([x.ndim - 1], [y.ndim - 1]))


@implements("outer")
def outer(a: Any, b: Any, out: Any = None) -> Any:
    """Return the products of each element of ``a`` and each one of ``b``."""
    x, y = pair(a, b, "outer")
    return np.multiply(x.reshape(-1, 1), y.reshape(1, -1), out=out)


@implements("linalg.outer")
def linalg_outer(x1: Any, x2: Any, /) -> Any:
    """Return the outer product of two vectors."""
    x, y = pair(x1, x2, "linalg.outer")
    if x.ndim != 1 or y.ndim != 1:
        raise ValueError(
            f"Input arrays must be one-dimensional, but they are x1.ndim={x.ndim} and x2.ndim={y.ndim}."
        )
    return outer(x, y)


@implements("tensordot")
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Return the sum of products over pairs of axes, or over a number of last axes of ``a`` and first ones of ``b``."""
    x, y = pair(a, b, "tensordot")
    try:
        iter(axes)
    except TypeError:
        first, second = list(range(-axes, 0)), list(range(axes))
    else:
        first, second = (list(one) if np.iterable(one) else [one] for one in axes)
    if len(set(first)) < len(first) or len(set(second)) < len(second):
        raise ValueError("duplicate axes are not allowed in tensordot")
    if len(first) != len(second) or any(x.shape[i] != y.shape[j] for i, j in zip(first, second, strict=True)):
        raise ValueError("shape-mismatch for sum")
    return sum_of_products(wg.tensordot, x, y, dims=([operator.index(i) for i in first],
                                                     [operator.index(j) for j in second]))


@implements("linalg.tensordot")
def linalg_tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    """Return the sum of products over pairs of axes."""
    return tensordot(x1, x2, axes)


@implements("linalg.matmul")
def linalg_matmul(x1: Any, x2: Any, /) -> Any:
    """Return the product of matrices, batches of them and vectors."""
    return np.matmul(x1, x2)


@implements("linalg.vecdot")
def linalg_vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """Return the dot products along an axis, ``x1`` conjugated."""
    return call(ROWS[np.vecdot], np.vecdot, (x1, x2), axis=axis)


@implements("kron")
def kron(a: Any, b: Any) -> Any:
    """Return the Kronecker product: blocks of ``b``, each times an element of ``a``."""
    x, y = pair(a, b, "kron")
    ndim = max(x.ndim, y.ndim)
    x = x.reshape((1,) * (ndim - x.ndim) + tuple(x.shape))
    y = y.reshape((1,) * (ndim - y.ndim) + tuple(y.shape))
    shape = [m * n for m, n in zip(x.shape, y.shape, strict=True)]
    x = x.reshape([size for n in x.shape for size in (n, 1)])
    y = y.reshape([size for n in y.shape for size in (1, n)])
    return np.multiply(x, y).reshape(shape)


# ---- cross products


@implements("cross")
def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    """Return the cross product of vectors of three elements; a third element that is not there is zero."""
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = pair(a, b, "cross")
    if x.ndim < 1 or y.ndim < 1:
        raise ValueError("At least one array has zero dimension")
    x, y = wg.movedim(x, axis_index(axisa, x.ndim), -1), wg.movedim(y, axis_index(axisb, y.ndim), -1)
    if x.shape[-1] not in (2, 3) or y.shape[-1] not in (2, 3):
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    planar = x.shape[-1] == y.shape[-1] == 2
    if 2 in (x.shape[-1], y.shape[-1]):
        warnings.warn(
            "Arrays of 2-dimensional vectors are deprecated. Use arrays of 3-dimensional vectors instead.",
            DeprecationWarning,
            stacklevel=4,
        )
    if planar:
        return np.subtract(np.multiply(x[..., 0], y[..., 1]), np.multiply(x[..., 1], y[..., 0]))
    x, y = in_space(x), in_space(y)
    shape = np.broadcast_shapes(tuple(x.shape), tuple(y.shape))
    result = wg.linalg.cross(wg.broadcast_to(x, shape), wg.broadcast_to(y, shape), dim=-1)
    return wg.movedim(result, -1, axis_index(axisc, result.ndim))


def in_space(x: Tensor) -> Tensor:
    """Return vectors of two elements with a third one, zero; others as they are."""
    return x if x.shape[-1] == 3 else wg.cat([x, wg.zeros_like(x[..., :1])], dim=-1)


@implements("linalg.cross")
def linalg_cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """Return the cross product of vectors of three elements."""
    x, y = pair(x1, x2, "linalg.cross")
    sizes = x.shape[axis_index(axis, x.ndim)], y.shape[axis_index(axis, y.ndim)]
    if sizes != (3, 3):
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{sizes[0]} and {sizes[1]} dimensional instead."
        )
    return cross(x, y, axis=axis)


# ---- traces and diagonals


@implements("trace")
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    """Return the sums of diagonals of two axes."""
    x = to_tensor(a, "trace")
    return np.sum(diagonal(x, offset, axis1, axis2), axis=-1, dtype=dtype, out=out)


@implements("linalg.trace")
def linalg_trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """Return the sums of diagonals of the last two axes."""
    return trace(x, offset, -2, -1, dtype)


@implements("linalg.diagonal")
def linalg_diagonal(x: Any, /, *, offset: int = 0) -> Any:
    """Return the diagonals of the last two axes, a view."""
    return diagonal(to_tensor(x, "linalg.diagonal", "x"), offset, -2, -1)


def diagonal(x: Tensor, offset: int, axis1: int, axis2: int) -> Tensor:
    """Return the diagonals of two axes, as the last axis."""
    if x.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    first, second = axis_index(axis1, x.ndim), axis_index(axis2, x.ndim)
    if first == second:
        raise ValueError("axis1 and axis2 cannot be the same")
    rows, columns = x.shape[first], x.shape[second]
    return wg.diagonal(x, max(-rows, min(offset, columns)), first, second)


# ---- sums over named axes


@implements("einsum")
def einsum(
    *operands: Any, out: Any = None, optimize: Any = False, dtype: Any = None, order: str = "K", casting: str = "safe"
) -> Any:
    """Return a sum of products over axes that letters, or lists of numbers, name.

    optimize, order: without effect, the op chooses the order of the products.
    """
    names, tensors = einsum_operands(operands)
    tensors = promote(*tensors)
    if dtype is not None:
        wanted = to_dtype(dtype, "einsum")
        if not np.can_cast(numpy_dtype(tensors[0]), numpy_dtype(wanted), casting=casting):  # type: ignore[arg-type]
            raise TypeError(
                f"Cannot cast einsum operands from {numpy_dtype(tensors[0])!r} to {numpy_dtype(wanted)!r} according to "
                f"the rule '{casting}'"
            )
        tensors = [cast(t, wanted) for t in tensors]
    try:
        result = sum_of_products(contract, *tensors, names=names)
    except RuntimeError as error:
        raise ValueError(f"einsum: {error}") from error
    return write_out(out, result.to(tensors[0].dtype), "einsum", casting)  # sums of small integers stay small


def contract(*tensors: Tensor, names: str) -> Tensor:
    """Return an einsum of tensors of one dtype."""
    return wg.einsum(names, *tensors)


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def einsum_operands(operands: tuple[Any, ...]) -> tuple[str, list[Tensor]]:
    """Return the subscripts as a string, and the operands, of either way in which einsum is called."""
    if not operands:
        raise ValueError("must specify the einstein sum subscripts string and at least one operand, or at least one "
                         "operand and its corresponding subscripts list")
    if isinstance(operands[0], str):
        return operands[0].replace(" ", ""), [to_tensor(one, "einsum", "operands") for one in operands[1:]]
    values, lists = operands[: len(operands) // 2 * 2 : 2], operands[1::2]
    names = ",".join(map(subscripts, lists))
    if len(operands) % 2:
        names += "->" + subscripts(operands[-1])
    return names, [to_tensor(one, "einsum", "operands") for one in values]


def subscripts(numbers: Any) -> str:
    """Return the letters for a list of numbers, which sort as the numbers do, and of Ellipsis."""
    return "".join("..." if one is Ellipsis else LETTERS[operator.index(one)] for one in numbers)


@implements("einsum_path")
def einsum_path(*operands: Any, optimize: Any = "greedy", einsum_call: bool = False) -> Any:
    """Return the order of products that NumPy proposes for operands of these shapes, and a report."""
    if einsum_call:
        raise errors.unsupported_argument("einsum_path", "einsum_call", True, "it is for NumPy's own use")
    names, tensors = einsum_operands(operands)
    shapes = [np.broadcast_to(np.zeros(()), tuple(t.shape)) for t in tensors]
    return np.einsum_path(names, *shapes, optimize=optimize)
