"""Samples of tensordot."""

from __future__ import annotations

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.shapes import recorded_rows

CASES = [
    OpCase(
        "tensordot",
        lambda x, y, dims=2: np.tensordot(x, y, dims),
        [(T(2, 3), T(2, 3)), (T(2, 3), T(3, 2), 1), (T(2, 3), T(3, 2), ([0, 1], [1, 0]))],
    ),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "tensordot": [(T(2, 3), T(3, 2), ([-1], [0]))],
})
