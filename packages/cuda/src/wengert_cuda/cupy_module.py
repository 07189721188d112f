"""CuPy, imported on first use; and why there is no device, in one sentence."""

from __future__ import annotations

import functools
from typing import Any

INSTALL = "pip install 'wengert[cuda12]' (or 'wengert[cuda13]')"


@functools.cache
def find_cupy() -> tuple[Any, str]:
    """(CuPy, "") where a device can be used; (CuPy or None, what is missing) elsewhere."""
    try:
        import cupy
    except ImportError as error:
        why = " ".join(str(error.__cause__ or error).split())  # CuPy's own text has many lines; its cause has one
        return None, (
            "Torch not compiled with CUDA enabled: wengert-cuda needs CuPy, which cannot be imported "
            f"({why}): {INSTALL}"
        )
    try:
        there = cupy.cuda.is_available()
    except Exception as error:  # before CuPy 14 without a driver
        return cupy, f"Found no NVIDIA driver on your system: CuPy says {type(error).__name__}: {error}"
    return cupy, "" if there else "Found no NVIDIA driver on your system, or no GPU: CuPy finds no CUDA device"


def cupy() -> Any:
    """CuPy. RuntimeError with the sentence where there is no device."""
    module, missing = find_cupy()
    if missing:
        raise RuntimeError(missing)
    return module
