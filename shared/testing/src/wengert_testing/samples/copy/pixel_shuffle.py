"""Samples of pixel_shuffle and pixel_unshuffle."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T


def pixel_shuffle(x: Any, r: Any) -> Any:
    c, h, w = x.shape[-3] // (r * r), x.shape[-2], x.shape[-1]
    out = np.empty((*x.shape[:-3], c, h * r, w * r), x.dtype)
    for i in range(r):
        for j in range(r):
            out[..., i::r, j::r] = x[..., i * r + j :: r * r, :, :]
    return out


def pixel_unshuffle(x: Any, r: Any) -> Any:
    parts = [x[..., i::r, j::r] for i in range(r) for j in range(r)]
    return np.stack(parts, -3).reshape(*x.shape[:-3], x.shape[-3] * r * r, x.shape[-2] // r, x.shape[-1] // r)


CASES = [
    *(
        OpCase(f"{place}{name}", oracle, inputs)
        for place in ("", "nn.functional.")
        for name, oracle, inputs in (
            ("pixel_shuffle", pixel_shuffle, [(T(2, 4, 2, 3), 2), (T(9, 1, 2), 3), (T(0, 4, 1, 1), 2)]),
            ("pixel_unshuffle", pixel_unshuffle, [(T(2, 1, 4, 6), 2), (T(2, 3, 3), 3)]),
        )
    ),
    OpCase("_pixel_shuffle", pixel_shuffle, [(T(2, 4, 2, 3), 2), (T(9, 1, 2), 3)]),
    OpCase("_pixel_unshuffle", pixel_unshuffle, [(T(2, 1, 4, 6), 2), (T(2, 3, 3), 3)]),
]
