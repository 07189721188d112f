"""Samples of rounding: flat between the whole numbers."""

from __future__ import annotations

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.shapes import UNARY

WHOLE = (-2, -1, 0, 1, 2)
HALVES = (-1.5, -0.5, 0.5, 1.5)

CASES = [
    OpCase("floor", np.floor, UNARY, kinks=WHOLE),
    OpCase("ceil", np.ceil, UNARY, kinks=WHOLE),
    OpCase("trunc", np.trunc, UNARY, kinks=WHOLE),
    OpCase(
        "round",
        lambda x, decimals=0: np.round(x, decimals),
        [*UNARY, (T(4), {"decimals": 1})],
        kinks=HALVES,
        domain=(-1.93, 1.97),
    ),
    OpCase("frac", lambda x: x - np.trunc(x), UNARY, kinks=WHOLE),
]
