"""Samples of the short-time Fourier transform, its inverse, and of window functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T

HANN = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(4) / 4)


def in_frames(x: Any, n_fft: int, hop: Any = None, win: Any = None, window: Any = None, center: bool = True,
              pad_mode: str = "reflect", normalized: bool = False, onesided: Any = None,
              return_complex: bool = True) -> Any:
    """stft by loops over frames."""
    hop, win = hop or n_fft // 4, win or n_fft
    left = (n_fft - win) // 2
    wide = np.pad(np.ones(win) if window is None else window, (left, n_fft - win - left))
    if center:
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(n_fft // 2, n_fft // 2)], mode=pad_mode)  # type: ignore[call-overload]
    count = (x.shape[-1] - n_fft) // hop + 1
    frames = np.stack([x[..., hop * k : hop * k + n_fft] * wide for k in range(count)], -2)
    whole = onesided is False or np.iscomplexobj(frames)
    spectrum = (np.fft.fft if whole else np.fft.rfft)(frames, axis=-1, norm="ortho" if normalized else None)
    return np.swapaxes(spectrum, -1, -2)


def from_frames(z: Any, n_fft: int, hop: Any = None, win: Any = None, window: Any = None) -> Any:
    """istft of centred frames by loops."""
    hop, wide = hop or n_fft // 4, window
    frames = np.fft.irfft(np.swapaxes(z, -1, -2), n_fft, axis=-1) * wide
    total = np.zeros((*z.shape[:-2], n_fft + hop * (z.shape[-1] - 1)))
    weight = np.zeros(total.shape[-1])
    for k in range(z.shape[-1]):
        total[..., hop * k : hop * k + n_fft] += frames[..., k, :]
        weight[hop * k : hop * k + n_fft] += wide * wide
    half = n_fft // 2
    return (total / np.where(weight, weight, 1))[..., half:-half]


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
PLAIN = {"window": HANN, "return_complex": True}
STFT = [(T(9), 4, PLAIN), (T(2, 12), 6, 2, 4, {**PLAIN, "normalized": True}),
        (T(2, 10), 4, 3, {**PLAIN, "center": False, "onesided": False}),
        (T(9, dtype="complex128"), 4, {**PLAIN, "pad_mode": "constant"})]
CASES = [
    OpCase("stft", in_frames, STFT),
    OpCase("istft", from_frames, [(T(3, 6, dtype="complex128"), 4, {"window": HANN}),
                                  (T(2, 3, 5, dtype="complex128"), 4, 2, {"window": HANN + 0.1})]),
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
