"""Samples of window functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase


def of_span(f: Any) -> Any:
    """A window's function of points and span, with the arguments of signal.windows."""
    def call(m: int, *, sym: bool = True, **settings: Any) -> Any:
        return (np.ones(m) if m < 2 else f(np.arange(m), m - 1 if sym else m, **settings)).astype("float32")

    return call


def of_length(f: Any) -> Any:
    """The same with the arguments of the functions at the top."""
    return lambda m, periodic=True, *rest: of_span(lambda n, s: f(n, s, *rest))(m, sym=not periodic)


def cosines(n: Any, s: int, a: Any) -> Any:
    return sum((-1) ** i * c * np.cos(2 * np.pi * i * n / s) for i, c in enumerate(a))


def hamming(n: Any, s: int, alpha: float = 0.54, beta: float | None = None) -> Any:
    return alpha - (1 - alpha if beta is None else beta) * np.cos(2 * np.pi * n / s)


def blackman(n: Any, s: int) -> Any:
    return cosines(n, s, (0.42, 0.5, 0.08))


def bartlett(n: Any, s: int) -> Any:
    return 1 - np.abs((n - s / 2) / (s / 2))


def kaiser(n: Any, s: int, beta: float = 12.0) -> Any:
    return np.i0(beta * np.sqrt(1 - ((n - s / 2) / (s / 2)) ** 2)) / np.i0(beta)


def nuttall(n: Any, s: int) -> Any:
    return cosines(n, s, (0.3635819, 0.4891775, 0.1365995, 0.0106411))


def exponential(n: Any, s: int, tau: float = 1.0, center: float | None = None) -> Any:
    return np.exp(-np.abs(n - (s / 2 if center is None else center)) / tau)


SIZES = [(5,), (6, {"sym": False}), (1,), (0,)]

LENGTHS = [(5,), (6, False), (1,), (0,)]


CASES = [
    OpCase("bartlett_window", of_length(bartlett), LENGTHS),
    OpCase("blackman_window", of_length(blackman), LENGTHS),
    OpCase("hamming_window", of_length(hamming), [*LENGTHS, (5, True, 0.5, 0.4)]),
    OpCase("hann_window", of_length(lambda n, s: hamming(n, s, 0.5)), LENGTHS),
    OpCase("kaiser_window", of_length(kaiser), [*LENGTHS, (5, True, 3.0)]),
    OpCase("signal.windows.bartlett", of_span(bartlett), SIZES),
    OpCase("signal.windows.blackman", of_span(blackman), SIZES),
    OpCase("signal.windows.cosine", of_span(lambda n, s: np.sin(np.pi * (n + 0.5) / (s + 1))), SIZES),
    OpCase("signal.windows.exponential", of_span(exponential), [*SIZES, (5, {"tau": 3.0})]),
    OpCase("signal.windows.gaussian", of_span(lambda n, s, std=1.0: np.exp(-0.5 * ((n - s / 2) / std) ** 2)),
           [*SIZES, (5, {"std": 2.0})]),
    OpCase("signal.windows.general_cosine", of_span(cosines),
           [(5, {"a": [0.5, 0.3, 0.2]}), (4, {"a": [1], "sym": False})]),
    OpCase("signal.windows.general_hamming", of_span(hamming), [*SIZES, (5, {"alpha": 0.4})]),
    OpCase("signal.windows.hamming", of_span(hamming), SIZES),
    OpCase("signal.windows.hann", of_span(lambda n, s: hamming(n, s, 0.5)), SIZES),
    OpCase("signal.windows.kaiser", of_span(kaiser), [*SIZES, (5, {"beta": 3.0})]),
    OpCase("signal.windows.nuttall", of_span(nuttall), SIZES),
]
