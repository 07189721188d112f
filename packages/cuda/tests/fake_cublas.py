"""The stand-in for cuBLAS in fake_cublas.c, compiled when a test asks for it."""

from __future__ import annotations

import ctypes
import functools
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from fake_cupy import NODES
from wengert_cuda.cublas import Cublas

SOURCE = Path(__file__).with_name("fake_cublas.c")


@functools.cache
def library() -> Any:
    """The compiled library."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fake_cublas.so"
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-Wall", "-Werror", "-o", path, SOURCE], check=True)
        return ctypes.CDLL(str(path))


class NotingLibrary:
    """The library, whose products are done again by each replay of the graph that is captured."""

    def __getattr__(self, name: str) -> Any:
        function = getattr(library(), name)
        if "Gemm" not in name:
            return function
        return NotingFunction(function)


class NotingFunction:
    def __init__(self, function: Any) -> None:
        self.function = function

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("argtypes", "restype"):
            setattr(self.function, name, value)
        else:
            object.__setattr__(self, name, value)

    def __call__(self, *arguments: Any) -> int:
        if NODES:
            NODES[-1].append(lambda: self.function(*arguments))
        return int(self.function(*arguments))


def load() -> tuple[Cublas | None, str]:
    """Stand in for wengert_cuda.cublas.load."""
    return Cublas(NotingLibrary()), ""


def calls() -> list[str]:
    """The calls since the last time."""
    log = (ctypes.c_char * (1 << 16)).in_dll(library(), "calls")
    lines = log.value.decode().splitlines()
    log.value = b""
    return lines


def setting(name: str, value: int) -> None:
    """Set a variable of the library: ``fail_next`` or ``wrong``."""
    ctypes.c_int.in_dll(library(), name).value = value
