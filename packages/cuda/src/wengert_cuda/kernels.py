"""Operations in one CUDA kernel each, in place of references that would take several: ``table``, by op.

Elementwise ones are here; those along rows (softmax, layer_norm) are in rows.py, reductions (var, logsumexp, norms) in
reductions.py, those at places (gather, scatter_add, index_add) in places.py. A kernel is compiled by CuPy for each
combination of dtypes when it is first called, and kept. They are for float32 and float64, and float16 as core's drivers
compute it: in float32. Everything else is left to the op's reference.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from wengert_cuda.cupy_module import found

SIGMOID = "T e = exp(-abs(x)); T s = (x >= T(0) ? T(1) : e) / (T(1) + e);"  # no overflow
SCALED = "T z = x * beta; T e = exp(-abs(z)); T s = (z >= T(0) ? T(1) : e) / (T(1) + e);"
NORMAL = "T cdf = T(0.5) * erfc(-x * T(0.70710678118654752)); "
DENSITY = "T density = exp(T(-0.5) * x * x) * T(0.39894228040143268); "
FUSED: dict[str, tuple[str, str]] = {
    # op: its inputs as CuPy names them, and the code
    "sigmoid": ("T x", f"{SIGMOID} y = s;"),
    "silu": ("T x", f"{SIGMOID} y = x * s;"),
    "relu": ("T x", "y = x < T(0) ? T(0) : x;"),
    "gelu": ("T x", f"{NORMAL} y = x * cdf;"),
    "softplus": ("T x, T beta, T threshold",
                 "T z = x * beta; y = z > threshold ? x : (max(z, T(0)) + log1p(exp(-abs(z)))) / beta;"),
    "log_sigmoid": ("T x", "y = (x < T(0) ? x : x != x ? x : T(0)) - log1p(exp(-abs(x)));"),
    "leaky_relu": ("T x, T slope", "y = x > T(0) ? x : x * slope;"),
    "erf": ("T x", "y = erf(x);"),
    "erfc": ("T x", "y = erfc(x);"),
    "erfinv": ("T x", "y = erfinv(x);"),
    "lgamma": ("T x", "y = lgamma(x);"),
    "sigmoid_backward": ("T g, T s", "y = g * s * (T(1) - s);"),
    "tanh_backward": ("T g, T t", "y = g * (T(1) - t * t);"),
    "threshold_backward": ("T g, T x, T threshold", "y = x <= threshold ? T(0) : g;"),
    "leaky_relu_backward": ("T g, T x, T slope", "y = x > T(0) ? g : g * slope;"),
    "softplus_backward": ("T g, T x, T beta, T threshold", f"{SCALED} y = z > threshold ? g : g * s;"),
    "silu_backward": ("T g, T x", f"{SIGMOID} y = g * s * (T(1) + x * (T(1) - s));"),
    "gelu_backward": ("T g, T x", f"{NORMAL}{DENSITY} y = g * (cdf + x * density);"),
    "log_sigmoid_backward": ("T g, T x", "T e = exp(-abs(x)); y = g * (x >= T(0) ? e : T(1)) / (T(1) + e);"),
    "addcmul": ("T a, T b, T c, T value", "y = a + value * b * c;"),
    "addcdiv": ("T a, T b, T c, T value", "y = a + value * b / c;"),
}


@functools.cache
def elementwise(op: str) -> Any:
    """CuPy's kernel object of an op."""
    inputs, code = FUSED[op]
    return found()[0].ElementwiseKernel(inputs, "T y", code, f"wengert_{op}")


def is_real(*values: Any) -> bool:
    """Whether the arrays among the values are all of float32, or all of float64; numbers follow them."""
    found = [(value.dtype.str[1:], value.ndim) for value in values if hasattr(value, "dtype")]
    kinds = {kind for kind, ndim in found if ndim} or {kind for kind, _ in found}
    return kinds in ({"f4"}, {"f8"})


def fused(op: str) -> Callable[..., Any]:
    """An op as core calls its reference: (xp, *arguments)."""
    n = FUSED[op][0].count(",") + 1

    def call(xp: Any, *arguments: Any) -> Any:
        if len(arguments) == n and is_real(*arguments):
            return elementwise(op)(*arguments)
        return reference(op)(xp, *arguments)  # complex numbers, integers

    return call


def reference(op: str) -> Callable[..., Any]:
    """The op's own reference."""
    from wengert_core.op import find

    found: Any = find(op).reference
    return found  # type: ignore[no-any-return]


def table() -> dict[str, Callable[..., Any]]:
    """All kernels by op."""
    from wengert_cuda import places, reductions, rows

    return {op: fused(op) for op in FUSED} | rows.KERNELS | reductions.KERNELS | places.KERNELS
