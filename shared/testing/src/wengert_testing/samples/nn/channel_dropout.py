"""Samples of dropout, also of channels, that drops nothing."""

from __future__ import annotations

from wengert_testing.case import OpCase, T
from wengert_testing.samples.shapes import of_nn

DROPS = ["dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout"]
SHAPES = {"dropout1d": [T(2, 3, 4), T(2, 3)], "dropout3d": [T(1, 2, 3, 2, 2), T(2, 2, 1, 3)]}

CASES = [
    *[
        of_nn(name, lambda x, p, training: x, [(x, 0.5, False) for x in SHAPES.get(name, [T(2, 3, 2, 2)])])
        for name in DROPS
    ],
    *[
        OpCase(name, lambda x, p, train: x, [(T(2, 3), 0.5, False), (T(2, 3), 0.0, True)])
        for name in ("dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout")
    ],
]
