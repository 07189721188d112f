"""Samples of norms and condition numbers of matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.linalg.linalg_solve import dominant
from wengert_testing.samples.shapes import recorded_rows


def matrix_norm(x: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: Any = False) -> Any:
    return np.linalg.norm(x, ord, tuple(dim), keepdim)


NORMS = [
    (T(2, 3),),
    (T(2, 3), "nuc"),
    (T(2, 3), 1),
    (T(3, 2), -1),
    (T(2, 3), 2),
    (T(2, 3), -2),
    (T(3, 2), math.inf),
    (T(2, 3), -math.inf),
    (T(2, 3, 2), "nuc", (0, 2), True),
    (T(2, 3, 2), 1, (2, 0)),
]


CASES = [
    OpCase("linalg.matrix_norm", matrix_norm, NORMS, complex=True),
    OpCase(
        "linalg.norm",
        np.linalg.norm,
        [
            (T(2, 3),),
            (T(4), 3),
            (T(2, 3), "nuc"),
            (T(2, 3), 1),
            (T(2, 3), 1, 1),
            (T(2, 3, 2), "fro", (0, 1)),
            (T(2, 3, 2),),
        ],
    ),
    OpCase(
        "linalg.cond",
        lambda x, p=None: np.linalg.cond(x, p),
        [
            (T(3, 3),),
            (T(2, 3),),
            (T(3, 3), 1),
            (T(2, 2, 2), "fro"),
            (T(3, 3), -2),
            (T(2, 2), "nuc"),
            (T(3, 3), -math.inf),
        ],
        prepared=lambda x, *p: dominant(x, *p) if x.shape[-1] == x.shape[-2] else (x, *p),
    ),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "linalg.matrix_norm": [(T(2, 3, 2), "fro", (-3, -1), True)],
    "linalg.norm": [(T(2, 3), None, -1, True)],
})
