"""Samples of cumulative sums, products, extremes and logarithms of sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase
from wengert_testing.samples.reduce.reductions import AWAY
from wengert_testing.samples.shapes import ALONG


def running(name: Any) -> Any:
    return lambda x, dim: getattr(np, name)(x, axis=dim) if x.ndim else x


def running_extreme(name: Any) -> Any:
    def oracle(x: Any, dim: Any) -> Any:
        if x.ndim == 0:
            return x, np.zeros((), np.int64)
        best = getattr(np, name).accumulate(x, axis=dim)
        places = np.where(
            x == best, np.arange(x.shape[dim]).reshape([-1 if d == dim % x.ndim else 1 for d in range(x.ndim)]), 0
        )
        return best, np.maximum.accumulate(places, axis=dim)

    return oracle


CASES = [
    OpCase("cumsum", running("cumsum"), ALONG, complex=True),
    OpCase(
        "cumprod",
        running("cumprod"),
        [*ALONG, (np.array([1.5, 0.0, 2.0, 0.0, 3.0]), 0), (np.array([[0.0, 2.0], [3.0, 4.0]]), 1)],
        domain=AWAY,
        complex=True,
    ),
    OpCase("cummax", running_extreme("maximum"), ALONG),
    OpCase("cummin", running_extreme("minimum"), ALONG),
    OpCase(
        "logcumsumexp",
        lambda x, dim: np.log(np.cumsum(np.exp(x), axis=dim)) if x.ndim else x,
        ALONG,
        domain=(-1, 1),
        complex=True,
    ),
]
