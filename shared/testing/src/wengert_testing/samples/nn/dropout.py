"""Samples of dropout that drops nothing."""

from __future__ import annotations

from wengert_testing.case import T
from wengert_testing.samples.shapes import both

CASES = [
    *both("dropout", lambda x, p, train: x, [(T(2, 3), 0.5, False), (T(2, 3), 0.0, True)]),
]
