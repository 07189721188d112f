"""Samples of searching: positions in sorted rows, membership, positions as coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.shapes import recorded_rows

BOUNDARIES = np.array([-1.0, 0.0, 0.5, 1.0])
ROWS = np.array([[1, 3, 5], [2, 4, 6]])
WHOLE = np.array([3, 1, 1, 0, 1, 3])
MATRIX = np.array([[1, 1, 2], [1, 1, 2], [2, 1, 1]])


def search(boundaries: Any, values: Any, right: Any = False, sorter: Any = None, **words: Any) -> Any:
    right = right or words.get("side") == "right"
    boundaries = boundaries if sorter is None else boundaries[sorter]
    if boundaries.ndim == 1:
        return np.searchsorted(boundaries, values, "right" if right else "left")
    return np.stack([search(row, wanted, right) for row, wanted in zip(boundaries, values, strict=True)])


CASES = [
    # ---- places in sorted boundaries
    OpCase("_searchsorted", search, [(BOUNDARIES, T(2, 3), False), (ROWS, np.array([[3], [9]]), True)], grad=False),
    OpCase(
        "searchsorted",
        search,
        [
            (BOUNDARIES, T(2, 3)),
            (BOUNDARIES, T()),
            (BOUNDARIES, T(4), {"right": True}),
            (ROWS, np.array([[3, 4], [4, 0]]), {"side": "right"}),
            (BOUNDARIES[::-1].copy(), T(3), {"sorter": np.array([3, 2, 1, 0])}),
        ],
        grad=False,
    ),
    OpCase(
        "bucketize",
        lambda x, boundaries, right=False: np.searchsorted(boundaries, x, "right" if right else "left"),
        [(T(2, 3), BOUNDARIES), (WHOLE, np.array([1, 3]), {"right": True})],
        grad=False,
    ),
    # ---- membership, positions
    OpCase(
        "_isin",
        lambda x, among, invert: np.isin(x, among, invert=invert),
        [(WHOLE, np.array([1, 3]), False), (WHOLE, np.arange(2, 40), True)],
        grad=False,
    ),
    OpCase(
        "isin",
        lambda x, among, assume_unique=False, invert=False: np.isin(x, among, invert=invert),
        [(MATRIX, np.array([1, 3])), (MATRIX, 2, {"invert": True}), (2, MATRIX), (WHOLE, np.arange(2, 40))],
        grad=False,
    ),
    OpCase(
        "unravel_index",
        lambda x, shape: tuple(np.asarray(a) for a in np.unravel_index(x, shape)),
        [(WHOLE, (2, 3)), (WHOLE, 6), (MATRIX, (3, 2, 4))],
        grad=False,
    ),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "bucketize": [(T(2, 3), np.array([-1.0, 0.0, 0.5]), {"out_int32": True, "right": True})],
    "isin": [(T(3), T(3), {"assume_unique": True, "invert": True})],
    "searchsorted": [(np.array([-1.0, 0.0, 0.5]), T(2, 3), {"out_int32": True})],
}, grad=False)
