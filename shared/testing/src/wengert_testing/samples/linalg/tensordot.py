"""Samples of tensordot."""

from __future__ import annotations

import numpy as np

from wengert_testing.case import OpCase, T

CASES = [
    OpCase(
        "tensordot",
        lambda x, y, dims=2: np.tensordot(x, y, dims),
        [(T(2, 3), T(2, 3)), (T(2, 3), T(3, 2), 1), (T(2, 3), T(3, 2), ([0, 1], [1, 0]))],
    ),
]
