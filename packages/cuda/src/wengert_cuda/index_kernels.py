"""Kernels that read or write at the places which an index gives: gather, scatter_add, index_add.

An array is taken as (outer, its length along the dim, inner), in row-major order: so an element's place is arithmetic.
Additions to one place go by atomicAdd, in any order: the last bits of a sum may differ from run to run, as in torch.
Core has checked the bounds of an index before.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from wengert_cuda.cupy_module import find_cupy
from wengert_cuda.references import is_real, reference

AT = "long long at = ((i / (length * inner)) * size + %s) * inner + i %% inner; "
EXTREME = """
    if (sizeof(T) == 4) {
        unsigned int* there = (unsigned int*) &y[place];
        for (unsigned int seen = *there;;) {
            T now = *(T*) &seen, wanted = value;
            if (now != now || !(value != value || value %(better)s now)) break;
            unsigned int before = atomicCAS(there, seen, *(unsigned int*) &wanted);
            if (before == seen) break;
            seen = before;
        }
    } else {
        unsigned long long* there = (unsigned long long*) &y[place];
        for (unsigned long long seen = *there;;) {
            T now = *(T*) &seen, wanted = value;
            if (now != now || !(value != value || value %(better)s now)) break;
            unsigned long long before = atomicCAS(there, seen, *(unsigned long long*) &wanted);
            if (before == seen) break;
            seen = before;
        }
    }
"""
SOURCES: dict[str, tuple[str, str, str]] = {
    # op, or function with _at: its inputs and outputs as CuPy names them, and the code for element i of index or source
    "gather": ("raw T x, I index, int64 size, int64 length, int64 inner", "T y", AT % "index" + "y = x[at];"),
    "scatter_add": ("I index, T src, int64 size, int64 length, int64 inner", "raw T y",
                    AT % "index" + "atomicAdd(&y[at], src);"),
    "index_add": ("raw I index, T src, T alpha, int64 size, int64 length, int64 inner", "raw T y",
                  AT % "index[(i / inner) % length]" + "atomicAdd(&y[at], alpha * src);"),
    # CuPy's own round float64 to float32 and lose NaN
    "maximum_at": ("I place, T value", "raw T y", EXTREME % {"better": ">"}),
    "minimum_at": ("I place, T value", "raw T y", EXTREME % {"better": "<"}),
}


@functools.cache
def kernel(op: str) -> Any:
    """CuPy's kernel object of an op."""
    inputs, outputs, code = SOURCES[op]
    return find_cupy()[0].ElementwiseKernel(inputs, outputs, code, f"wengert_{op}")


def geometry(x: Any, dim: int, length: int) -> tuple[int, int, int]:
    """(size, length, inner): of x along the dim, of the index, and of what lies behind the dim."""
    return x.shape[dim], length, math.prod(x.shape[dim + 1 :])


def fits(x: Any, dim: int, index: Any) -> bool:
    """Whether an index has x's sizes in all other dims; else places are no such arithmetic."""
    others = [axis for axis in range(x.ndim) if axis != dim]
    return bool(x.ndim == index.ndim and index.size and all(x.shape[axis] == index.shape[axis] for axis in others))


def gather(xp: Any, x: Any, dim: int, index: Any, sparse_grad: bool = False) -> Any:
    """The elements of a dim at the places that an index gives."""
    dim %= max(x.ndim, 1)
    if not is_real(x) or not fits(x, dim, index):
        return reference("gather")(xp, x, dim, index, sparse_grad)
    return kernel("gather")(xp.ascontiguousarray(x), index, *geometry(x, dim, index.shape[dim]))


def scatter_add(xp: Any, x: Any, dim: int, index: Any, src: Any) -> Any:
    """x with elements added along a dim."""
    dim %= max(x.ndim, 1)
    if not is_real(x, src) or not fits(x, dim, index):
        return reference("scatter_add")(xp, x, dim, index, src)
    out = xp.array(x, order="C")
    src = src[tuple(slice(n) for n in index.shape)]
    kernel("scatter_add")(index, src, *geometry(x, dim, index.shape[dim]), out)
    return out


def index_add(xp: Any, x: Any, dim: int, index: Any, source: Any, alpha: Any) -> Any:
    """x with alpha * source added to the parts of a dim."""
    dim %= max(x.ndim, 1)
    if not is_real(x, source) or x.ndim != source.ndim or not source.size or index.ndim != 1:
        return reference("index_add")(xp, x, dim, index, source, alpha)
    out = xp.array(x, order="C")
    kernel("index_add")(index, source, alpha, *geometry(x, dim, source.shape[dim]), out)
    return out


KERNELS: dict[str, Callable[..., Any]] = {"gather": gather, "scatter_add": scatter_add, "index_add": index_add}
"""By op: what runs in place of its reference."""
