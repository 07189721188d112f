"""numpy.fft: transforms along one axis and several, and shifts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy.functions.table import implements
from wengert_numpy.operands import axis_index, to_tensor, write_out

NORMS = (None, "backward", "ortho", "forward")


def working(t: Tensor) -> Tensor:
    """Return a tensor in the dtype in which NumPy transforms: float32 for float16, float64 for integers."""
    if t.dtype.is_complex or t.dtype in (wg.float32, wg.float64):
        return t
    return t.to(wg.float32 if t.dtype.is_floating_point else wg.float64)


def transform(name: str, t: Tensor, n: Any, axis: Any, norm: Any) -> Tensor:
    """Return a transform along one axis, of ``n`` points (None: as many as there are)."""
    axis = axis_index(axis, t.ndim)
    points = t.shape[axis] if n is None else int(n)
    if n is None and name in ("irfft", "hfft"):
        points = 2 * (points - 1)
    if points < 1:
        raise ValueError(f"Invalid number of FFT data points ({points}) specified.")
    if norm not in NORMS:
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    if name in ("rfft", "ihfft") and t.dtype.is_complex:
        raise TypeError(f"ufunc 'rfft' not supported for the input types: {name} takes real numbers, not complex ones")
    result: Tensor = getattr(wg.fft, name)(working(t), points, axis, norm)
    return result.to(t.dtype) if t.dtype is wg.float16 and not result.dtype.is_complex else result


def enter_line(name: str) -> None:
    """Enter a transform along one axis."""

    @implements(f"fft.{name}")
    def run(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
        return write_out(out, transform(name, to_tensor(a, f"fft.{name}"), n, axis, norm), f"fft.{name}")


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    enter_line(_name)


# ---- several axes


def sizes_and_axes(t: Tensor, s: Any, axes: Any, halved: bool = False) -> tuple[list[Any], list[int]]:
    """Return the points and the axes of a transform along several axes.

    halved: whether the last axis holds half of the points, as for inverse transforms to real numbers.
    """
    if axes is None:
        if s is not None:
            warnings.warn("`axes` should not be `None` if `s` is not `None` (Deprecated in NumPy 2.0)",
                          DeprecationWarning, stacklevel=5)
        axes = range(-(t.ndim if s is None else len(s)), 0)
    axes = [axis_index(axis, t.ndim) for axis in axes]
    if s is None:
        sizes: list[Any] = [t.shape[axis] for axis in axes]
        if halved and axes:
            sizes[-1] = 2 * (sizes[-1] - 1)
    else:
        sizes = list(s)
    if len(sizes) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    if None in sizes:
        warnings.warn("Passing an array containing `None` values to `s` is deprecated in NumPy 2.0",
                      DeprecationWarning, stacklevel=5)
    return [t.shape[axis] if size == -1 else size for size, axis in zip(sizes, axes, strict=True)], axes


def along(name: str, t: Tensor, sizes: Sequence[Any], axes: Sequence[int], norm: Any) -> Tensor:
    """Return transforms along axes, the last one first; an axis may occur several times."""
    for size, axis in zip(reversed(sizes), reversed(axes), strict=True):
        t = transform(name, t, size, axis, norm)
    return t


def complex_transform(name: str, t: Tensor, s: Any, axes: Any, norm: Any) -> Tensor:
    """Return the transform of complex numbers along axes."""
    return along(name, t, *sizes_and_axes(t, s, axes), norm)


def real_transform(name: str, t: Tensor, s: Any, axes: Any, norm: Any) -> Tensor:
    """Return the transform of real numbers along axes, of which the last one keeps half of the points."""
    sizes, axes = sizes_and_axes(t, s, axes)
    half = transform(name, t, sizes[-1], axes[-1], norm)
    return along("fft", half, sizes[:-1], axes[:-1], norm)


def inverse_real_transform(name: str, t: Tensor, s: Any, axes: Any, norm: Any) -> Tensor:
    """Return the inverse of the transform of real numbers."""
    sizes, axes = sizes_and_axes(t, s, axes, halved=True)
    for size, axis in zip(sizes[:-1], axes[:-1], strict=True):
        t = transform("ifft", t, size, axis, norm)
    return transform(name, t, sizes[-1], axes[-1], norm)


def enter_grid(name: str, method: Callable[..., Tensor]) -> None:
    """Enter a transform along several axes, and the one along two."""

    def run_on_axes(label: str, default: Any) -> Callable[..., Any]:
        def run(a: Any, s: Any = None, axes: Any = default, norm: Any = None, out: Any = None) -> Any:
            return write_out(out, method(name, to_tensor(a, f"fft.{label}"), s, axes, norm), f"fft.{label}")

        return run

    implements(f"fft.{name}n")(run_on_axes(f"{name}n", None))
    implements(f"fft.{name}2")(run_on_axes(f"{name}2", (-2, -1)))


enter_grid("fft", complex_transform)
enter_grid("ifft", complex_transform)
enter_grid("rfft", real_transform)
enter_grid("irfft", inverse_real_transform)


# ---- shifts


@implements("fft.fftshift")
def fftshift(x: Any, axes: Any = None) -> Any:
    """Return the tensor with its zero frequency in the middle of each axis."""
    return shift(to_tensor(x, "fft.fftshift", "x"), axes, lambda n: n // 2)


@implements("fft.ifftshift")
def ifftshift(x: Any, axes: Any = None) -> Any:
    """Return the inverse of fftshift."""
    return shift(to_tensor(x, "fft.ifftshift", "x"), axes, lambda n: -(n // 2))


def shift(t: Tensor, axes: Any, steps: Callable[[int], int]) -> Tensor:
    """Return a tensor rolled along axes by a number of steps that follows from each one's size."""
    if axes is None:
        axes = range(t.ndim)
    axes = [axis_index(axis, t.ndim) for axis in ((axes,) if isinstance(axes, (int, np.integer)) else axes)]
    return wg.roll(t, [steps(t.shape[axis]) for axis in axes], axes) if axes else t.clone()
