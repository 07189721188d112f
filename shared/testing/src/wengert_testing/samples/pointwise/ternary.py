"""Samples of functions of three tensors."""

from __future__ import annotations

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.pointwise.arithmetic import AWAY
from wengert_testing.samples.shapes import PAIRS

THREE = [(T(2, 3), T(3), T(2, 1)), (T(), T(2), T()), (T(0, 2), T(2), T(2))]

CASES = [
    OpCase(
        "clamp",
        lambda x, low=None, high=None: np.clip(x, -np.inf if low is None else low, np.inf if high is None else high),
        [
            (T(6), -0.5, 0.7),
            (T(2, 3), None, 0.5),
            (T(2, 3), 0.1),
            (T(2, 3), T(3, domain=(-2, 0)), T(2, 1, domain=(0.2, 2))),
            (T(4), T(4), None),
            (T(), 0.3),
            (T(0), 0.0, 1.0),
        ],
        kinks=(-0.5, 0.1, 0.3, 0.5, 0.7),
    ),
    OpCase("clamp_min", np.maximum, [*PAIRS, (T(5), 0.4)], kinks=(0.4,)),
    OpCase("clamp_max", np.minimum, [*PAIRS, (T(5), 0.4)], kinks=(0.4,)),
    OpCase(
        "lerp",
        lambda x, end, weight: x + weight * (end - x),
        [*THREE, (T(2, 3), T(3), 0.3), (T(3), T(3), 0.9)],
        complex=True,
    ),
    OpCase(
        "addcmul",
        lambda x, a, b, value=1: x + value * a * b,
        [*THREE, (T(2), T(2), T(2), {"value": 0.5})],
        complex=True,
    ),
    OpCase(
        "addcdiv",
        lambda x, a, b, value=1: x + value * a / b,
        [*THREE, (T(2), T(2), T(2), {"value": 0.5})],
        domain=AWAY,
        complex=True,
    ),
    OpCase(
        "where",
        np.where,
        [
            (np.array([True, False, True]), T(2, 3), T(3)),
            (np.array([True, False]), T(2), 0.5),
            (np.array(True), T(), T(2)),
            (np.array([[True], [False]]), 1.5, T(3)),
        ],
        complex=True,
    ),
]
