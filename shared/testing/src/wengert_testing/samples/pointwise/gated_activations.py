"""Samples of activations with a gate or a slope for each channel."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.pointwise.activations import sigmoid
from wengert_testing.samples.shapes import both, of_nn, recorded_rows


def glu(x: Any, dim: Any = -1) -> Any:
    a, b = np.split(x, 2, dim)
    return a * sigmoid(b)


def prelu(x: Any, weight: Any) -> Any:
    if x.ndim == 0 or weight.ndim:
        weight = weight.reshape([1, -1] + [1] * (x.ndim - 2) if x.ndim > 1 else [-1] * x.ndim)
    return np.where(x > 0, x, weight * x)


PRELU = [(T(2, 3), T()), (T(2, 3), T(3)), (T(4), T(1))]

GLU = [(T(4),), (T(2, 4),), (T(4, 2), 0)]


CASES = [
    OpCase("glu", glu, [*GLU, (T(2, 4, 3), -2), (T(0, 2),), (T(2, 1, 4, 2), 2)]),
    OpCase("_prelu_kernel", lambda x, w: np.where(x > 0, x, w * x), [(T(2, 3), T(3)), (T(2, 3), T(1, 3))], kinks=(0,)),
    OpCase(
        "_prelu_kernel_backward",
        lambda g, x, w: np.where(x > 0, g, w * g),
        [(T(2, 3), T(2, 3), T(3)), (T(4), T(4), T(1))],
        kinks=(0,),
    ),
    of_nn("glu", glu, GLU),
    *both("prelu", prelu, PRELU, kinks=(0,)),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "nn.functional.glu": [(T(4, 3), -2)],
})
