"""The library that products of a capture call, where CuPy has one: its names and numbers, which need no GPU."""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import re
from pathlib import Path

import pytest
from wengert_cuda import cublas

HAS_CUPY = importlib.util.find_spec("cupy") is not None
NUMBERS = {"CUBLAS_GEMM_DEFAULT": cublas.DEFAULT_ALGORITHM, "CUBLAS_OP_N": 0, "CUBLAS_OP_T": 1,
           "CUBLAS_COMPUTE_32F": 68, "CUBLAS_COMPUTE_64F": 70}  # fmt: skip


def test_without_cupy_there_is_no_library():
    library, why = cublas.load()
    assert (library is None) == bool(why)
    if not HAS_CUPY:
        assert why.startswith("CuPy has no cuBLAS (No module named")


@pytest.mark.skipif(not HAS_CUPY, reason="needs CuPy, which brings cuBLAS")
def test_the_library_has_the_functions():
    library, why = cublas.load()
    assert library is not None, why
    name = library.library.cublasGetStatusName
    name.restype = ctypes.c_char_p
    assert {number: name(number).decode() for number in cublas.STATUS} == {
        number: f"CUBLAS_STATUS_{name}" for number, name in cublas.STATUS.items()}  # fmt: skip
    version = ctypes.c_int()
    assert library.library.cublasGetProperty(0, ctypes.byref(version)) == 0
    assert version.value in cublas.VERSIONS


def header():
    """The text of cublas_api.h; \"\" where there is none."""
    try:
        folder = importlib.import_module("nvidia.cublas").__path__[0]
    except (ImportError, AttributeError):
        return ""
    path = Path(folder) / "include" / "cublas_api.h"
    return path.read_text() if path.exists() else ""


@pytest.mark.skipif(not header(), reason="needs nvidia-cublas, whose header says what functions take")
def test_signatures_and_numbers_are_those_of_the_header():
    text = header()
    kinds = {"int": ctypes.c_int, "long long int": ctypes.c_longlong, "size_t": ctypes.c_size_t}
    for name, signature in cublas.SIGNATURES.items():
        found = re.search(rf"CUBLASAPI cublasStatus_t CUBLASWINAPI {name}\(([^)]*)\);", text)[1]
        types = [re.sub(r"\s+", " ", one.strip()).rpartition(" ")[0] for one in found.split(",")]
        enums = "cublasOperation_t", "cudaDataType", "cublasComputeType_t", "cublasGemmAlgo_t"
        expected = [ctypes.c_int if one in enums else kinds.get(one, ctypes.c_void_p) for one in types]
        assert list(signature) == expected, name
    for name, number in NUMBERS.items():
        assert int(re.search(rf"\b{name} = (-?\d+)", text)[1]) == number
