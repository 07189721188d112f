"""Operations in one CUDA kernel each, in place of references that would take several: ``table``, by op.

Elementwise ones are here: as CuPy's kernels for any strides, and for contiguous memory of one shape as kernels which
read as much at once as a thread can (``flat``). Those along rows (softmax, layer_norm) are in rows.py, reductions (var,
logsumexp, norms) in reductions.py, those at places (gather, scatter_add, index_add) in index_kernels.py. A kernel is
compiled by CuPy for each combination of dtypes when it is first called, and kept. They are for float32 and float64, and
float16 as core's drivers compute it: in float32. Everything else is left to the op's reference.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from wengert_cuda import index_kernels, reductions, rows
from wengert_cuda.cupy_module import find_cupy
from wengert_cuda.references import is_real, reference

SIGMOID = "T e = exp(-abs(x)); T s = (x >= T(0) ? T(1) : e) / (T(1) + e);"  # no overflow
SCALED = "T z = x * beta; T e = exp(-abs(z)); T s = (z >= T(0) ? T(1) : e) / (T(1) + e);"
NORMAL = "T cdf = T(0.5) * erfc(-x * T(0.70710678118654752)); "
DENSITY = "T density = exp(T(-0.5) * x * x) * T(0.39894228040143268); "
FLOORED = (
    "T rest = fmod(a, b), quotient = (a - rest) / b; "
    "if (rest != T(0) && (b < T(0)) != (rest < T(0))) quotient -= T(1); T below = floor(quotient); "
    "if (quotient - below > T(0.5)) below += T(1); "
    "y = b == T(0) ? a / b : quotient == T(0) ? copysign(T(0), a / b) : below;"
)
REMAINDER = "T rest = fmod(a, b); y = rest != T(0) && (b < T(0)) != (rest < T(0)) ? rest + b : rest;"
FUSED: dict[str, tuple[str, str]] = {
    # op: its inputs as CuPy names them, and the code
    "add": ("T a, T b", "y = a + b;"),
    "sub": ("T a, T b", "y = a - b;"),
    "mul": ("T a, T b", "y = a * b;"),
    "div": ("T a, T b", "y = a / b;"),
    "neg": ("T x", "y = -x;"),
    "exp": ("T x", "y = exp(x);"),
    "tanh": ("T x", "y = tanh(x);"),
    "sqrt": ("T x", "y = sqrt(x);"),
    "rsqrt": ("T x", "y = T(1) / sqrt(x);"),
    "reciprocal": ("T x", "y = T(1) / x;"),
    "abs": ("T x", "y = fabs(x);"),
    "log": ("T x", "y = log(x);"),
    "log1p": ("T x", "y = log1p(x);"),
    "expm1": ("T x", "y = expm1(x);"),
    "sin": ("T x", "y = sin(x);"),
    "cos": ("T x", "y = cos(x);"),
    "maximum": ("T a, T b", "y = a != a ? a : b != b ? b : max(a, b);"),
    "minimum": ("T a, T b", "y = a != a ? a : b != b ? b : min(a, b);"),
    "sigmoid": ("T x", f"{SIGMOID} y = s;"),
    "silu": ("T x", f"{SIGMOID} y = x * s;"),
    "relu": ("T x", "y = x < T(0) ? T(0) : x;"),
    "gelu": ("T x", f"{NORMAL} y = x * cdf;"),
    "softplus": ("T x, T beta, T threshold",
                 "T z = x * beta; y = z > threshold ? x : (max(z, T(0)) + log1p(exp(-abs(z)))) / beta;"),
    "log_sigmoid": ("T x", "y = (x < T(0) ? x : x != x ? x : T(0)) - log1p(exp(-abs(x)));"),
    "leaky_relu": ("T x, T slope", "y = x > T(0) ? x : x * slope;"),
    "floor_divide": ("T a, T b", FLOORED),  # CuPy's is infinite for an infinity divided
    "remainder": ("T a, T b", REMAINDER),  # CuPy's is NaN of a number by an infinity
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


OPTIONS = ("--fmad=false",)
"""Of CUDA's compiler: Note [Bits of a fused kernel] in fused.py."""


@functools.cache
def elementwise(op: str) -> Any:
    """CuPy's kernel object of an op."""
    inputs, code = FUSED[op]
    return find_cupy()[0].ElementwiseKernel(inputs, "T y", code, f"wengert_{op}", options=OPTIONS)


class FusedKernel:
    """An op as core calls its reference, (xp, *arguments), and for contiguous memory of one shape by its addresses."""

    def __init__(self, op: str) -> None:
        self.op, self.n = op, FUSED[op][0].count(",") + 1

    def __call__(self, xp: Any, *arguments: Any) -> Any:
        if len(arguments) == self.n and is_real(*arguments):
            return elementwise(self.op)(*arguments)
        return reference(self.op)(xp, *arguments)  # complex numbers, integers

    def flat(self, kind: str, arrays: int, out: int, n: int, *values: Any) -> bool:
        """Compute n contiguous elements of float32 ("f") or float64 ("d") at an address. values: the addresses of the
        others where ``arrays`` has a bit, else numbers. False: nothing was done.
        """
        if len(values) != self.n:
            return False
        number, together, given = NUMBERS[kind], out, []
        for k, value in enumerate(values):
            if arrays >> k & 1:
                together |= value
                given.append(value)
            else:
                with np.errstate(over="ignore"):  # infinity, as on the CPU
                    given.append(number(value))
        size = SIZES[kind]
        packs = 0 if together % PACK else n // size
        items = packs + n - packs * size
        flat(self.op, kind, arrays)((-(-items // BLOCK),), (BLOCK,), (*given, out, packs, n))
        return True


NUMBERS = {"f": np.float32, "d": np.float64}
PACK, BLOCK = 16, 256
"""Bytes that a thread reads at once; threads of a block."""
SIZES = {"f": PACK // 4, "d": PACK // 8}
FLAT = """
typedef %(real)s T;
const int SIZE = %(pack)d / sizeof(T);
struct alignas(%(pack)d) Pack { T part[SIZE]; };

__device__ T compute(%(parameters)s) { T y; %(code)s return y; }

// packs of all arrays, one for each thread; then single elements
extern "C" __global__ void %(name)s(%(arguments)s, T* y, long long packs, long long n) {
    long long i = (long long) blockIdx.x * blockDim.x + threadIdx.x;
    if (i < packs) {
        Pack result; %(loads)s
        #pragma unroll
        for (int k = 0; k < SIZE; k++) result.part[k] = compute(%(parts)s);
        ((Pack*) y)[i] = result;
    } else {
        i += packs * (SIZE - 1);
        if (i < n) y[i] = compute(%(elements)s);
    }
}
"""


def flat_source(op: str, kind: str, arrays: int) -> str:
    """The kernel for contiguous arrays. arrays: a bit for each argument that is one; others are numbers."""
    inputs, code = FUSED[op]
    names = [part.split()[-1] for part in inputs.split(",")]
    is_array = {name: bool(arrays >> k & 1) for k, name in enumerate(names)}
    return FLAT % {
        "real": "float" if kind == "f" else "double", "pack": PACK, "code": code, "name": f"flat_{op}",
        "parameters": ", ".join(f"T {name}" for name in names),
        "arguments": ", ".join(f"{'const T*' if is_array[name] else 'T'} {name}" for name in names),
        "loads": " ".join(f"Pack {name}_pack = ((const Pack*) {name})[i];" for name in names if is_array[name]),
        "parts": ", ".join(f"{name}_pack.part[k]" if is_array[name] else name for name in names),
        "elements": ", ".join(f"{name}[i]" if is_array[name] else name for name in names),
    }  # fmt: skip


@functools.cache
def flat(op: str, kind: str, arrays: int) -> Any:
    """CuPy's function of a kernel; arguments of ``flat_source``."""
    code = flat_source(op, kind, arrays)
    return find_cupy()[0].RawModule(code=code, options=OPTIONS).get_function(f"flat_{op}")


def table() -> dict[str, Callable[..., Any]]:
    """All kernels by op."""
    return {op: FusedKernel(op) for op in FUSED} | rows.KERNELS | reductions.KERNELS | index_kernels.KERNELS
