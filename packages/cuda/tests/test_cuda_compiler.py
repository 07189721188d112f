"""What CUDA's own tools say without a GPU: its compiler and its assembler of the kernels, and CuPy of names it has.

Each test is skipped where its tool is not installed: pip install nvidia-cuda-nvrtc-cu12, nvidia-cuda-nvcc-cu12,
cupy-cuda12x. The compiler is found in any folder of sys.path.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import warnings

import chains
import cupy_sources
import numpy as np
import pytest
from cuda_tools import ASSEMBLER, COMPILER, architectures, assemble, compile_source
from wengert_cuda import fused, index_kernels, kernels, row_code, streams
from wengert_cuda.reductions import KERNELS as REDUCTIONS

NAMES = """
    ElementwiseKernel RawModule asarray ascontiguousarray empty empty_like get_default_memory_pool moveaxis ndarray
    get_default_pinned_memory_pool cuda.Device cuda.Event cuda.ExternalStream cuda.MemoryPointer cuda.Stream cuda.alloc
    cuda.MemoryPointer.copy_from_host_async cuda.MemoryPointer.copy_to_host_async cuda.UnownedMemory
    cuda.alloc_pinned_memory cuda.get_current_stream cuda.get_elapsed_time cuda.is_available cuda.Stream.null
    cuda.memory.OutOfMemoryError cuda.runtime.getDevice cuda.runtime.getDeviceCount cuda.runtime.memGetInfo
    cuda.runtime.getDeviceProperties cuda.runtime.deviceCanAccessPeer
""".split()
SPECIAL = "psi zeta gammainc gammaincc j0 j1 y0 y1 i0 i0e i1 i1e k0 k0e k1 k1e erfcx log_ndtr ndtri entr xlog1py"


def elementwise_source(number: str) -> str:
    """Kernels with the elementwise codes, an element for each thread. CuPy writes others around the same codes."""
    table = {op: (inputs, "T y", code) for op, (inputs, code) in kernels.FUSED.items()} | index_kernels.SOURCES
    text = [f"typedef {row_code.REAL[number]} T; typedef long long int64; typedef long long I;\n"]
    for op, (inputs, outputs, code) in table.items():
        head, each = [], []
        for part, out in [(p, False) for p in inputs.split(",")] + [(p, True) for p in outputs.split(",")]:
            raw, kind, name = part.split()[0] == "raw", *part.split()[-2:]
            head.append(f"{'' if out else 'const '}{kind}* all_{name}")
            star = "*" if raw else "&"
            each.append(f"{'' if out else 'const '}{kind}{star} {name} = all_{name}{'' if raw else '[i]'};")
        text.append(f'extern "C" __global__ void {op}_kernel({", ".join(head)}) '
                    f"{{ long long i = blockIdx.x; {' '.join(each)} {code} }}\n")
    return "".join(text)


def flat_sources(number: str) -> str:
    """Kernels for contiguous arrays: of two arrays, of an array and a number."""
    parts = [f"namespace of_{op}_{arrays} {{ {kernels.flat_source(op, REAL[number], arrays)} }}\n"
             for op in kernels.FUSED for arrays in (1, 3 if "," in kernels.FUSED[op][0] else 1)]
    return "".join(part.replace('extern "C" ', "") for part in dict.fromkeys(parts))


def fused_sources(number: str) -> str:
    """Kernels for chains that have all operations."""
    parts = [f"namespace chain_{k} {{ {fused.fused_source(expression)} }}\n"
             for k, expression in enumerate(chains.expressions(REAL[number]))]  # fmt: skip
    return "".join(part.replace('extern "C" ', "") for part in parts)


REAL = {"f4": "f", "f8": "d"}


def row_sources(length: int, number: str) -> str:
    """Kernels along rows of that length."""
    return row_code.source(row_code.REAL[number], row_code.shape_of(length), *row_code.SOURCES)


MAKERS = {
    "short": functools.partial(row_sources, 10), "rows": functools.partial(row_sources, 1024),
    "long": functools.partial(row_sources, 10**5), "elementwise": elementwise_source, "flat": flat_sources,
    "fused": fused_sources, "columns": lambda number: row_code.BY_COLUMN % {"real": row_code.REAL[number]},
}  # fmt: skip
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="CUDA's compiler NVRTC is not installed")
needs_assembler = pytest.mark.skipif(ASSEMBLER is None, reason="CUDA's assembler ptxas is not installed")
needs_cupy = pytest.mark.skipif(bool(cupy_sources.why_not()), reason=cupy_sources.why_not() or "CuPy is there")


@needs_compiler
@pytest.mark.parametrize("architecture", architectures())
@pytest.mark.parametrize("number", ["f4", "f8"])
@pytest.mark.parametrize("name", MAKERS)
def test_cudas_compiler_takes_the_kernels(name, number, architecture):
    assert REDUCTIONS
    assert "variance" in row_code.SOURCES  # those of reductions.py are among them
    assert len(compile_source(MAKERS[name](number), architecture, *kernels.OPTIONS)) > 1000


@needs_compiler
@needs_assembler
@pytest.mark.parametrize("architecture", architectures())
@pytest.mark.parametrize("number", ["f4", "f8"])
@pytest.mark.parametrize("name", MAKERS)
def test_cudas_assembler_takes_the_kernels_and_rows_stay_in_registers(name, number, architecture, tmp_path):
    found = assemble(compile_source(MAKERS[name](number), architecture, *kernels.OPTIONS), architecture, tmp_path)
    spilled = [line for line in found.splitlines() if "spill stores" in line and " 0 bytes spill stores" not in line]
    assert not spilled


@needs_compiler
@needs_cupy
@pytest.mark.parametrize(("ndim", "contiguous", "scalars"), [(1, True, False), (3, False, False), (2, False, True)])
@pytest.mark.parametrize(("number", "index"), [(np.float32, np.int64), (np.float64, np.int64), (np.float32, np.int32)])
@pytest.mark.parametrize("architecture", architectures()[-1:])
def test_cudas_compiler_takes_the_kernels_as_cupy_writes_them(
    architecture, number, index, ndim, contiguous, scalars, tmp_path
):
    source = cupy_sources.sources(number, index, ndim, contiguous, scalars)
    options = ("-ftz=true", *kernels.OPTIONS, *cupy_sources.include_options())  # CuPy's, and ours
    ptx = compile_source(source, architecture, *options)
    assert ptx.count(".entry") == len(kernels.FUSED) + len(index_kernels.SOURCES)
    if ASSEMBLER is not None:
        assemble(ptx, architecture, tmp_path)


@needs_compiler
def test_products_and_sums_of_a_chain_are_rounded_one_by_one():
    source = fused.fused_source(chains.PRODUCT_AND_SUM)
    ptx = compile_source(source, 90, *kernels.OPTIONS)
    assert "fma.rn.f32" not in ptx
    assert "mul.rn.f32" in ptx
    assert "add.rn.f32" in ptx
    assert "ld.global.v4" in ptx  # four contiguous numbers at once
    assert "fma.rn.f32" in compile_source(source, 90)  # that is what the option is for


@needs_cupy
def test_cupy_takes_a_stream_of_another_library_without_a_warning(monkeypatch):
    monkeypatch.setattr(streams, "cupy", lambda: importlib.import_module("cupy"))  # also without a GPU
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert streams.wrap_stream(0x1234, 0).ptr == 0x1234


@pytest.mark.skipif(importlib.util.find_spec("cupy") is None, reason="CuPy is not installed")
@pytest.mark.parametrize("name", NAMES)
def test_cupy_has_the_names_that_are_used(name):
    found = importlib.import_module("cupy")
    for part in name.split("."):
        found = getattr(found, part)


@pytest.mark.skipif(importlib.util.find_spec("cupy") is None, reason="CuPy is not installed")
@pytest.mark.parametrize("name", SPECIAL.split())
def test_cupyx_has_the_functions_that_are_promised(name):
    assert callable(getattr(importlib.import_module("cupyx.scipy.special"), name))
