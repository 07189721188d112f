"""CUDA source compiled as C++ for the host, so that it can be tried without a GPU: stand-ins for what CUDA has.

A block's threads are threads of the host, which wait for each other at __syncthreads; blocks run one after the other.
Only what the kernels of wengert-cuda use is there.
"""

from __future__ import annotations

import ctypes
import functools
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from wengert_cuda import fused, index_kernels, kernels, row_code

COMPILER = shutil.which("g++")
HEAD = r"""
#include <algorithm>
#include <cmath>
using namespace std;
typedef long long int64;
template <class T> static T atomicCAS(T* place, T seen, T value) {
    T before = *place;
    if (before == seen) *place = value;
    return before;
}
template <class T> static T atomicAdd(T* place, T value) { T before = *place; *place += value; return before; }
template <class T> static T erfinv(T y) {           /* Newton's steps on erf, from a rough start */
    if (y == T(1) || y == T(-1)) return y * T(INFINITY);
    if (!(y > T(-1) && y < T(1))) return T(NAN);
    double w = log(1.0 - double(y) * double(y)), a = 4.3307467508 + w / 2;
    double x = copysign(sqrt(sqrt(a * a - w / 0.147) - a), double(y));
    for (int k = 0; k < 6; k++) x -= (erf(x) - double(y)) / (1.1283791670955126 * exp(-x * x));
    return T(x);
}
"""
IN_TURN = r"""
#define __device__ inline
#define __global__
struct Index { int x, y; };
static Index threadIdx, blockIdx, blockDim;
template <class F> static void run_blocks(int blocks, int nx, int ny, F kernel) {
    blockDim = {nx, ny};
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)
        for (threadIdx.x = 0; threadIdx.x < nx; threadIdx.x++) kernel();
}
"""
BLOCKS = r"""
#include <barrier>
#include <thread>
#include <vector>
#define __device__ inline
#define __global__
#define __shared__ static
struct Index { int x, y; };
static thread_local Index threadIdx, blockIdx;
static Index blockDim;
static barrier<>* together;
static void __syncthreads() { together->arrive_and_wait(); }
#define WARP 8
template <class T> static T __shfl_xor_sync(unsigned lanes, T value, int step) {
    static T given[1024];
    int me = threadIdx.y * blockDim.x + threadIdx.x;
    given[me] = value;
    __syncthreads();
    T found = given[me ^ step];
    __syncthreads();
    return found;
}
template <class F> static void run_blocks(int blocks, int nx, int ny, F kernel) {
    blockDim = {nx, ny};
    for (int b = 0; b < blocks; b++) {
        barrier<> here(nx * ny);
        together = &here;
        vector<thread> threads;
        for (int k = 0; k < nx * ny; k++)
            threads.emplace_back([=] { threadIdx = {k % nx, k / nx}; blockIdx = {b, 0}; kernel(); });
        for (auto& t : threads) t.join();
    }
}
"""
NUMBERS = {"f4": "float", "f8": "double"}


@functools.cache
def library(source: str) -> ctypes.CDLL:
    """The functions of a C++ source."""
    with tempfile.TemporaryDirectory() as folder:
        file, built = Path(folder) / "kernels.cpp", Path(folder) / "kernels.so"
        file.write_text(HEAD + source, encoding="utf-8")
        command = [COMPILER, "-std=c++20", "-O0", "-Wall", "-Werror", "-Wno-unused", "-Wno-unknown-pragmas",
                   "-shared", "-fPIC", "-pthread", str(file), "-o", str(built)]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return ctypes.CDLL(str(built))


# ---- kernels with blocks of threads


def launcher(name: str, arguments: str) -> str:
    """A C function that runs a kernel on blocks."""
    names = [text.split()[-1].lstrip("*") for text in arguments.split(",")]
    return (f'extern "C" void launch_{name}(int blocks, int nx, int ny, {arguments}) '
            f"{{ run_blocks(blocks, nx, ny, [=] {{ {name}({', '.join(names)}); }}); }}\n")


HEADER = re.compile(r'extern "C" __global__ void (\w+)\(([^)]*)\)')


@functools.cache
def flat_library(number: str) -> ctypes.CDLL:
    """All kernels for contiguous arrays, for every choice of what is an array: together, as that is quicker."""
    parts = [IN_TURN]
    for op, (inputs, _) in kernels.FUSED.items():
        for arrays in range(1, 2 ** len(inputs.split(","))):
            source, name = kernels.flat_source(op, number, arrays), f"flat_{op}_{arrays}"
            _, arguments = HEADER.findall(source)[0]
            source = HEADER.sub(f"static void {name}({arguments})", source)
            parts.append(f"namespace space_{name} {{ {source} {launcher(name, arguments)} }}\n")
    return library("".join(parts))


def function(source: str, name: str) -> Any:
    """What runs a kernel of a source with CUDA's ``__global__`` functions."""
    if name.startswith("flat_"):
        arguments = dict(HEADER.findall(source))[name].split(",")[:-3]  # behind them: the result, packs, elements
        arrays = sum(1 << k for k, text in enumerate(arguments) if "*" in text)
        return flat_library("f" if "typedef float" in source else "d")[f"launch_{name}_{arrays}"]
    if name == fused.NAME:
        return library(IN_TURN + source + launcher(name, HEADER.findall(source)[0][1]))[f"launch_{name}"]
    if name in row_code.SOURCES:  # all together, for a warp of 8 that has as much room
        threads, kept = map(int, re.findall(r"THREADS = (\d+), KEPT = (\d+)", source)[0])
        shape = row_code.Shape(8, kept and max(8, threads * kept // 8), False, 1)
        source = row_code.source("float" if "typedef float" in source else "double", shape, *row_code.SOURCES)
    return library(BLOCKS + source + "".join(launcher(*one) for one in HEADER.findall(source)))[f"launch_{name}"]


def launch(source: str, name: str, blocks: int, threads: tuple[int, ...], arguments: tuple[object, ...]) -> None:
    """Run a kernel of a source."""
    given: list[object] = []
    for value in arguments:
        if isinstance(value, np.ndarray):
            given.append(ctypes.c_void_p(value.ctypes.data))
        elif isinstance(value, (int, np.uintp)):
            given.append(ctypes.c_void_p(int(value)))
        else:
            given.append({"i": ctypes.c_longlong, "f4": ctypes.c_float, "f8": ctypes.c_double}[
                "i" if value.dtype.kind == "i" else value.dtype.str[1:]](value.item()))
    nx, ny = (*threads, 1)[:2]
    if name in row_code.SOURCES:  # a warp of 8, a row for each block: a thread of the host costs more than one of a GPU
        blocks, nx, ny = int(arguments[0]), 8, 1  # type: ignore[call-overload]
    function(source, name)(blocks, nx, ny, *given)


# ---- elementwise kernels, as CuPy writes them


def parameters(text: str) -> list[tuple[bool, str, str]]:
    """(raw, type, name) of each parameter in CuPy's notation."""
    found = []
    for part in text.split(","):
        words = part.split()
        found.append((words[0] == "raw", words[-2], words[-1]))
    return found


@functools.cache
def elementwise_library(number: str) -> ctypes.CDLL:
    """All elementwise kernels of wengert-cuda for one type of numbers: compiled together, as that is quicker."""
    def kind(text: str) -> str:
        return {"T": NUMBERS[number]}.get(text, "long long")

    source = [f"typedef {NUMBERS[number]} T;\n"]
    table = {op: (inputs, "T y", code) for op, (inputs, code) in kernels.FUSED.items()} | index_kernels.SOURCES
    for op, (inputs, outputs, code) in table.items():
        given = [(*p, False) for p in parameters(inputs)] + [(*p, True) for p in parameters(outputs)]
        head = ", ".join(f"{kind(t)}* all_{n}" for _, t, n, _ in given)
        each = "".join(f"{'' if out else 'const '}{kind(t)}{'*' if raw else '&'} {n} = all_{n}{'' if raw else '[i]'}; "
                       for raw, t, n, out in given)
        source.append(f'extern "C" void wengert_{op}(long long n, {head}) '
                      f"{{ for (long long i = 0; i < n; i++) {{ {each} {code} }} }}\n")
    return library("".join(source))


def elementwise(inputs: str, outputs: str, name: str, arrays: list[np.ndarray], number: str) -> None:
    """Run an elementwise kernel on C-contiguous arrays of one shape (what is raw: of any). Outputs are among them."""
    given = parameters(inputs) + parameters(outputs)
    sizes = [array.size for array, (raw, *_) in zip(arrays, given, strict=True) if not raw]
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
    elementwise_library(number)[name](ctypes.c_longlong(sizes[0]), *pointers)
