"""MPI's datatypes and reductions by the numbers of NumPy's dtypes, made once when MPI is initialized."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
import wengert

from wengert_distributed.reduce_op import RedOpType


class Types(NamedTuple):
    """Datatypes and reductions of MPI."""

    datatypes: dict[int, Any]
    """MPI's datatypes by NumPy's numbers."""
    ops: dict[RedOpType, Any]


PLAIN = ("float32", "float64", "int64", "int32", "int16", "int8", "uint8")
"""The dtypes that MPI reduces as they are."""
PLAIN_OPS = {
    RedOpType.SUM: RedOpType.SUM, RedOpType.PRODUCT: RedOpType.PRODUCT, RedOpType.MIN: RedOpType.MIN,
    RedOpType.MAX: RedOpType.MAX, RedOpType.AVG: RedOpType.SUM,
}  # fmt: skip
"""The reductions of these dtypes, by those of MPI: an average is the sum, divided afterwards."""


MOVED = {
    "float16": ("int16", 1), "bfloat16": ("int16", 1), "bool": ("uint8", 1), "uint16": ("int16", 1),
    "uint32": ("int32", 1), "uint64": ("int64", 1), "complex64": ("float32", 2), "complex128": ("float64", 2),
}  # fmt: skip
"""Those that it moves as elements of another one, and how many of these one element is."""


def plain_dtypes() -> set[Any]:
    """Return the dtypes that MPI reduces as they are."""
    return {getattr(wengert, name) for name in PLAIN}


@functools.cache
def moved_dtypes() -> dict[Any, tuple[Any, int, int]]:
    """Return MPI's datatype, NumPy's number and the number of elements for one of a tensor's, by dtype."""
    datatypes = mpi_types().datatypes
    found: dict[Any, tuple[Any, int, int]] = {}
    for name, (other, elements) in ({name: (name, 1) for name in PLAIN} | MOVED).items():
        num = np.dtype(other).num
        found[getattr(wengert, name)] = (datatypes[num], num, elements)
    return found


@functools.cache
def mpi_types() -> Types:
    """Return MPI's datatypes and reductions; MPI is initialized by it. bool and float16 are for moves only."""
    from mpi4py import MPI

    codes = {
        "?": MPI.UINT8_T, "b": MPI.INT8_T, "B": MPI.UINT8_T, "h": MPI.INT16_T, "H": MPI.UINT16_T, "i": MPI.INT32_T,
        "I": MPI.UINT32_T, "l": MPI.LONG, "L": MPI.UNSIGNED_LONG, "q": MPI.INT64_T, "Q": MPI.UINT64_T,
        "e": MPI.INT16_T, "f": MPI.FLOAT, "d": MPI.DOUBLE, "F": MPI.C_FLOAT_COMPLEX, "D": MPI.C_DOUBLE_COMPLEX,
    }  # fmt: skip
    datatypes: dict[int, Any] = {np.dtype(code).num: datatype for code, datatype in codes.items()}
    ops = {
        RedOpType.SUM: MPI.SUM, RedOpType.PRODUCT: MPI.PROD, RedOpType.MIN: MPI.MIN, RedOpType.MAX: MPI.MAX,
        RedOpType.BAND: MPI.BAND, RedOpType.BOR: MPI.BOR, RedOpType.BXOR: MPI.BXOR,
    }  # fmt: skip
    return Types(datatypes, ops)
