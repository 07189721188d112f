"""Kernels along rows, a block of threads for each row: softmax and its relatives, layer_norm and its gradient.

A row is what lies along the dim in question, which is moved to the end; row_code.py has the kernels. What is no plain
case (statistics that are given, other layouts) is left to the reference.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from wengert_cuda.cupy_module import find_cupy
from wengert_cuda.references import is_real, reference
from wengert_cuda.row_code import BY_COLUMN, REAL, Shape, shape_of, source

COLUMNS = 32  # by 8 rows of threads


@functools.cache
def kernel_of(name: str, kind: str, shape: Shape | None) -> Any:
    """CuPy's function of a kernel for "f4" or "f8". No shape: the one that goes by columns."""
    code = BY_COLUMN % {"real": REAL[kind]} if shape is None else source(REAL[kind], shape, name)
    return find_cupy()[0].RawModule(code=code).get_function(name)


def launch(name: str, rows: int, n: int, like: Any, arguments: tuple[Any, ...]) -> None:
    """Run a kernel of rows, of n elements each, for the numbers of an array."""
    shape = shape_of(n)
    blocks, threads = -(-rows // shape.together), (shape.threads, shape.together)
    kernel_of(name, like.dtype.str[1:], shape)((blocks,), threads, (np.int64(rows), *arguments))


def softmax_kernel(op: str, name: str, n_arrays: int) -> Callable[..., Any]:
    """softmax and its relatives as core calls them: (xp, arrays..., dim)."""

    def call(xp: Any, *arguments: Any) -> Any:
        arrays, dim = arguments[:n_arrays], arguments[n_arrays]
        if not is_real(*arrays) or not arrays[0].size:
            return reference(op)(xp, *arguments)
        last = dim in (-1, arrays[0].ndim - 1)
        rows = [xp.ascontiguousarray(array if last else xp.moveaxis(array, dim, -1)) for array in arrays]
        out = xp.empty(rows[0].shape, rows[0].dtype)
        n = out.shape[-1]
        launch(name, out.size // n, n, out, (*rows, out, np.int64(n)))
        return out if last else xp.moveaxis(out, -1, dim)

    return call


def is_rows(layout: Any) -> bool:
    """Whether a normalization is over rows: a layer's. layout: (outer, images, groups, channels, size)."""
    outer, images, groups, channels, size = layout
    return bool(outer == groups == size == 1 and images * channels)


def contiguous(xp: Any, array: Any) -> Any:
    """An array as kernels read it; a null pointer for None."""
    return np.uintp(0) if array is None else xp.ascontiguousarray(array)


def layer_norm(xp: Any, x: Any, weight: Any, bias: Any, mean: Any, var: Any, layout: Any, eps: Any) -> Any:
    """(result, mean, variance) of each row; see the reference."""
    if mean is not None or not is_rows(layout) or not is_real(x):
        return reference("_layer_norm")(xp, x, weight, bias, mean, var, layout, eps)
    rows, n = layout[1], layout[3]
    x = xp.ascontiguousarray(x)
    out, means, variances = xp.empty_like(x), xp.empty(rows, x.dtype), xp.empty(rows, x.dtype)
    arguments = (x, contiguous(xp, weight), contiguous(xp, bias), out, means, variances, np.int64(n), x.dtype.type(eps))
    launch("layer_norm", rows, n, x, arguments)
    return out, means, variances


def layer_norm_backward(
    xp: Any, grad: Any, x: Any, weight: Any, mean: Any, var: Any, given: Any, layout: Any, eps: Any
) -> Any:
    """The gradients of input, weight and bias; see the reference."""
    if given or not is_rows(layout) or not is_real(x, grad):
        return reference("normalization_backward")(xp, grad, x, weight, mean, var, given, layout, eps)
    rows, n = layout[1], layout[3]
    grad, x, mean, var = (xp.ascontiguousarray(array) for array in (grad, x, mean, var))
    out, by_weight, by_bias = xp.empty_like(x), xp.empty(n, x.dtype), xp.empty(n, x.dtype)
    count, small = np.int64(n), x.dtype.type(eps)
    launch("layer_norm_backward", rows, n, x, (grad, x, contiguous(xp, weight), mean, var, out, count, small))
    kernel_of("layer_norm_weights", x.dtype.str[1:], None)(
        (-(-n // COLUMNS),), (COLUMNS, 8),
        (grad, x, mean, var, by_weight, by_bias, np.int64(rows), count, small))
    return out, by_weight, by_bias


KERNELS: dict[str, Callable[..., Any]] = {
    "softmax": softmax_kernel("softmax", "softmax", 1),
    "log_softmax": softmax_kernel("log_softmax", "log_softmax", 1),
    "_softmax_backward_data": softmax_kernel("_softmax_backward_data", "softmax_backward", 2),
    "_log_softmax_backward_data": softmax_kernel("_log_softmax_backward_data", "log_softmax_backward", 2),
    "_layer_norm": layer_norm,
    "normalization_backward": layer_norm_backward,
}
"""By op: what runs in place of its reference."""
