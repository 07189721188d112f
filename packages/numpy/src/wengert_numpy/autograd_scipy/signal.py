"""``wengert.scipy.signal``: convolutions on tensors, in differentiated code, and on arrays.

>>> import numpy as np
>>> convolve(np.array([1.0, 2.0]), np.array([1.0, 1.0]))
array([1., 3., 2.])
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy import errors
from wengert_numpy.autograd_numpy.containers import to_numpy
from wengert_numpy.autograd_numpy.nested import holds_tensor
from wengert_numpy.autograd_scipy.dispatch import floating, for_tensors, names_of, on_tensors
from wengert_numpy.operands import axis_list, promote, to_tensor

_signal = import_module("scipy.signal")

NO_AXES: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
CONVOLUTIONS = {1: wg.conv1d, 2: wg.conv2d, 3: wg.conv3d}
"""The convolutions of so many axes that are an op."""


def convolve(
    A: Any, B: Any, axes: Any = None, dot_axes: Any = NO_AXES, mode: str = "full", method: str = "auto"
) -> Any:
    """Return the convolution of two arrays.

    axes: pairs of axes, a list of A's and a list of B's, that are convolved; all axes by default.
    dot_axes: likewise, axes that are multiplied and summed. Axes in neither make an outer product: the result has A's
        of them, then B's, then the convolved ones.
    mode: "full"; "valid", without values that need zeros beyond the ends; "same", those of A's size in the middle.
    method: for SciPy's signature, whose third argument is ``mode``.
    """
    if isinstance(axes, str):
        axes, mode = None, axes
    if holds_tensor((A, B)):
        return on_tensors(convolve_axes, (A, B, axes, dot_axes, mode), {})
    return to_numpy(convolve_axes(A, B, axes, dot_axes, mode))


def convolve_axes(A: Any, B: Any, axes: Any, dot_axes: Any, mode: str) -> Tensor:
    """Return the convolution of tensors."""
    if mode not in ("full", "valid", "same"):
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    a, b = promote(to_tensor(A, "convolve", "A"), to_tensor(B, "convolve", "B"))
    if axes is None:
        if a.ndim != b.ndim and not any(map(len, dot_axes)):
            raise ValueError("in1 and in2 should have the same dimensionality")
        axes = [[i for i in range(one.ndim) if i not in dots] for one, dots in zip((a, b), dot_axes, strict=True)]
    a, a_rest = arrange(a, axes[0], dot_axes[0])
    b, b_rest = arrange(b, axes[1], dot_axes[1])
    if a.ndim != b.ndim or a.shape[1] != b.shape[1]:
        raise ValueError(
            f"convolve(): axes {axes} and dot_axes {dot_axes} do not belong together in the shapes of "
            f"A {tuple(np.shape(A))} and B {tuple(np.shape(B))}"
        )
    result = convolve_batch(a, b, mode)
    return result.reshape(*a_rest, *b_rest, *result.shape[2:])


def arrange(t: Tensor, axes: Sequence[int], dot_axes: Sequence[int]) -> tuple[Tensor, list[int]]:
    """Return a tensor with the axes (all others, summed ones, convolved ones), and the lengths of the others."""
    convolved, summed = (axis_list(tuple(one), t.ndim) for one in (axes, dot_axes))
    others = [i for i in range(t.ndim) if i not in convolved and i not in summed]
    rest, inner = ([t.shape[i] for i in chosen] for chosen in (others, summed))
    t = t.permute(*others, *summed, *convolved)
    return t.reshape(math.prod(rest), math.prod(inner), *t.shape[len(rest) + len(inner) :]), rest


def convolve_batch(a: Tensor, b: Tensor, mode: str) -> Tensor:
    """Return the convolutions (a's rows, b's rows, convolved axes) of (rows, summed, convolved axes)."""
    n = a.ndim - 2
    larger = [x >= y for x, y in zip(a.shape[2:], b.shape[2:], strict=True)]
    if mode == "valid" and not all(larger):
        if any(x > y for x, y in zip(a.shape[2:], b.shape[2:], strict=True)):
            raise ValueError("For 'valid' mode, one must be at least as large as the other in every dimension")
        return convolve_batch(b, a, mode).transpose(0, 1)
    if mode == "full" and math.prod(a.shape[2:]) < math.prod(b.shape[2:]):  # the smaller one is the kernel
        return convolve_batch(b, a, mode).transpose(0, 1)
    sizes = b.shape[2:]
    flipped = wg.flip(b, tuple(range(2, 2 + n))) if n else b
    padding = [0] * n if mode == "valid" else [size - 1 for size in sizes]
    if n in CONVOLUTIONS and (a.is_complex() or a.dtype.is_floating_point):
        result = CONVOLUTIONS[n](a, flipped, padding=padding)
    else:
        result = by_windows(a, flipped, padding)
    if mode == "same":
        for i in range(n):
            result = result.narrow(2 + i, (sizes[i] - 1) // 2, a.shape[2 + i])
    return result


def by_windows(a: Tensor, kernel: Tensor, padding: list[int]) -> Tensor:
    """Return the products of all windows of a with a kernel, for any number of axes and any dtype."""
    n = len(padding)
    windows = wg.constant_pad_nd(a, [p for one in reversed(padding) for p in (one, one)], 0) if n else a
    for i in range(n):
        windows = windows.unfold(2 + i, kernel.shape[2 + i], 1)
    inner = [1, *range(2 + n, 2 + 2 * n)]
    return wg.tensordot(windows, kernel, dims=(inner, [1, *range(2, 2 + n)])).movedim(-1, 1)


@for_tensors(_signal.correlate)
def correlate(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Tensor:
    """Return the cross-correlation."""
    b = to_tensor(in2, "correlate", "in2")
    return convolve_axes(in1, wg.flip(b.conj(), tuple(range(b.ndim))) if b.ndim else b.conj(), None, NO_AXES, mode)


@for_tensors(_signal.fftconvolve)
def fftconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    """Return the convolution along axes, by Fourier transforms; other axes are broadcast."""
    a, b = floating(in1, in2, name="fftconvolve")
    if a.ndim != b.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")
    if mode not in ("full", "valid", "same"):
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    chosen = axis_list(axes, a.ndim)
    if mode == "valid" and any(a.shape[i] < b.shape[i] for i in chosen):
        if any(a.shape[i] > b.shape[i] for i in chosen):
            raise ValueError("For 'valid' mode, one must be at least as large as the other in every dimension")
        a, b = b, a
    sizes = [a.shape[i] + b.shape[i] - 1 for i in chosen]
    if a.is_complex():
        product = wg.fft.fftn(a, s=sizes, dim=chosen) * wg.fft.fftn(b, s=sizes, dim=chosen)
        result = wg.fft.ifftn(product, dim=chosen)
    else:
        product = wg.fft.rfftn(a, s=sizes, dim=chosen) * wg.fft.rfftn(b, s=sizes, dim=chosen)
        result = wg.fft.irfftn(product, s=sizes, dim=chosen)
    for i in chosen if mode != "full" else ():
        start, length = (b.shape[i] - 1) // 2, a.shape[i]
        if mode == "valid":
            start, length = b.shape[i] - 1, a.shape[i] - b.shape[i] + 1
        result = result.narrow(i, start, length)
    return result


@for_tensors(_signal.detrend)
def detrend(data: Any, axis: int = -1, type: str = "linear", bp: Any = 0, overwrite_data: bool = False) -> Any:
    """Return data without its mean, or without the straight line of least squares."""
    (x,) = floating(data, name="detrend")
    if type not in ("linear", "l", "constant", "c"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    if np.any(np.asarray(bp)):
        raise errors.unsupported_argument("detrend", "bp", bp, "detrend the sections one by one")
    x = x.movedim(axis, -1)
    result = x - wg.mean(x, dim=-1, keepdim=True)
    if type in ("linear", "l"):
        line = wg.arange(x.shape[-1], dtype=x.dtype) - (x.shape[-1] - 1) / 2
        result = result - wg.sum(result * line, dim=-1, keepdim=True) / max(float(wg.sum(line.abs() ** 2)), 1) * line
    return result.movedim(-1, axis)


OWN = {one.__name__: one for one in (convolve, correlate, detrend, fftconvolve)}
"""The functions that have derivatives, by their names."""
__all__ = sorted(names := names_of(_signal) | OWN)
globals().update(names)
del names


def __getattr__(name: str) -> Any:
    return getattr(_signal, name)
