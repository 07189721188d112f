"""Samples of powers of two and of common divisors."""

from __future__ import annotations

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.index.searching import WHOLE
from wengert_testing.samples.shapes import PAIRS, UNARY

CASES = [
    # ---- powers of two and divisors
    OpCase("gcd", np.gcd, [(WHOLE, WHOLE[::-1].copy()), (np.array([[4], [-6]]), np.array([6, 0]))], grad=False),
    OpCase("lcm", np.lcm, [(WHOLE, WHOLE[::-1].copy()), (np.array([[4], [-6]]), np.array([6, 0]))], grad=False),
    OpCase("logaddexp2", lambda x, y: np.log2(2**x + 2**y), PAIRS, domain=(-1, 1)),
    OpCase(
        "frexp",
        lambda x: tuple(np.frexp(x)),
        UNARY,
        kinks=(-2, -1, -0.5, 0, 0.5, 1, 2),
        dtypes=("float16", "float64"),
    ),
    OpCase("ldexp", lambda x, y: x * 2.0**y, PAIRS, dtypes=("float32", "float64")),
    OpCase(
        "float_power",
        lambda x, y: np.float_power(x, y),
        [(T(2, 3), T(3)), (T(3), 2), (2.5, T(3)), (T(), T())],
        domain=(0.3, 2),
        dtypes=("float64",),
    ),
    OpCase("_ldexp", lambda x, y: x * 2.0**y, [(T(2, 3), T(3)), (T(), T(2)), (T(2, 1), T(3))]),
]
