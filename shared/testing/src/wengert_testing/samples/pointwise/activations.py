"""Samples of activation functions and of the fused kernels of their derivatives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.pointwise.exponential import elementwise
from wengert_testing.samples.shapes import UNARY

GRADS = [(T(), T()), (T(2, 3), T(2, 3)), (T(0), T(0))]


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def softplus(x: Any, beta: Any = 1, threshold: Any = 20) -> Any:
    return np.where(x * beta > threshold, x, np.log1p(np.exp(x * beta)) / beta)


def gelu(x: Any, approximate: Any = "none") -> Any:
    if approximate == "tanh":
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return 0.5 * x * (1 + elementwise(math.erf)(x / math.sqrt(2)))


def gelu_slope(g: Any, x: Any, approximate: Any = "none") -> Any:
    if approximate == "none":
        return g * (
            0.5 * (1 + elementwise(math.erf)(x / math.sqrt(2))) + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        )
    c = math.sqrt(2 / math.pi)
    t = np.tanh(c * (x + 0.044715 * x**3))
    return g * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x))


def silu_slope(g: Any, x: Any) -> Any:
    s = sigmoid(x)
    return g * np.conj(s * (1 + x * (1 - s)))


GELU = [*UNARY, (T(2, 3), {"approximate": "tanh"})]
SOFTPLUS = [*UNARY, (T(4), 2.0), (T(4), 1.0, 0.5)]
LEAKY = [*UNARY, (T(2, 3), 0.2)]

CASES = [
    OpCase("sigmoid", sigmoid, UNARY, complex=True, domain=(-1, 1)),
    OpCase("nn.functional.sigmoid", sigmoid, UNARY),
    OpCase("relu", lambda x: np.maximum(x, 0), UNARY, kinks=(0,)),
    OpCase("nn.functional.relu", lambda x, inplace=False: np.maximum(x, 0), UNARY, kinks=(0,)),
    OpCase(
        "threshold",
        lambda x, threshold, value: np.where(x > threshold, x, value),
        [(T(2, 3), 0.1, -5.0), (T(), 0.5, 1.0)],
        kinks=(0.1, 0.5),
    ),
    OpCase("softplus", softplus, SOFTPLUS, kinks=(0.5,)),
    OpCase("nn.functional.softplus", softplus, SOFTPLUS, kinks=(0.5,)),
    OpCase("silu", lambda x: x * sigmoid(x), UNARY, complex=True, domain=(-1, 1)),
    OpCase("nn.functional.silu", lambda x: x * sigmoid(x), UNARY),
    OpCase("leaky_relu", lambda x, slope=0.01: np.where(x > 0, x, slope * x), LEAKY, kinks=(0,)),
    OpCase("nn.functional.leaky_relu", lambda x, slope=0.01: np.where(x > 0, x, slope * x), LEAKY, kinks=(0,)),
    OpCase("gelu", gelu, GELU),
    OpCase("nn.functional.gelu", gelu, GELU),
    OpCase("sigmoid_backward", lambda g, y: g * np.conj(y * (1 - y)), GRADS, complex=True),
    OpCase("tanh_backward", lambda g, y: g * np.conj(1 - y * y), GRADS, complex=True),
    OpCase(
        "threshold_backward",
        lambda g, x, threshold: np.where(x > threshold, g, 0),
        [(*given, 0.2) for given in GRADS],
        kinks=(0.2,),
    ),
    OpCase(
        "leaky_relu_backward",
        lambda g, x, slope: np.where(x > 0, g, g * slope),
        [(*given, 0.2) for given in GRADS],
        kinks=(0,),
    ),
    OpCase(
        "softplus_backward",
        lambda g, x, beta, threshold: np.where(x * beta > threshold, g, g * sigmoid(beta * x)),
        [(*given, 1.5, 1.2) for given in GRADS],
        kinks=(0.8,),
    ),
    OpCase("silu_backward", silu_slope, GRADS, complex=True, domain=(-1, 1)),
    OpCase("gelu_backward", gelu_slope, [*GRADS, (T(3), T(3), {"approximate": "tanh"})]),
    OpCase("nn.functional.tanh", np.tanh, UNARY),
]
