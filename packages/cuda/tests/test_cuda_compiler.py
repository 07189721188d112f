"""What CUDA's own tools say without a GPU: its compiler (NVRTC) of the kernels, and CuPy of the names that are used.

Each test is skipped where its tool is not installed: pip install nvidia-cuda-nvrtc-cu12, cupy-cuda12x.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import importlib.util
import sysconfig
from pathlib import Path

import chains
import pytest
from wengert_cuda import fused, index_kernels, kernels, row_code
from wengert_cuda.reductions import KERNELS as REDUCTIONS

NAMES = """
    ElementwiseKernel RawModule asarray ascontiguousarray empty empty_like get_default_memory_pool moveaxis ndarray
    get_default_pinned_memory_pool cuda.Device cuda.Event cuda.ExternalStream cuda.MemoryPointer cuda.Stream cuda.alloc
    cuda.MemoryPointer.copy_from_host_async cuda.MemoryPointer.copy_to_host_async cuda.UnownedMemory
    cuda.alloc_pinned_memory cuda.get_current_stream cuda.get_elapsed_time cuda.is_available cuda.Stream.null
    cuda.memory.OutOfMemoryError cuda.runtime.getDevice cuda.runtime.getDeviceCount cuda.runtime.memGetInfo
""".split()
SPECIAL = "psi zeta gammainc gammaincc j0 j1 y0 y1 i0 i0e i1 i1e k0 k0e k1 k1e erfcx log_ndtr ndtri entr xlog1py"


def nvrtc() -> ctypes.CDLL | None:
    """CUDA's compiler, of the system or of NVIDIA's wheel; None where there is none."""
    wheels = sorted(Path(sysconfig.get_path("purelib")).glob("nvidia/cu*/lib/libnvrtc.so.1*"))
    for name in (*map(str, wheels), "libnvrtc.so.13", "libnvrtc.so.12"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


COMPILER = nvrtc()


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


@pytest.mark.skipif(COMPILER is None, reason="CUDA's compiler NVRTC is not installed")
@pytest.mark.parametrize("architecture", ["compute_75", "compute_90"])
@pytest.mark.parametrize("number", ["f4", "f8"])
@pytest.mark.parametrize("make", [functools.partial(row_sources, 10), functools.partial(row_sources, 1024),
                                  functools.partial(row_sources, 10**5), elementwise_source, flat_sources,
                                  fused_sources, lambda n: row_code.BY_COLUMN % {"real": row_code.REAL[n]}],
                         ids=["short", "rows", "long", "elementwise", "flat", "fused", "columns"])  # fmt: skip
def test_cudas_compiler_takes_the_kernels(make, number, architecture):
    assert REDUCTIONS
    assert "variance" in row_code.SOURCES  # those of reductions.py are among them
    assert len(compile_source(make(number), f"--gpu-architecture={architecture}", *kernels.OPTIONS)) > 1000


def compile_source(source: str, *options: str) -> str:
    """The PTX of a source, which compiles without a warning."""
    program = ctypes.c_void_p()
    assert COMPILER.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernels.cu", 0, None, None) == 0
    given = [one.encode() for one in ("--std=c++17", *options)]
    status = COMPILER.nvrtcCompileProgram(program, len(given), (ctypes.c_char_p * len(given))(*given))
    size = ctypes.c_size_t()
    COMPILER.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    COMPILER.nvrtcGetProgramLog(program, log)
    assert status == 0, log.value.decode()
    assert "warning" not in log.value.decode()
    COMPILER.nvrtcGetPTXSize(program, ctypes.byref(size))
    ptx = ctypes.create_string_buffer(size.value)
    COMPILER.nvrtcGetPTX(program, ptx)
    COMPILER.nvrtcDestroyProgram(ctypes.byref(program))
    return ptx.value.decode()


@pytest.mark.skipif(COMPILER is None, reason="CUDA's compiler NVRTC is not installed")
def test_products_and_sums_of_a_chain_are_rounded_one_by_one():
    source = fused.fused_source(chains.PRODUCT_AND_SUM)
    ptx = compile_source(source, *kernels.OPTIONS)
    assert "fma.rn.f32" not in ptx
    assert "mul.rn.f32" in ptx
    assert "add.rn.f32" in ptx
    assert "ld.global.v4" in ptx  # four contiguous numbers at once
    assert "fma.rn.f32" in compile_source(source)  # that is what the option is for


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
