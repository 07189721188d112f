"""Samples of Fourier transforms, with NumPy's answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.shapes import recorded_rows


def c(*shape: int) -> T:
    """Stands for a complex tensor."""
    return T(*shape, dtype="complex128")


def one(transform: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's function of one dim with torch's arguments."""
    return lambda x, n=None, dim=-1, norm=None: transform(x, n, dim, norm)


def many(transform: Callable[..., Any], default: Any = None) -> Callable[..., Any]:
    """NumPy's function of several dims with torch's arguments."""

    def call(x: Any, s: Any = None, dim: Any = default, norm: Any = None) -> Any:
        dims = range(-x.ndim if s is None else -len(s), 0) if dim is None else dim
        return transform(x, s, [d % x.ndim for d in dims], norm)

    return call


def hermitian(x: Any, s: Any, axes: Any, norm: Any) -> Any:
    """hfft over several dims: one after the other."""
    for i, axis in enumerate(axes[:-1]):
        x = np.fft.fft(x, None if s is None else s[i], axis, norm)
    return np.fft.hfft(x, None if s is None else s[-1], axes[-1], norm)


def to_hermitian(x: Any, s: Any, axes: Any, norm: Any) -> Any:
    """ihfft over several dims: one after the other."""
    x = np.fft.ihfft(x, None if s is None else s[-1], axes[-1], norm)
    for i, axis in enumerate(axes[:-1]):
        x = np.fft.ifft(x, None if s is None else s[i], axis, norm)
    return x


def inputs_of_one(make: Callable[..., T]) -> list[tuple[Any, ...]]:
    return [(make(5),), (make(4), 6), (make(2, 5), 3), (make(3, 4), None, 0), (make(2, 1, 4), 5, -1, "ortho"),
            (make(3, 2), None, -2, "forward"), (make(0, 3),)]


def inputs_of_two(make: Callable[..., T]) -> list[tuple[Any, ...]]:
    return [(make(3, 4),), (make(2, 3, 4), (4, 5)), (make(3, 2, 4), None, (0, 2), "ortho"), (make(0, 2, 3),)]


def inputs_of_many(make: Callable[..., T]) -> list[tuple[Any, ...]]:
    return [(make(4),), (make(2, 3, 4),), (make(2, 3, 4), (3, 2)), (make(4, 3, 2), None, (0, -1), "forward"),
            (make(2, 3), (3, 4), (1, 0), "ortho")]


REAL, COMPLEX = ("float32", "float64"), ("float32", "float64")
CASES = [
    OpCase("_fft_c2c", lambda x, dim, number, forward: np.fft.fftn(x, axes=dim) if forward else
           np.fft.ifftn(x, axes=dim), [(c(4), (0,), 0, True), (c(2, 3), (0, 1), 2, False)], dtypes=COMPLEX),
    OpCase("_fft_r2c", lambda x, dim, number, onesided: np.fft.rfftn(x, axes=dim) if onesided else
           np.fft.fftn(x, axes=dim), [(T(5), (0,), 0, True), (T(2, 3), (1,), 0, False)], dtypes=REAL),
    OpCase("_fft_c2r", lambda x, dim, number, n: np.fft.irfft(x, n, dim[0]),
           [(c(3), (0,), 2, 5), (c(2, 3), (1,), 2, 4)], dtypes=COMPLEX),
    OpCase("fft.fft", one(np.fft.fft), [*inputs_of_one(T), *inputs_of_one(c)], dtypes=REAL),
    OpCase("fft.ifft", one(np.fft.ifft), [*inputs_of_one(T), *inputs_of_one(c)], dtypes=REAL),
    OpCase("fft.rfft", one(np.fft.rfft), inputs_of_one(T), dtypes=REAL),
    OpCase("fft.irfft", one(np.fft.irfft), inputs_of_one(c), dtypes=COMPLEX),
    OpCase("fft.hfft", one(np.fft.hfft), inputs_of_one(c), dtypes=COMPLEX),
    OpCase("fft.ihfft", one(np.fft.ihfft), inputs_of_one(T), dtypes=REAL),
    OpCase("fft.fft2", many(np.fft.fftn, (-2, -1)), inputs_of_two(c), dtypes=COMPLEX),
    OpCase("fft.ifft2", many(np.fft.ifftn, (-2, -1)), inputs_of_two(c), dtypes=COMPLEX),
    OpCase("fft.rfft2", many(np.fft.rfftn, (-2, -1)), inputs_of_two(T), dtypes=REAL),
    OpCase("fft.irfft2", many(np.fft.irfftn, (-2, -1)), inputs_of_two(c), dtypes=COMPLEX),
    OpCase("fft.hfft2", many(hermitian, (-2, -1)), inputs_of_two(c), dtypes=COMPLEX),
    OpCase("fft.ihfft2", many(to_hermitian, (-2, -1)), inputs_of_two(T), dtypes=REAL),
    OpCase("fft.fftn", many(np.fft.fftn), [*inputs_of_many(c), *inputs_of_many(T)], dtypes=COMPLEX),
    OpCase("fft.ifftn", many(np.fft.ifftn), inputs_of_many(c), dtypes=COMPLEX),
    OpCase("fft.rfftn", many(np.fft.rfftn), inputs_of_many(T), dtypes=REAL),
    OpCase("fft.irfftn", many(np.fft.irfftn), inputs_of_many(c), dtypes=COMPLEX),
    OpCase("fft.hfftn", many(hermitian), inputs_of_many(c), dtypes=COMPLEX),
    OpCase("fft.ihfftn", many(to_hermitian), inputs_of_many(T), dtypes=REAL),
    OpCase("fft.fftfreq", lambda n, d=1.0: np.fft.fftfreq(n, d).astype("float32"), [(5,), (4, 0.5), (1,)]),
    OpCase("fft.rfftfreq", lambda n, d=1.0: np.fft.rfftfreq(n, d).astype("float32"), [(5,), (4, 0.5), (1,)]),
    OpCase("fft.fftshift", lambda x, dim=None: np.fft.fftshift(x, dim), [(T(5),), (T(2, 3), 1), (T(3, 4), (0, -1))],
           complex=True),
    OpCase("fft.ifftshift", lambda x, dim=None: np.fft.ifftshift(x, dim), [(T(5),), (T(2, 3), 1), (T(3, 4), (0, -1))],
           complex=True),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    **{f"fft.{name}2": [(T(4, 3), {"dim": (-2, -1)})] for name in ("fft", "ifft", "rfft", "ihfft")},
    **{f"fft.{name}2": [(T(4, 3, dtype="complex128"), {"dim": (-2, -1)})] for name in ("hfft", "irfft")},
})
