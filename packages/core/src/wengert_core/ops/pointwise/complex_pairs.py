"""Complex numbers from pairs of real ones; see complex.py for the rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_core.dtypes.cpp_names import CPP_NAMES
from wengert_core.messages.mismatches import broadcast_error

Array = Any
"""An array of the namespace at hand."""


def _check_parts(names: tuple[str, str], first: Array, second: Array, allowed: tuple[str, ...]) -> None:
    kinds = first.dtype.name, second.dtype.name
    if kinds == ("float16", "float16") and names[0] == "abs":
        raise NotImplementedError("\"polar_cpu\" not implemented for 'Half': abs and angle must be float32 or float64")
    if kinds == ("float16", "float16"):
        raise TypeError(f"Got unsupported ScalarType ComplexHalf: {names[0]} and {names[1]} must be float32 or float64")
    if kinds[0] not in allowed or kinds[1] not in allowed:
        raise RuntimeError(
            f"Expected both inputs to be Half, Float or Double tensors but got {CPP_NAMES[kinds[0]]} and "
            f"{CPP_NAMES[kinds[1]]}: "
            f"{names[0]} and {names[1]} must be float32 or float64 here"
        )
    if kinds[0] != kinds[1]:
        raise RuntimeError(
            f"Expected object of scalar type {CPP_NAMES[kinds[0]]} but got scalar type {CPP_NAMES[kinds[1]]} for "
            "second argument"
        )
    for d, (m, n) in enumerate(zip(first.shape[::-1], second.shape[::-1], strict=False), 1):
        if m != n and 1 not in (m, n):
            dim = max(first.ndim, second.ndim) - d
            raise broadcast_error(" and ".join(names), m, n, dim, (first.shape, second.shape))


def join_parts(xp: Any, real: Array, imag: Array) -> Array:
    """real + i imag, without arithmetic: infinities and NaN stay in their part."""
    _check_parts(("real", "imag"), real, imag, ("float32", "float64"))
    joined = xp.empty(
        np.broadcast_shapes(real.shape, imag.shape), xp.complex64 if real.dtype.name == "float32" else xp.complex128
    )
    joined.real, joined.imag = real, imag
    return joined


def join_polar(xp: Any, modulus: Array, angle: Array) -> Array:
    """Modulus times exp(i angle)."""
    _check_parts(("abs", "angle"), modulus, angle, ("float32", "float64"))
    return join_parts(xp, xp.asarray(modulus * xp.cos(angle)), xp.asarray(modulus * xp.sin(angle)))
