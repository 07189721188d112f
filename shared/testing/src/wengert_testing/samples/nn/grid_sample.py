"""Samples of grids, and of images read there."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.shapes import of_nn, with_words


def sample_bilinear(image: Any, grid: Any, align_corners: Any = False) -> Any:
    """Bilinear, zeros outside: the sum over all pixels of hats."""
    h, w = image.shape[2:]
    x, y = (grid[..., 0] + 1) / 2, (grid[..., 1] + 1) / 2
    x, y = (x * (w - 1), y * (h - 1)) if align_corners else (x * w - 0.5, y * h - 0.5)
    rows = np.maximum(1 - np.abs(y[..., None] - np.arange(h)), 0)
    columns = np.maximum(1 - np.abs(x[..., None] - np.arange(w)), 0)
    return np.einsum("nchw,nijh,nijw->ncij", image, rows, columns)


def affine(theta: Any, size: Any, align_corners: Any = False) -> Any:
    axes = [(2 * np.arange(n) + 1) / n - 1 if not align_corners else np.linspace(-1, 1, n) for n in size[2:]]
    axes = [axis if len(axis) > 1 else np.zeros(1) for axis in axes]
    points = np.stack([*reversed(np.meshgrid(*axes, indexing="ij")), np.ones(size[2:])], -1)
    return np.einsum("...k,njk->n...j", points, theta)


GRID = T(2, 2, 3, 2, domain=(-1.3, 1.3))

CASES = [
    of_nn(
        "grid_sample",
        sample_bilinear,
        [(T(2, 2, 3, 4), GRID, {"align_corners": False}), (T(2, 1, 2, 2), GRID, {"align_corners": True})],
        rtol=1e-4,
        dtypes=("float32", "float64"),
        note="float32 places have few digits left inside a pixel",
    ),
    *(
        of_nn(
            "grid_sample",
            None,
            with_words([(T(2, 2, 3, 4), GRID)], mode=mode, padding_mode=padding, align_corners=False),
            note="values: tests/torch_parity/recorded",
        )
        for mode in ("bilinear", "bicubic")
        for padding in ("zeros", "border", "reflection")
    ),
    OpCase(
        "_affine_grid_generator",
        affine,
        [(T(2, 2, 3), (2, 1, 3, 4), False), (T(2, 3, 4), (2, 1, 3, 2, 2), True), (T(1, 2, 3), (1, 3, 1, 4), True)],
        invariant=lambda found, *rest: found,
    ),
    of_nn(
        "affine_grid",
        affine,
        [(T(2, 2, 3), (2, 1, 2, 3), {"align_corners": False}), (T(1, 3, 4), (1, 1, 2, 3, 2), {"align_corners": True})],
    ),
]
