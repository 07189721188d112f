"""Samples of interpolation, against plain loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import T
from wengert_testing.samples.shapes import of_nn, recorded_rows, with_words


def resize_by_matrices(weights: Any) -> Any:
    """The images along one dim as matrix products: weights(size, new) gives [new, size]."""

    def oracle(x: Any, size: Any, **words: Any) -> Any:
        sizes = (size,) * (x.ndim - 2) if isinstance(size, int) else size
        for d, new in enumerate(sizes):
            x = np.moveaxis(np.moveaxis(x, d + 2, -1) @ weights(x.shape[d + 2], new).T, -1, d + 2)
        return x

    return oracle


def hats(size: int, new: int) -> Any:
    """Linear interpolation between the centers of pixels, constant outside of them."""
    at = np.clip((np.arange(new) + 0.5) * size / new - 0.5, 0, size - 1)
    return np.maximum(1 - np.abs(at[:, None] - np.arange(size)), 0)


def floors(size: int, new: int) -> Any:
    return (np.arange(new)[:, None] * size // new == np.arange(size)).astype(float)


def areas(size: int, new: int) -> Any:
    at, pixels = np.arange(new)[:, None], np.arange(size)
    inside = (pixels >= at * size // new) & (pixels < -(-(at + 1) * size // new))
    return inside / inside.sum(1, keepdims=True)


PIXELS = (-0.5, 0, 0.5)  # where places between pixels begin

CASES = [
    of_nn(
        "interpolate",
        resize_by_matrices(floors),
        [(T(1, 2, 4), 3), (T(1, 1, 3, 4), (2, 5)), (T(1, 1, 2, 3, 2), (3, 2, 4))],
    ),
    of_nn(
        "interpolate",
        resize_by_matrices(hats),
        [
            (T(1, 2, 4), 6, {"mode": "linear"}),
            (T(2, 1, 3, 4), (4, 3), {"mode": "bilinear"}),
            (T(1, 1, 2, 3, 2), (3, 2, 4), {"mode": "trilinear"}),
        ],
    ),
    of_nn(
        "interpolate", resize_by_matrices(areas), with_words([(T(1, 2, 5), 3), (T(1, 1, 3, 4), (2, 5))], mode="area")
    ),
    of_nn(
        "interpolate",
        None,
        with_words([(T(1, 1, 3, 4), (4, 3))], mode="bicubic"),
        note="values: tests/torch_parity/recorded",
    ),
    of_nn(
        "interpolate",
        None,
        with_words([(T(1, 1, 5, 6), (2, 3))], mode="bilinear", antialias=True),
        note="values: tests/torch_parity/recorded",
    ),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "nn.functional.interpolate": [
        (T(1, 1, 3, 4), None, 1.7, "bilinear", True, False),
        (T(1, 1, 3, 4), None, (0.7, 2.0), "bicubic", False, True),
    ],
})
