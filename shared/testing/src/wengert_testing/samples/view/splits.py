"""Samples of pieces at given places."""

from __future__ import annotations

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.shapes import recorded_rows

CASES = [
    OpCase("tensor_split", np.array_split, [(T(5), 2), (T(2, 5), 3, 1), (T(6), [1, 4])]),
    OpCase("hsplit", np.hsplit, [(T(4), 2), (T(2, 4), [1, 3])]),
    OpCase("vsplit", np.vsplit, [(T(4, 2), 2)]),
    OpCase("dsplit", np.dsplit, [(T(2, 1, 4), 2)]),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "tensor_split": [(T(2, 5), 2, -1), (T(5), {"indices": (1, 3)}), (T(5), {"sections": 2})],
})
