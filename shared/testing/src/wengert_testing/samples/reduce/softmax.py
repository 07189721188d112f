"""Samples of softmax and log_softmax."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.shapes import ALONG, of_nn


def soft(x: Any, dim: Any, _stacklevel: Any = 3, dtype: Any = None) -> Any:
    e = np.exp(x)
    return e / e.sum(axis=dim, keepdims=True) if x.ndim else np.ones_like(x)


CASES = [
    # ---- softmax
    OpCase("softmax", soft, ALONG, domain=(-1, 1)),
    OpCase("log_softmax", lambda x, dim: np.log(soft(x, dim)), ALONG, domain=(-1, 1)),
    of_nn("softmax", soft, ALONG),
    of_nn("log_softmax", lambda x, dim: np.log(soft(x, dim)), ALONG),
    of_nn("softmin", lambda x, dim: soft(-x, dim), ALONG),
    OpCase(
        "_softmax_backward_data",
        lambda g, y, dim: y * (g - (g * y).sum(dim, keepdims=True)),
        [(T(4), T(4), 0), (T(2, 3), T(2, 3), -1)],
    ),
    OpCase(
        "_log_softmax_backward_data",
        lambda g, y, dim: g - np.exp(y) * g.sum(dim, keepdims=True),
        [(T(4), T(4), 0), (T(2, 3), T(2, 3), -1)],
    ),
]
