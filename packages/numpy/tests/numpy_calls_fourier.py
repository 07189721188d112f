"""Calls of numpy.fft."""

from __future__ import annotations

import numpy as np

from .numpy_calls import Call, of, varying

LINE, GRID = varying(5), varying(3, 4)
COMPLEX = of(varying(3, 4).array + 1j * varying(3, 4, seed=1).array)
CUBE = varying(2, 3, 4)
COMPLEX_CUBE = of(CUBE.array + 1j * varying(2, 3, 4, seed=1).array)
TO_COMPLEX, TO_REAL, FROM_REAL = ("fft", "ifft"), ("irfft", "hfft"), ("rfft", "ihfft")
NORMS = ("backward", "ortho", "forward")


def line_calls(name: str) -> list[Call]:
    """Return calls of a transform along one axis."""
    name, signal = f"fft.{name}", GRID if name in FROM_REAL else COMPLEX
    return [
        Call(name, LINE),
        Call(name, signal),
        Call(name, signal, axis=0),
        Call(name, signal, 6),
        Call(name, signal, 3, -1),
        Call(name, signal, n=5, axis=0),
        Call(name, signal, n=np.int64(2), axis=np.int64(0)),
        *(Call(name, signal, norm=norm) for norm in NORMS),
        *(Call(name, signal, n=7, norm=norm) for norm in NORMS),
        Call(name, of([1, 2, 3])),
        Call(name, of([True, False, True])),
        Call(name, of([1, 2, 3], np.float32), gradient=False),
        Call(name, of([1, 2, 3, 4], np.float16), 4, gradient=False),
        Call(name, of(np.zeros((0, 3)))),
    ]


def grid_calls(name: str) -> list[Call]:
    """Return calls of a transform along several axes."""
    signal = CUBE if name.startswith("rfft") else COMPLEX_CUBE
    last = "fft." + name
    return [
        Call(last, signal),
        Call(last, signal, axes=(0, 2)),
        Call(last, signal, axes=(2, 0)),
        Call(last, signal, s=(3, 5), axes=(0, 1)),
        Call(last, signal, (2, -1), (-1, -2)),
        *(Call(last, signal, norm=norm) for norm in NORMS),
        *(Call(last, signal, (4, 2), (1, 2), norm) for norm in NORMS),
        Call(last, of(np.arange(12).reshape(3, 4))),
        Call(last, of(np.ones((3, 4)), np.float32), gradient=False),
    ]


CALLS = [
    *(call for name in (*TO_COMPLEX, *TO_REAL, *FROM_REAL) for call in line_calls(name)),
    *(call for name in ("fft", "ifft", "rfft", "irfft") for suffix in "n2" for call in grid_calls(name + suffix)),
    Call("fft.fftn", COMPLEX, axes=(0, 0)),
    Call("fft.rfftn", GRID, axes=(0, 0)),
    Call("fft.irfftn", COMPLEX, axes=(1,)),
    Call("fft.fftn", LINE),
    Call("fft.fft", of(np.array([1, 2j, 3], np.complex64)), gradient=False),
    *(Call(name, signal, *axes) for name in ("fft.fftshift", "fft.ifftshift")
      for signal in (LINE, CUBE, of([1, 2, 3, 4, 5])) for axes in ((), (0,), ((-1,),))),
    Call("fft.fftshift", CUBE, axes=(0, 2)),
    Call("fft.ifftshift", CUBE, (1, 1)),
]
