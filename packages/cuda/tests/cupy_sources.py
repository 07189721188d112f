"""The sources that CuPy itself writes around the codes of elementwise kernels; it needs no GPU for it."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
from wengert_cuda import index_kernels, kernels

HEADERS = "".join(f"#include <cupy/{name}>\n" for name in "complex.cuh carray.cuh atomics.cuh math_constants.h".split())
ARRAY, INDEXER, SCALAR = 1, 2, 3
"""CuPy's numbers for the kinds of a kernel's arguments."""


def why_not() -> str:
    """The reason why CuPy cannot be asked; "" where it can."""
    if importlib.util.find_spec("cupy") is None:
        return "CuPy is not installed"
    generator = importlib.import_module("cupy._core._kernel")
    is_there = hasattr(generator, "_get_elementwise_kernel_code")
    return "" if is_there else "this CuPy writes its kernels by other functions"


def include_options() -> list[str]:
    """The compiler's options for CuPy's headers."""
    folder = Path(importlib.import_module("cupy").__path__[0]) / "_core" / "include"
    bundled = [folder / "cupy" / "_cccl" / name for name in ("libcudacxx", "thrust", "cub")]
    bundled.append(folder / "cupy" / "_cuda" / "cuda-12")  # until CuPy 13: the types of 16 bits
    return [f"-I{one}" for one in (folder, *bundled) if one.is_dir()]


def source(name: str, kernel: Any, number: Any, index: Any, ndim: int, contiguous: bool, scalars: bool) -> str:
    """CuPy's source of a kernel, in a namespace. scalars: whether all inputs of type T but the first are numbers."""
    generator = importlib.import_module("cupy._core._kernel")
    array, indexer = importlib.import_module("cupy").ndarray, importlib.import_module("cupy._core._carray").Indexer
    scalar = importlib.import_module("cupy._core._scalar").CScalar
    types = {"T": number, "I": index, "int64": np.int64}
    infos = []
    for k, one in enumerate(kernel.params):
        if one.name == "_ind":
            infos.append(generator._ArgInfo(INDEXER, indexer, None, ndim, True, True))
        elif one.ctype == "int64" or one.dtype is not None or (scalars and k and one.is_const and one.ctype == "T"):
            infos.append(generator._ArgInfo(SCALAR, scalar, types.get(one.ctype, one.dtype), 0, True, True))
        else:
            infos.append(generator._ArgInfo(ARRAY, array, types[one.ctype], 1 if one.raw else ndim, contiguous, True))
    known = generator._TypeMap(tuple((letter, types[letter]) for letter in "TI"))
    text = generator._get_elementwise_kernel_code(
        tuple(infos), known, kernel.params, kernel.operation, kernel.name, kernel.preamble)
    return f"namespace {name} {{ {text} }}\n".replace('extern "C" ', "")


def sources(number: Any, index: Any, ndim: int, contiguous: bool, scalars: bool) -> str:
    """All elementwise kernels of wengert-cuda, as CuPy writes them for arrays of that kind."""
    every = {op: kernels.elementwise(op) for op in kernels.FUSED}
    every |= {op: index_kernels.kernel(op) for op in index_kernels.SOURCES}
    texts = [source(f"of_{op}", one, number, index, ndim, contiguous, scalars) for op, one in every.items()]
    return HEADERS + "".join(texts)
