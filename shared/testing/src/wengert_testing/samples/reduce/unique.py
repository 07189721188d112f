"""Samples of distinct values."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase
from wengert_testing.samples.shapes import recorded_rows

WHOLE = np.array([3, 1, 1, 0, 1, 3])
MATRIX = np.array([[1, 1, 2], [1, 1, 2], [2, 1, 1]])
PLACES = np.array([[2, 0], [1, 1]])
NUMBERS = np.array([3.0, 1.0, 3.0, 2.0])


def runs(x: Any, dim: Any = None) -> Any:
    flat = np.moveaxis(x, dim, 0) if dim is not None else x.reshape(-1)
    starts = [i for i in range(len(flat)) if i == 0 or (flat[i] != flat[i - 1]).any()]
    inverse = np.array([sum(s <= i for s in starts) - 1 for i in range(len(flat))])
    values = flat[starts] if dim is None else np.moveaxis(flat[starts], 0, dim)
    return values, inverse.reshape(x.shape) if dim is None else inverse, np.diff([*starts, len(flat)])


CASES = [
    OpCase("unique", lambda x, *_: np.unique(x), [(NUMBERS,)], grad=False),
    OpCase(
        "_unique",
        lambda x, dim, *_: np.unique(x, return_inverse=True, return_counts=True, axis=dim),
        [(NUMBERS, None, True, True)],
        grad=False,
    ),
    OpCase(
        "_unique_consecutive",
        lambda x, dim, *_: runs(x, dim),
        [(WHOLE, None, True, True), (MATRIX, None, True, True), (MATRIX, 0, True, True), (MATRIX, 1, True, True)],
        grad=False,
    ),
    OpCase(
        "unique_consecutive",
        lambda x, inverse=False, counts=False, dim=None: runs(x, dim)[: 1 + inverse + counts],
        [(WHOLE,), (WHOLE, True), (MATRIX, True, True), (MATRIX, True, True, 0)],
        grad=False,
    ),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "unique": [(PLACES, True, True, True, -1), (PLACES, {"sorted": True})],
    "unique_consecutive": [(PLACES, {"dim": -1})],
}, grad=False)
