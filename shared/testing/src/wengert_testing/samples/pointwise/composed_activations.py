"""Samples of activation functions that other ops compute."""

from __future__ import annotations

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.pointwise.activations import sigmoid
from wengert_testing.samples.shapes import UNARY, both, of_nn

CASES = [
    # ---- activations
    OpCase("log_sigmoid", lambda x: np.log(sigmoid(x)), UNARY),
    OpCase("log_sigmoid_backward", lambda g, x: g * sigmoid(-x), [(T(), T()), (T(2, 3), T(2, 3))]),
    of_nn("logsigmoid", lambda x: np.log(sigmoid(x)), UNARY),
    of_nn(
        "threshold", lambda x, threshold, value: np.where(x > threshold, x, value), [(T(2, 3), 0.1, -5.0)], kinks=(0.1,)
    ),
    of_nn("softsign", lambda x: x / (1 + np.abs(x)), UNARY, kinks=(0,)),
    of_nn("tanhshrink", lambda x: x - np.tanh(x), UNARY),
    *both("rrelu", lambda x, lower=1 / 8, upper=1 / 3: np.where(x > 0, x, x * (lower + upper) / 2), UNARY, kinks=(0,)),
]
