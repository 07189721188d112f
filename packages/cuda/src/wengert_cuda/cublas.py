"""cuBLAS as wengert-cuda calls it while a stream captures, by ctypes: Note [Products of a capture] in products.py.

The names, arguments and numbers are those of NVIDIA's cublas_api.h and library_types.h.
"""

from __future__ import annotations

import ctypes
import importlib
import os
from collections.abc import Sequence
from ctypes import c_int, c_longlong, c_size_t, c_void_p
from typing import Any, NamedTuple

VERSIONS = (13, 12, 11)
"""Of cuBLAS; the first that CuPy has loaded is used."""
STATUS = {
    1: "NOT_INITIALIZED", 3: "ALLOC_FAILED", 7: "INVALID_VALUE", 8: "ARCH_MISMATCH", 11: "MAPPING_ERROR",
    13: "EXECUTION_FAILED", 14: "INTERNAL_ERROR", 15: "NOT_SUPPORTED", 16: "LICENSE_ERROR",
}  # fmt: skip
DEFAULT_ALGORITHM = -1
MOST = 2**31 - 1
"""Of a size, a leading dimension and a number of matrices, which are ints."""


ONES = (ctypes.c_float * 4)(1), (ctypes.c_double * 4)(1)
FACTORS = {68: (ctypes.addressof(ONES[0]), ctypes.addressof(ONES[0]) + 8),
           70: (ctypes.addressof(ONES[1]), ctypes.addressof(ONES[1]) + 16)}  # fmt: skip
"""Addresses of 1 and 0 as real or complex numbers, by the type of sums."""
NUMBERS = {"e": (2, 68), "f": (0, 68), "d": (1, 70), "F": (4, 68), "D": (5, 70)}
"""CUDA's number of a dtype, and cuBLAS's of the type of sums, by the dtype's letter in NumPy. float16 is summed in
float32; float32 is not rounded to TF32."""
MATRIX = (c_void_p, c_int, c_int)  # address, type, leading dimension
SIGNATURES: dict[str, Sequence[Any]] = {
    "cublasCreate_v2": (c_void_p,),
    "cublasSetStream_v2": (c_void_p, c_void_p),
    "cublasSetWorkspace_v2": (c_void_p, c_void_p, c_size_t),
    "cublasGemmEx": (c_void_p, *(c_int,) * 5, c_void_p, *MATRIX, *MATRIX, c_void_p, *MATRIX, c_int, c_int),
    "cublasGemmStridedBatchedEx": (
        c_void_p, *(c_int,) * 5, c_void_p, *(*MATRIX, c_longlong) * 2, c_void_p, *MATRIX, c_longlong, *(c_int,) * 3),
}  # fmt: skip


class Operand(NamedTuple):
    """Matrices in memory, row by row or column by column; numbers of elements."""

    address: int
    by_columns: bool
    leading: int  # from one row (column) to the next
    step: int  # from one matrix to the next


class Cublas:
    """The functions of the library. RuntimeError with the name of the status where one fails."""

    def __init__(self, library: Any) -> None:
        self.library = library
        for name, signature in SIGNATURES.items():
            function = getattr(library, name)
            function.argtypes, function.restype = signature, c_int

    def call(self, name: str, *arguments: Any) -> None:
        status = getattr(self.library, name)(*arguments)
        if status:
            raise RuntimeError(f"CUDA error: CUBLAS_STATUS_{STATUS.get(status, status)} when calling `{name}`")

    def create(self) -> int:
        """Return a new handle for the current device."""
        handle = c_void_p()
        self.call("cublasCreate_v2", ctypes.addressof(handle))
        return int(handle.value or 0)

    def use(self, handle: int, stream: int, workspace: int, nbytes: int) -> None:
        """Let a handle's calls be queued on a stream, with a workspace, which setting the stream resets."""
        self.call("cublasSetStream_v2", handle, stream)
        self.call("cublasSetWorkspace_v2", handle, workspace, nbytes)

    def multiply(
        self, handle: int, kind: str, sizes: tuple[int, int, int, int], a: Operand, b: Operand, out: int
    ) -> None:
        """Queue out[i] = a[i] @ b[i], of dtype ``kind``. sizes: matrices, their m, n and k.   out: row by row.

        cuBLAS knows columns only: out by rows is its transpose by columns, which is that of b times that of a.
        NotImplementedError for sizes that are no ints.
        """
        count, m, n, k = sizes
        if max(*sizes, a.leading, b.leading) > MOST:
            raise NotImplementedError(f"a product of matrices with sizes over {MOST} during stream capture")
        data_type, compute_type = NUMBERS[kind]
        one, zero = FACTORS[compute_type]
        first, second, target = [(one.address, data_type, one.leading) for one in (b, a, Operand(out, False, n, m * n))]
        head = (handle, int(b.by_columns), int(a.by_columns), n, m, k, one)
        tail = (compute_type, DEFAULT_ALGORITHM)
        if count == 1:
            self.call("cublasGemmEx", *head, *first, *second, zero, *target, *tail)
        else:
            self.call("cublasGemmStridedBatchedEx", *head, *first, b.step, *second, a.step, zero, *target,
                      m * n, count, *tail)  # fmt: skip


def load() -> tuple[Cublas | None, str]:
    """Return the cuBLAS that CuPy has loaded, and never another one; None, and why, where there is none."""
    if not hasattr(os, "RTLD_NOLOAD"):
        return None, "this system cannot tell which cuBLAS CuPy has loaded"
    try:
        _ = importlib.import_module("cupy").cuda.cublas  # which CuPy finds and loads when it is asked for
    except (ImportError, AttributeError) as error:
        return None, f"CuPy has no cuBLAS ({error})"
    for version in VERSIONS:
        try:
            library = ctypes.CDLL(f"libcublas.so.{version}", mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
        except OSError:
            continue
        try:
            return Cublas(library), ""
        except AttributeError as error:
            return None, f"a function of cuBLAS {version} is missing ({error})"
    return None, f"CuPy has loaded no cuBLAS of version {', '.join(map(str, VERSIONS))}"
