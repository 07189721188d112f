"""Kernels along rows, a block of threads for each row: softmax and its relatives, layer_norm and its gradient.

A row is what lies along the dim in question, which is moved to the end. Sums go over a tree in shared memory, so that
they are the same in every run. What is no plain case (statistics that are given, other layouts) is left to the
reference.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from wengert_cuda.cupy_module import found
from wengert_cuda.kernels import is_real, reference

THREADS = 256
COLUMNS = 32  # by 8 rows of threads
REAL = {"f4": "float", "f8": "double"}
HEAD = """
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
typedef %(real)s real;

__device__ real larger(real a, real b) { return a > b || a != a ? a : b; }  // a NaN stays

__device__ real sum_of(real value, real* part) {
    part[threadIdx.x] = value;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    real total = part[0];
    __syncthreads();
    return total;
}

__device__ real largest_of(real value, real* part) {
    part[threadIdx.x] = value;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] = larger(part[threadIdx.x], part[threadIdx.x + half]);
        __syncthreads();
    }
    real top = part[0];
    __syncthreads();
    return top;
}
"""
# of a row x[0..n): its largest element, and the sum of the exponentials of what is above or below it
TOP = """
    real top = -INFINITY, total = real(0);
    for (long long i = threadIdx.x; i < n; i += blockDim.x) top = larger(top, x[i]);
    top = largest_of(top, part);
"""
EXPONENTIALS = """
    for (long long i = threadIdx.x; i < n; i += blockDim.x) total += exp(x[i] - top);
    total = sum_of(total, part);
"""
EACH = "for (long long i = threadIdx.x; i < n; i += blockDim.x)"
SOURCES: dict[str, tuple[str, str]] = {}
"""By kernel: its arguments and its body."""


def add(name: str, arguments: str, body: str) -> None:
    """A kernel by its arguments, and its body for the row ``blockIdx.x`` of n elements."""
    SOURCES[name] = arguments, body


add(
    "softmax",
    "const real* x, real* y, long long n",
    f"x += blockIdx.x * n; y += blockIdx.x * n; {TOP}{EXPONENTIALS} {EACH} y[i] = exp(x[i] - top) / total;",
)
add(
    "log_softmax",
    "const real* x, real* y, long long n",
    f"x += blockIdx.x * n; y += blockIdx.x * n; {TOP}{EXPONENTIALS} real sum = log(total);"
    f" {EACH} y[i] = x[i] - top - sum;",
)
add(
    "softmax_backward",
    "const real* g, const real* x, real* y, long long n",
    "g += blockIdx.x * n; x += blockIdx.x * n; y += blockIdx.x * n; real total = real(0);"
    f" {EACH} total += g[i] * x[i]; total = sum_of(total, part); {EACH} y[i] = x[i] * (g[i] - total);",
)
add(
    "log_softmax_backward",
    "const real* g, const real* x, real* y, long long n",
    "g += blockIdx.x * n; x += blockIdx.x * n; y += blockIdx.x * n; real total = real(0);"
    f" {EACH} total += g[i]; total = sum_of(total, part); {EACH} y[i] = g[i] - exp(x[i]) * total;",
)
add(
    "layer_norm",
    "const real* x, const real* weight, const real* bias, real* y, real* means, real* vars, long long n, real eps",
    f"x += blockIdx.x * n; y += blockIdx.x * n; real total = real(0); {EACH} total += x[i];"
    f" real mean = sum_of(total, part) / n; total = real(0); {EACH} total += (x[i] - mean) * (x[i] - mean);"
    " real var = sum_of(total, part) / n, scale = real(1) / sqrt(var + eps);"
    " if (threadIdx.x == 0) { means[blockIdx.x] = mean; vars[blockIdx.x] = var; }"
    f" {EACH} y[i] = (x[i] - mean) * scale * (weight ? weight[i] : real(1)) + (bias ? bias[i] : real(0));",
)
add(
    "layer_norm_backward",
    "const real* g, const real* x, const real* weight, const real* means, const real* vars, real* y, long long n,"
    " real eps",
    "g += blockIdx.x * n; x += blockIdx.x * n; y += blockIdx.x * n; real mean = means[blockIdx.x];"
    " real scale = real(1) / sqrt(vars[blockIdx.x] + eps), one = real(0), two = real(0);"
    f" {EACH} {{ real s = g[i] * (weight ? weight[i] : real(1)); one += s; two += s * (x[i] - mean) * scale; }}"
    " one = sum_of(one, part) / n; two = sum_of(two, part) / n;"
    f" {EACH} y[i] = scale * (g[i] * (weight ? weight[i] : real(1)) - one - (x[i] - mean) * scale * two);",
)
# the gradients of weight and bias: a thread's column, summed over all rows by 8 threads
BY_COLUMN = """
extern "C" __global__ void layer_norm_weights(const real* g, const real* x, const real* means, const real* vars,
                                              real* by_weight, real* by_bias, long long rows, long long n, real eps) {
    __shared__ real one[256], two[256];
    long long column = (long long) blockIdx.x * blockDim.x + threadIdx.x;
    int me = threadIdx.y * blockDim.x + threadIdx.x;
    real a = real(0), b = real(0);
    if (column < n)
        for (long long row = threadIdx.y; row < rows; row += blockDim.y) {
            real grad = g[row * n + column];
            a += grad * (x[row * n + column] - means[row]) / sqrt(vars[row] + eps);
            b += grad;
        }
    one[me] = a;
    two[me] = b;
    __syncthreads();
    for (int half = blockDim.y / 2; half > 0; half /= 2) {
        if (threadIdx.y < half) {
            one[me] += one[me + half * blockDim.x];
            two[me] += two[me + half * blockDim.x];
        }
        __syncthreads();
    }
    if (threadIdx.y == 0 && column < n) {
        by_weight[column] = one[me];
        by_bias[column] = two[me];
    }
}
"""


def source(real: str) -> str:
    """The CUDA source of all kernels for one type of numbers."""
    text = [HEAD % {"real": real}]
    for name, (arguments, body) in SOURCES.items():
        text.append(f'extern "C" __global__ void {name}({arguments}) {{ __shared__ real part[{THREADS}]; {body} }}\n')
    return "".join([*text, BY_COLUMN])


@functools.cache
def module(kind: str) -> Any:
    """CuPy's module of the kernels for "f4" or "f8"."""
    return found()[0].RawModule(code=source(REAL[kind]))


def kernel(name: str, like: Any) -> Any:
    """A kernel for the numbers of an array: call it with (blocks,), (threads,), arguments."""
    return module(like.dtype.str[1:]).get_function(name)


def row_count(array: Any) -> int:
    """How many rows an array has along its last dim."""
    return math.prod(array.shape[:-1])


def along(op: str, name: str, n_arrays: int) -> Callable[..., Any]:
    """softmax and its relatives as core calls them: (xp, arrays..., dim)."""

    def call(xp: Any, *arguments: Any) -> Any:
        arrays, dim = arguments[:n_arrays], arguments[n_arrays]
        if not is_real(*arrays) or not arrays[0].size:
            return reference(op)(xp, *arguments)
        rows = [xp.ascontiguousarray(xp.moveaxis(array, dim, -1)) for array in arrays]
        out = xp.empty_like(rows[0])
        n = out.shape[-1]
        kernel(name, out)((row_count(out),), (THREADS,), (*rows, out, np.int64(n)))
        return xp.moveaxis(out, -1, dim)

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
    kernel("layer_norm", x)((rows,), (THREADS,), arguments)
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
    kernel("layer_norm_backward", x)(
        (rows,), (THREADS,), (grad, x, contiguous(xp, weight), mean, var, out, count, small))
    kernel("layer_norm_weights", x)(
        (-(-n // COLUMNS),), (COLUMNS, THREADS // COLUMNS),
        (grad, x, mean, var, by_weight, by_bias, np.int64(rows), count, small))
    return out, by_weight, by_bias


KERNELS: dict[str, Callable[..., Any]] = {
    "softmax": along("softmax", "softmax", 1),
    "log_softmax": along("log_softmax", "log_softmax", 1),
    "_softmax_backward_data": along("_softmax_backward_data", "softmax_backward", 2),
    "_log_softmax_backward_data": along("_log_softmax_backward_data", "log_softmax_backward", 2),
    "_layer_norm": layer_norm,
    "normalization_backward": layer_norm_backward,
}
"""By op: what runs in place of its reference."""
