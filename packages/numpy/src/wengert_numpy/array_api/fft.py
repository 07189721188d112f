"""The extension ``fft``: discrete Fourier transforms.

Arguments are the same everywhere: n and s are the sizes of the transform, to which the input is cut or filled with
zeros; norm is "backward", "ortho" or "forward", the direction in which results are divided by the size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import wengert as wg
from wengert import Tensor

from wengert_numpy.array_api.axes import Op, axes_of
from wengert_numpy.array_api.creation import as_array
from wengert_numpy.operands import to_dtype

__all__ = [
    "fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft", "irfft", "irfftn", "rfft",
    "rfftfreq", "rfftn",
]  # fmt: skip

Norm = Literal["backward", "ortho", "forward"]


def transform(op: Op, name: str, doc: str) -> Any:
    """Return the function that is a transform along one axis."""

    def function(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Tensor:
        return op(as_array(x), n=n, dim=axis, norm=norm)

    return document(function, name, doc)


def transform_n(op: Op, name: str, doc: str) -> Any:
    """Return the function that is a transform along several axes."""

    def function(
        x: Tensor, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
    ) -> Tensor:
        dims = None if axes is None else tuple(axes)
        return op(as_array(x), s=None if s is None else tuple(s), dim=dims, norm=norm)

    return document(function, name, doc)


def document(function: Any, name: str, doc: str) -> Any:
    """Return a closure with a function's name and documentation."""
    function.__name__ = function.__qualname__ = name
    function.__module__, function.__doc__ = "wengert.array_api.fft", doc
    return function


fft = transform(wg.fft.fft, "fft", "Return the discrete Fourier transform along an axis.")
ifft = transform(wg.fft.ifft, "ifft", "Return the inverse of fft.")
rfft = transform(wg.fft.rfft, "rfft", "Return the half of fft that determines it, for real input.")
irfft = transform(wg.fft.irfft, "irfft", "Return the inverse of rfft.")
hfft = transform(wg.fft.hfft, "hfft", "Return the transform of input that is symmetric up to conjugation, real.")
ihfft = transform(wg.fft.ihfft, "ihfft", "Return the inverse of hfft.")
fftn = transform_n(wg.fft.fftn, "fftn", "Return the discrete Fourier transform along several axes (None: all).")
ifftn = transform_n(wg.fft.ifftn, "ifftn", "Return the inverse of fftn.")
rfftn = transform_n(wg.fft.rfftn, "rfftn", "Return the half of fftn that determines it, for real input.")
irfftn = transform_n(wg.fft.irfftn, "irfftn", "Return the inverse of rfftn.")


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Tensor:
    """Return the frequencies of the elements of fft, for samples at a distance of d."""
    return wg.fft.fftfreq(n, d, dtype=to_dtype(dtype, "fftfreq"), device=device)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Tensor:
    """Return the frequencies of the elements of rfft, for samples at a distance of d."""
    return wg.fft.rfftfreq(n, d, dtype=to_dtype(dtype, "rfftfreq"), device=device)


def fftshift(x: Tensor, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """Return the elements with frequency zero in the middle of axes (None: all)."""
    return shift(wg.fft.fftshift, x, axes)


def ifftshift(x: Tensor, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """Return the inverse of fftshift."""
    return shift(wg.fft.ifftshift, x, axes)


def shift(op: Op, x: Any, axes: int | Sequence[int] | None) -> Tensor:
    """Return the elements shifted along axes."""
    x = as_array(x)
    return op(x, axes_of(axes if axes is None or isinstance(axes, int) else tuple(axes), x.ndim))
