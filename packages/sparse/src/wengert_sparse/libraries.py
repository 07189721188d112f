"""Sparse matrices of the library whose arrays the components are: SciPy's for NumPy, cupyx.scipy's for CuPy."""

from __future__ import annotations

import importlib
from typing import Any

MODULES = {"numpy": "scipy.sparse", "cupy": "cupyx.scipy.sparse"}
"""The module with sparse matrices, by the package that arrays come from.

References get an array namespace that stands for CuPy (``wengert_cuda.namespace``), so that its name says nothing.
"""
CUPY_DTYPES = "fdFD"
"""The characters of the dtypes that cupyx's matrices have."""


def sparse_module(*values: Any) -> Any:
    """The module with sparse matrices of the library of some arrays, imported by the first product; None where it has
    none, or none of their dtypes.
    """
    library = type(values[0]).__module__.partition(".")[0]
    if library not in MODULES or (library != "numpy" and any(each.dtype.char not in CUPY_DTYPES for each in values)):
        return None
    return importlib.import_module(MODULES[library])


def require_sparse_module(what: str, *values: Any) -> Any:
    """The module; NotImplementedError, which says what is computed, where there is none."""
    found = sparse_module(*values)
    if found is None:
        dtypes = ", ".join(str(each.dtype) for each in values)
        raise NotImplementedError(
            f"{what} of {dtypes} is computed on the CPU, and by CuPy in float and complex dtypes: use .cpu() or .to()"
        )
    return found


def matrix(module: Any, kind: str, parts: Any, shape: tuple[int, int]) -> Any:
    """A matrix of a kind ("coo", "csr", "csc", "bsr"): SciPy's arrays, cupyx's matrices."""
    cls = getattr(module, f"{kind}_array", None) or getattr(module, f"{kind}_matrix")
    return cls(parts, shape=shape)
