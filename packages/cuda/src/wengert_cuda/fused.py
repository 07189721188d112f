"""One kernel for a chain of pointwise operations: ``make_kernel``, for a FusedExpression of core's.

Note [Bits of a fused kernel]
    The source has a function for each operation, with the code that its own kernel has (``kernels.FUSED``), and calls
    them one behind the other. CUDA's compiler would contract a product in one of them and a sum in the next to one
    operation with one rounding; so all kernels with these codes are compiled with ``--fmad=false``. Nothing else
    depends on what stands around a code: divisions and roots are rounded correctly, subnormal numbers stay, sums are
    not reordered, and exp, tanh and the like are the same functions of CUDA's. So the results are the bits of the
    operations one by one.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from wengert_core.extend import FusedExpression

from wengert_cuda.cupy_module import find_cupy
from wengert_cuda.kernels import BLOCK, FUSED, NUMBERS, OPTIONS, PACK, SIZES, FusedKernel

VARIANTS = {
    # step: its code; without a kernel of its own it is CuPy's function, which has the same
    "pow 2": ("T x", "y = x * x;"),
    "pow 3": ("T x", "y = x * x * x;"),
    "pow 0.5": ("T x", "y = sqrt(x);"),
    "pow -1": ("T x", "y = T(1) / x;"),
}
STEPS = FUSED | VARIANTS
REAL = {"f": "float", "d": "double"}
NAME = "fused_chain"
MOST_KERNELS = 4096
SOURCE = """
typedef %(real)s T;
const int SIZE = %(pack)d / sizeof(T);
struct alignas(%(pack)d) Pack { T part[SIZE]; };

%(functions)s
// packs of all contiguous arrays, one for each thread; then single elements
extern "C" __global__ void %(name)s(%(arguments)s, long long packs, long long n) {
    long long i = (long long) blockIdx.x * blockDim.x + threadIdx.x;
    if (i < packs) {
        Pack %(results)s;
        %(loads)s
        #pragma unroll
        for (int k = 0; k < SIZE; k++) compute(%(parts)s);
        %(stores)s
    } else {
        i += packs * (SIZE - 1);
        if (i < n) compute(%(elements)s);
    }
}
"""


def operation(op: str, name: str) -> str:
    """The function of an operation."""
    inputs, code = STEPS[op]
    return f"__device__ T {name}({inputs}) {{ T y; {code} return y; }}\n"


def element_offset(number: int, layout: tuple[tuple[int, int], ...]) -> str:
    """The function that gives the offset of element i in an array that is not contiguous."""
    whole = "unsigned int" if math.prod(size for size, _ in layout) < 1 << 32 else "unsigned long long"
    terms, below = [], 1
    for k, (size, stride) in enumerate(reversed(layout)):
        index = f"i / {below}" if below > 1 else "i"
        if stride:
            term = f"({index}) % {size}" if k < len(layout) - 1 else index
            terms.append(f"(long long) ({term}) * {stride}")
        below *= size
    return f"__device__ long long offset_{number}({whole} i) {{ return {' + '.join(terms) or '0'}; }}\n"


def names_of(expression: FusedExpression) -> dict[str, list[str]]:
    """The names of inputs, numbers and steps."""
    counts = {"input": len(expression.inputs), "number": expression.numbers, "step": len(expression.steps)}
    return {kind: [f"{kind[0]}{k}" for k in range(count)] for kind, count in counts.items()}


def fused_source(expression: FusedExpression) -> str:
    """The kernel of an expression."""
    names = names_of(expression)
    inputs, numbers, layouts = names["input"], names["number"], expression.inputs
    outputs = [f"y{k}" for k in range(len(expression.outputs))]
    ops = {op: f"op{k}" for k, op in enumerate(sorted({step.op for step in expression.steps}))}
    steps = [f"T s{k} = {ops[step.op]}({', '.join(names[kind][at] for kind, at in step.operands)});"
             for k, step in enumerate(expression.steps)]  # fmt: skip
    steps += [f"{name} = s{number};" for name, number in zip(outputs, expression.outputs, strict=True)]
    parameters = [f"T {name}" for name in inputs + numbers] + [f"T& {name}" for name in outputs]
    compute = f"__device__ void compute({', '.join(parameters)}) {{ {' '.join(steps)} }}\n"
    flat = [name for name, layout in zip(inputs, layouts, strict=True) if layout is None]
    functions = [operation(op, name) for op, name in ops.items()]
    functions += [element_offset(k, layout) for k, layout in enumerate(layouts) if layout is not None]

    def values(index: str, contiguous: str) -> str:
        """The arguments of ``compute`` for an element: its index, and how it stands in a contiguous array."""
        given = [contiguous % name if layout is None else f"{name}[offset_{k}({index})]"
                 for k, (name, layout) in enumerate(zip(inputs, layouts, strict=True))]  # fmt: skip
        return ", ".join(given + numbers + [contiguous % name for name in outputs])

    arguments = [f"const T* {name}" for name in inputs] + [f"T {name}" for name in numbers]
    return SOURCE % {
        "real": REAL[expression.dtype], "pack": PACK, "name": NAME, "functions": "".join([*functions, compute]),
        "arguments": ", ".join(arguments + [f"T* {name}" for name in outputs]),
        "results": ", ".join(f"{name}_pack" for name in outputs),
        "loads": " ".join(f"Pack {name}_pack = ((const Pack*) {name})[i];" for name in flat),
        "stores": " ".join(f"((Pack*) {name})[i] = {name}_pack;" for name in outputs),
        "parts": values("i * SIZE + k", "%s_pack.part[k]"), "elements": values("i", "%s[i]"),
    }  # fmt: skip


class ChainKernel:
    """A fused kernel, as DevicePlugin.fuse gives it."""

    def __init__(self, expression: FusedExpression) -> None:
        self.expression = expression
        source = fused_source(expression)
        self.function = find_cupy()[0].RawModule(code=source, options=OPTIONS).get_function(NAME)

    def __call__(
        self, index: int, n: int, inputs: Sequence[Any], numbers: Sequence[float], outputs: Sequence[Any]
    ) -> None:
        """Queue the kernel on the current stream."""
        kind, layouts = self.expression.dtype, self.expression.inputs
        addresses, results = [one.data.ptr for one in inputs], [one.data.ptr for one in outputs]
        flat = [one for one, layout in zip(addresses, layouts, strict=True) if layout is None]
        with np.errstate(over="ignore"):  # infinity, as on the CPU
            given = [NUMBERS[kind](number) for number in numbers]
        size = SIZES[kind]
        packs = 0 if any(one % PACK for one in flat + results) else n // size
        items = packs + n - packs * size
        self.function((-(-items // BLOCK),), (BLOCK,), (*addresses, *given, *results, packs, n))


class SingleKernel:
    """The kernel of one operation on contiguous memory, which calls without a capture use as well."""

    def __init__(self, expression: FusedExpression) -> None:
        ((op, self.operands),) = expression.steps
        self.kind, self.kernel = expression.dtype, FusedKernel(op)
        self.arrays = sum(1 << k for k, one in enumerate(self.operands) if one.kind == "input")

    def __call__(
        self, index: int, n: int, inputs: Sequence[Any], numbers: Sequence[float], outputs: Sequence[Any]
    ) -> None:
        """Queue the kernel on the current stream."""
        values = [inputs[k].data.ptr if kind == "input" else numbers[k] for kind, k in self.operands]
        self.kernel.flat(self.kind, self.arrays, outputs[0].data.ptr, n, *values)


@functools.lru_cache(maxsize=MOST_KERNELS)
def make_kernel(expression: FusedExpression) -> ChainKernel | SingleKernel:
    """The kernel of an expression, which is compiled now."""
    is_flat = all(layout is None for layout in expression.inputs)
    is_single = is_flat and len(expression.steps) == 1 and expression.steps[0].op in FUSED
    return SingleKernel(expression) if is_single else ChainKernel(expression)
