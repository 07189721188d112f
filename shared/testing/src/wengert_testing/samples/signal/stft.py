"""Samples of the short-time Fourier transform and its inverse."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, fixed
from wengert_testing.samples.shapes import recorded_rows

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
    """istft of centered frames by loops."""
    hop, wide = hop or n_fft // 4, window
    frames = np.fft.irfft(np.swapaxes(z, -1, -2), n_fft, axis=-1) * wide
    total = np.zeros((*z.shape[:-2], n_fft + hop * (z.shape[-1] - 1)))
    weight = np.zeros(total.shape[-1])
    for k in range(z.shape[-1]):
        total[..., hop * k : hop * k + n_fft] += frames[..., k, :]
        weight[hop * k : hop * k + n_fft] += wide * wide
    half = n_fft // 2
    return (total / np.where(weight, weight, 1))[..., half:-half]


PLAIN = {"window": HANN, "return_complex": True}
STFT = [(T(9), 4, PLAIN), (T(2, 12), 6, 2, 4, {**PLAIN, "normalized": True}),
        (T(2, 10), 4, 3, {**PLAIN, "center": False, "onesided": False}),
        (T(9, dtype="complex128"), 4, {**PLAIN, "pad_mode": "constant"})]
WINDOW = fixed([0.2, 0.9, 1.0, 0.7])

CASES = [
    OpCase("stft", in_frames, STFT),
    OpCase("istft", from_frames, [(T(3, 6, dtype="complex128"), 4, {"window": HANN}),
                                  (T(2, 3, 5, dtype="complex128"), 4, 2, {"window": HANN + 0.1})]),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "stft": [(T(13), 4, 2, 4, WINDOW, {"center": False, "align_to_window": False, "return_complex": True})],
    "istft": [
        (T(3, 6, dtype="complex128"), 4, 1, 4, WINDOW, True, False, True, 5),
        (T(3, 6, dtype="complex128"), 4, 1, 4, WINDOW, {"normalized": True}),
        (T(4, 6, dtype="complex128"), 4, 1, 4, WINDOW, {"onesided": False, "return_complex": True}),
    ],
})
