"""Samples of quantiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T


def quantile(function: Any) -> Any:
    def oracle(x: Any, q: Any, dim: Any = None, keepdim: Any = False, interpolation: Any = "linear") -> Any:
        return function(x, q, dim, keepdims=keepdim, method=interpolation)

    return oracle


QUANTILES = [
    (T(5), 0.3),
    (T(2, 4), 0.7, 1),
    (T(2, 4), 0.25, 0, True),
    (T(2, 3), T(2, domain=(0.1, 0.9)), -1),
    (T(2, 5), 0.35, 1, {"interpolation": "lower"}),
    (T(2, 5), 0.35, 1, {"interpolation": "higher"}),
    (T(2, 5), 0.35, 1, {"interpolation": "nearest"}),
    (T(2, 5), 0.35, 1, {"interpolation": "midpoint"}),
    (T(), 0.5),
]

CASES = [
    # ---- quantiles
    OpCase("quantile", quantile(np.quantile), QUANTILES),
    OpCase("nanquantile", quantile(np.nanquantile), QUANTILES),
]
