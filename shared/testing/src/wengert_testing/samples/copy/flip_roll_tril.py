"""Samples of reordering and of triangles."""

from __future__ import annotations

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.shapes import recorded_rows

CASES = [
    OpCase(
        "flip",
        np.flip,
        [(T(3), [0]), (T(), []), (T(0, 2), (1,)), (T(2, 1, 3, 2), (0, -2)), (T(2, 3), (0, 1)), (T(2, 3), [-1])],
        complex=True,
    ),
    OpCase("fliplr", np.fliplr, [(T(2, 3),)]),
    OpCase("flipud", np.flipud, [(T(2, 3),), (T(3),)]),
    OpCase("rot90", np.rot90, [(T(2, 3),), (T(2, 3), 2), (T(2, 3), -1, (1, 0)), (T(2, 3), 4)]),
    OpCase("roll", np.roll, [(T(4), 1), (T(2, 3), 1), (T(2, 3), (1, -1), (0, 1)), (T(2, 3), 2, 1)], complex=True),
    OpCase("tril", np.tril, [(T(3, 3),), (T(2, 3), 1), (T(2, 3, 3), -1)], complex=True),
    OpCase("triu", np.triu, [(T(3, 3),), (T(2, 3), 1), (T(2, 3, 3), -1)], complex=True),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "roll": [(T(2, 3), (1, 2), (-1, 0))],
    "rot90": [(T(2, 3), 1, (-1, 0))],
})
