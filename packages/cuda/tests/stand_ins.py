"""Stand-ins for CuPy and cuBLAS, and wengert-cuda on them: for tests in a process of their own."""

from __future__ import annotations

import functools
from types import ModuleType

import fake_cublas
import fake_cupy
from wengert_cuda import CudaDevice, products
from wengert_registry import registry


@functools.cache
def install() -> ModuleType:
    """Put the stand-ins in the place of CuPy and cuBLAS for good, and register the device; return CuPy's."""
    cupy = fake_cupy.install()
    products.load = fake_cublas.load
    if "cuda" not in registry.group("devices"):
        registry.group("devices").register("cuda", CudaDevice, owner="packages/cuda/tests")
    return cupy
