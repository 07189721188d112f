"""Samples of products that are added to a tensor."""

from __future__ import annotations

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.linalg.matmul import product
from wengert_testing.samples.shapes import recorded_rows

CASES = [
    OpCase("addmv", product, [(T(2), T(2, 3), T(3)), (T(2), T(2, 3), T(3), {"beta": 0, "alpha": 2.0})]),
    OpCase("baddbmm", product, [(T(2, 2, 2), T(2, 2, 3), T(2, 3, 2)), (T(2), T(2, 2, 3), T(2, 3, 2), {"beta": 0.5})]),
    OpCase(
        "addbmm",
        lambda x, a, b, beta=1, alpha=1: beta * x + alpha * (a @ b).sum(0),
        [(T(2, 2), T(2, 2, 3), T(2, 3, 2))],
    ),
    OpCase(
        "addr",
        lambda x, a, b, beta=1, alpha=1: beta * x + alpha * np.outer(a, b),
        [(T(2, 3), T(2), T(3)), (T(2, 3), T(2), T(3), {"alpha": 0.5})],
    ),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "addbmm": [(T(2, 2), T(2, 2, 3), T(2, 3, 2), {"beta": 0.5, "alpha": 2})],
    "baddbmm": [(T(2, 2), T(2, 2, 3), T(2, 3, 2), {"beta": 0.5, "alpha": 2})],
    "addr": [(T(2, 3), T(2), T(3), {"beta": 0.5, "alpha": 2})],
})
