"""Samples of renorm."""

from __future__ import annotations

from wengert_testing.case import OpCase, T
from wengert_testing.samples.reduce.reductions import shortened

CASES = [
    OpCase("_renorm", shortened, [(T(2, 3), 2, 0, 1.0), (T(2, 3, 2), 3, -1, 0.7), (T(2, 3), 1, 1, 0.3)]),
]
