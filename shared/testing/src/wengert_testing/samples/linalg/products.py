"""Samples of the trace."""

from __future__ import annotations

import numpy as np

from wengert_testing.case import OpCase, T

CASES = [
    OpCase("_trace", np.trace, [(T(3, 3),), (T(2, 3),), (T(0, 2),)], complex=True),
]
