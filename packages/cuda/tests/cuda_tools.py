"""CUDA's compiler NVRTC and its assembler ptxas, where they are installed; neither needs a GPU.

pip install nvidia-cuda-nvrtc-cu12 nvidia-cuda-nvcc-cu12, or a CUDA toolkit.
"""

from __future__ import annotations

import ctypes
import functools
import shutil
import subprocess
import sys
from pathlib import Path


def files_of_wheels(pattern: str) -> list[str]:
    """The files of NVIDIA's wheels of that name."""
    return [str(file) for folder in sys.path for file in sorted(Path(folder or ".").glob(f"nvidia/cu*/{pattern}"))]


def find_compiler() -> ctypes.CDLL | None:
    """NVRTC, of NVIDIA's wheel or of the system; None where there is none."""
    for name in (*files_of_wheels("lib/libnvrtc.so.1*"), "libnvrtc.so.13", "libnvrtc.so.12"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


COMPILER = find_compiler()
ASSEMBLER = next(iter(files_of_wheels("bin/ptxas")), None) or shutil.which("ptxas")


@functools.cache
def architectures() -> list[int]:
    """The numbers of architectures that kernels are compiled for: those in use that the compiler knows, its newest."""
    if COMPILER is None:
        return [75, 90]
    count = ctypes.c_int()
    assert COMPILER.nvrtcGetNumSupportedArchs(ctypes.byref(count)) == 0
    known = (ctypes.c_int * count.value)()
    assert COMPILER.nvrtcGetSupportedArchs(known) == 0
    return sorted({max(known)} | {70, 75, 90} & {*known})


@functools.cache
def compile_source(source: str, architecture: int, *options: str) -> str:
    """The PTX of a source, which compiles without a warning."""
    assert COMPILER is not None
    program = ctypes.c_void_p()
    assert COMPILER.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernels.cu", 0, None, None) == 0
    given = [one.encode() for one in ("--std=c++17", f"--gpu-architecture=compute_{architecture}", *options)]
    status = COMPILER.nvrtcCompileProgram(program, len(given), (ctypes.c_char_p * len(given))(*given))
    size = ctypes.c_size_t()
    COMPILER.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    COMPILER.nvrtcGetProgramLog(program, log)
    assert status == 0, log.value.decode()
    lines = [line for line in log.value.decode().splitlines() if "75' are deprecated and may be removed" not in line]
    assert not any("warning" in line for line in lines), lines  # but for that of an old architecture
    COMPILER.nvrtcGetPTXSize(program, ctypes.byref(size))
    ptx = ctypes.create_string_buffer(size.value)
    COMPILER.nvrtcGetPTX(program, ptx)
    COMPILER.nvrtcDestroyProgram(ctypes.byref(program))
    return ptx.value.decode()


def assemble(ptx: str, architecture: int, folder: Path) -> str:
    """What the assembler tells about the machine code of PTX for an architecture: registers and memory of kernels."""
    assert ASSEMBLER is not None
    (folder / "kernels.ptx").write_text(ptx, encoding="utf-8")
    command = [ASSEMBLER, "--verbose", f"--gpu-name=sm_{architecture}", "--output-file", str(folder / "kernels.cubin"),
               str(folder / "kernels.ptx")]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr
