"""Samples of covariances and correlations."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, fixed


def cov(x: Any, correction: Any = 1, fweights: Any = None, aweights: Any = None) -> Any:
    return np.cov(x, ddof=correction, fweights=fweights, aweights=aweights)


COUNTS = np.array([1, 2, 1])

CASES = [
    OpCase(
        "cov",
        cov,
        [
            (T(2, 4),),
            (T(4),),
            (T(2, 3), {"correction": 0}),
            (T(2, 3), {"fweights": COUNTS}),
            (T(2, 3), {"aweights": T(3, domain=(0.5, 1.5))}),
            (T(3, 3), {"fweights": COUNTS, "aweights": fixed([1.0, 0.5, 2.0])}),
        ],
    ),
    OpCase("cov", cov, [(T(2, 4),), (T(3, 3), {"fweights": COUNTS})], complex=True),
    OpCase("corrcoef", np.corrcoef, [(T(2, 4),), (T(3, 5),), (T(4),)], complex=True),
]
