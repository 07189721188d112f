"""Window functions: ``signal.windows``, and the five that torch has at the top. NumPy computes them in float64."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np

from wengert_core.devices.layout import layout as wengert_layout
from wengert_core.devices.layout import strided
from wengert_core.dtypes.cpp_names import not_implemented_for
from wengert_core.dtypes.dtypes import as_dtype, get_default_dtype
from wengert_core.dtypes.dtypes import dtype as wengert_dtype
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

ops = TABLE.ops
MOST = (1 << 59) - 1
"""The most points a window can have: NumPy's arrays have less than 2**63 bytes, and these have some of 16 a point."""
BLACKMAN = (0.42, 0.5, 0.08)
NUTTALL = (0.3635819, 0.4891775, 0.1365995, 0.0106411)


# ---- the functions: of n points, the first at 0, the last at ``span``
def cosines(n: Any, span: float, a: Sequence[float]) -> Any:
    """The alternating sum of a[i] cos(2 pi i n / span)."""
    return sum((-1) ** i * c * np.cos(2 * math.pi * i * n / span) for i, c in enumerate(a))


def bartlett_of(n: Any, span: float) -> Any:
    """A triangle from 0 to 0."""
    return 1 - np.abs(2 * n / span - 1)


def cosine_of(n: Any, span: float) -> Any:
    """Half a period of the sine, whose zeros are half a step outside."""
    return np.sin(math.pi * (n + 0.5) / (span + 1))


def exponential_of(n: Any, span: float, center: float | None, tau: float) -> Any:
    """exp(-|n - center| / tau)."""
    return np.exp(-np.abs(n - (span / 2 if center is None else center)) / tau)


def gaussian_of(n: Any, span: float, std: float) -> Any:
    """exp(-(n - span / 2) ** 2 / (2 std ** 2))."""
    return np.exp(-0.5 * ((n - span / 2) / std) ** 2)


def kaiser_of(n: Any, span: float, beta: float) -> Any:
    """I0(beta sqrt(1 - (2 n / span - 1) ** 2)) / I0(beta)."""
    return np.i0(beta * np.sqrt(np.maximum(1 - (2 * n / span - 1) ** 2, 0))) / np.i0(beta)


def window(m: int, symmetric: bool, of: Callable[..., Any], settings: Sequence[Any], dtype: Any, device: Any,
           requires_grad: bool, pin_memory: bool = False) -> Tensor:
    """The window of m points as a tensor. symmetric: its last point mirrors the first, else that would be one more."""
    span = m - 1 if symmetric else m
    values = np.ones(m) if m < 2 else of(np.arange(m, dtype=np.float64), span, *settings)
    return ops["tensor"](
        values, dtype=dtype or get_default_dtype(), device=device, requires_grad=requires_grad, pin_memory=pin_memory)


# ---- signal.windows
def points(name: str, m: Any, dtype: Any, layout: Any) -> int:
    """The number of points, when the arguments are such as torch takes."""
    if index(m) < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={m}")
    if not (layout is None or layout is strided):
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    kind = get_default_dtype() if dtype is None else dtype
    if not isinstance(kind, wengert_dtype) or kind.name not in ("float32", "float64"):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {kind}")
    return countable(index(m))


def countable(n: int) -> int:
    """A number of points; RuntimeError when there are more than memory has addresses for."""
    if n > MOST:
        raise RuntimeError(f"Storage size calculation overflowed with sizes=[{n}]: a window has at most {MOST} points")
    return n


def positive(what: str, value: float) -> None:
    """ValueError unless a parameter is positive."""
    if value <= 0:
        raise ValueError(f"{what} must be positive, got: {value} instead.")


def bartlett(M: int, *, sym: bool = True, dtype: Any = None, layout: Any = strided, device: Any = None,
             requires_grad: bool = False) -> Tensor:
    return window(points("bartlett", M, dtype, layout), sym, bartlett_of, (), dtype, device, requires_grad)


def cosine(M: int, *, sym: bool = True, dtype: Any = None, layout: Any = strided, device: Any = None,
           requires_grad: bool = False) -> Tensor:
    return window(points("cosine", M, dtype, layout), sym, cosine_of, (), dtype, device, requires_grad)


def exponential(M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, dtype: Any = None,
                layout: Any = strided, device: Any = None, requires_grad: bool = False) -> Tensor:
    n = points("exponential", M, dtype, layout)
    positive("Tau", tau)
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    return window(n, sym, exponential_of, (center, tau), dtype, device, requires_grad)


def gaussian(M: int, *, std: float = 1.0, sym: bool = True, dtype: Any = None, layout: Any = strided,
             device: Any = None, requires_grad: bool = False) -> Tensor:
    n = points("gaussian", M, dtype, layout)
    positive("Standard deviation", std)
    return window(n, sym, gaussian_of, (std,), dtype, device, requires_grad)


def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, dtype: Any = None, layout: Any = strided,
           device: Any = None, requires_grad: bool = False) -> Tensor:
    n = points("kaiser", M, dtype, layout)
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    return window(n, sym, kaiser_of, (beta,), dtype, device, requires_grad)


def general_cosine(M: int, *, a: Sequence[float], sym: bool = True, dtype: Any = None, layout: Any = strided,
                   device: Any = None, requires_grad: bool = False) -> Tensor:
    n = points("general_cosine", M, dtype, layout)
    if not isinstance(a, (list, tuple)):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    for i, value in enumerate(a):
        if not isinstance(value, (int, float)):
            raise TypeError(f"general_cosine(): argument 'a' must be numbers, not {type(value).__name__} at pos {i}")
    return window(n, sym, cosines, (a,), dtype, device, requires_grad)


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, dtype: Any = None, layout: Any = strided,
                    device: Any = None, requires_grad: bool = False) -> Tensor:
    return general_cosine(
        M, a=[alpha, 1 - alpha], sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


def hamming(M: int, *, sym: bool = True, dtype: Any = None, layout: Any = strided, device: Any = None,
            requires_grad: bool = False) -> Tensor:
    return general_hamming(M, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


def hann(M: int, *, sym: bool = True, dtype: Any = None, layout: Any = strided, device: Any = None,
         requires_grad: bool = False) -> Tensor:
    return general_hamming(
        M, alpha=0.5, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


def blackman(M: int, *, sym: bool = True, dtype: Any = None, layout: Any = strided, device: Any = None,
             requires_grad: bool = False) -> Tensor:
    return general_cosine(
        M, a=BLACKMAN, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


def nuttall(M: int, *, sym: bool = True, dtype: Any = None, layout: Any = strided, device: Any = None,
            requires_grad: bool = False) -> Tensor:
    return general_cosine(
        M, a=NUTTALL, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


for function in (bartlett, blackman, cosine, exponential, gaussian, general_cosine, general_hamming, hamming, hann,
                 kaiser, nuttall):
    TABLE.composite(function, namespace="signal.windows")


# ---- at the top: periodic unless told otherwise
def length(name: str, window_length: Any, dtype: Any, layout: Any) -> int:
    """The number of points, when the arguments are such as torch takes."""
    if not hasattr(type(window_length), "__index__"):
        kind = type(window_length).__name__
        raise TypeError(f"{name}(): argument 'window_length' (position 1) must be int, not {kind}")
    if not (layout is None or isinstance(layout, wengert_layout)):
        raise TypeError(f"{name}(): argument 'layout' must be torch.layout, not {type(layout).__name__}")
    dtype = None if dtype is None else as_dtype(dtype, name)
    if dtype is not None and dtype.is_complex:
        raise not_implemented_for("arange_cpu", dtype)
    if dtype is not None and not dtype.is_floating_point:
        raise RuntimeError(f"{name} expects floating point dtypes, got: {dtype}")
    if index(window_length) < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={window_length}")
    return countable(index(window_length))


def bartlett_window(window_length: int, periodic: bool = True, *, dtype: Any = None, layout: Any = strided,
                    device: Any = None, pin_memory: bool = False, requires_grad: bool = False) -> Tensor:
    n = length("bartlett_window", window_length, dtype, layout)
    return window(n, not periodic, bartlett_of, (), dtype, device, requires_grad, pin_memory)


def blackman_window(window_length: int, periodic: bool = True, *, dtype: Any = None, layout: Any = strided,
                    device: Any = None, pin_memory: bool = False, requires_grad: bool = False) -> Tensor:
    n = length("blackman_window", window_length, dtype, layout)
    return window(n, not periodic, cosines, (BLACKMAN,), dtype, device, requires_grad, pin_memory)


def hamming_window(window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *,
                   dtype: Any = None, layout: Any = strided, device: Any = None, pin_memory: bool = False,
                   requires_grad: bool = False) -> Tensor:
    n = length("hamming_window", window_length, dtype, layout)
    return window(n, not periodic, cosines, ((alpha, beta),), dtype, device, requires_grad, pin_memory)


def hann_window(window_length: int, periodic: bool = True, *, dtype: Any = None, layout: Any = strided,
                device: Any = None, pin_memory: bool = False, requires_grad: bool = False) -> Tensor:
    n = length("hann_window", window_length, dtype, layout)
    return window(n, not periodic, cosines, ((0.5, 0.5),), dtype, device, requires_grad, pin_memory)


def kaiser_window(window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: Any = None,
                  layout: Any = strided, device: Any = None, pin_memory: bool = False,
                  requires_grad: bool = False) -> Tensor:
    n = length("kaiser_window", window_length, dtype, layout)
    return window(n, not periodic, kaiser_of, (beta,), dtype, device, requires_grad, pin_memory)


for at_top in (bartlett_window, blackman_window, hamming_window, hann_window, kaiser_window):
    TABLE.composite(at_top)
