"""Operations in one CUDA kernel each, in place of references that would take several.

A kernel is compiled by CuPy for each combination of dtypes when it is first called, and kept. All are elementwise:
their inputs are broadcast. float16 comes as float32 from core's drivers where that is what an op computes in.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

SIGMOID = "T e = exp(-abs(x)); T s = (x >= 0 ? T(1) : e) / (T(1) + e);"  # no overflow
FUSED: dict[str, tuple[str, str]] = {
    # op: its inputs as CuPy names them, and the code
    "sigmoid": ("T x", f"{SIGMOID} y = s;"),
    "silu": ("T x", f"{SIGMOID} y = x * s;"),
    "sigmoid_backward": ("T g, T s", "y = g * s * (T(1) - s);"),
    "tanh_backward": ("T g, T t", "y = g * (T(1) - t * t);"),
    "addcmul": ("T a, T b, T c, T value", "y = a + value * b * c;"),
    "addcdiv": ("T a, T b, T c, T value", "y = a + value * b / c;"),
}


@functools.cache
def elementwise(op: str) -> Any:
    """CuPy's kernel object of an op."""
    from wengert_cuda.cupy_module import found

    inputs, code = FUSED[op]
    return found()[0].ElementwiseKernel(inputs, "T y", code, f"wengert_{op}")


def fused(op: str) -> Callable[..., Any]:
    """An op as core calls its reference: (xp, *arguments)."""

    def call(xp: Any, *arguments: Any) -> Any:
        arrays = [value for value in arguments if hasattr(value, "dtype") and hasattr(value, "ndim")]
        kind = arrays[0].dtype.kind
        if kind == "f" and len(arguments) == FUSED[op][0].count(",") + 1:
            return elementwise(op)(*arguments)
        return reference(op)(xp, *arguments)  # complex numbers and integers

    return call


def reference(op: str) -> Callable[..., Any]:
    """The op's own reference."""
    from wengert_core.op import find

    found: Any = find(op).reference
    return found  # type: ignore[no-any-return]


KERNELS: dict[str, Callable[..., Any]] = {op: fused(op) for op in FUSED}
"""By op: what runs in place of its reference."""
