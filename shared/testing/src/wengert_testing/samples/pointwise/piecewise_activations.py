"""Samples of activation functions made of pieces, of mish, and of the kernels of their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.pointwise.activations import GRADS, sigmoid
from wengert_testing.samples.shapes import UNARY


def exponential_below(alpha: Any = 1.0, scale: Any = 1.0) -> Any:
    return lambda x, alpha=alpha, inplace=False: scale * np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def celu(x: Any, alpha: Any = 1.0) -> Any:
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0) / alpha))


def softplus(x: Any) -> Any:
    return np.log1p(np.exp(x))


def hardtanh(x: Any, low: Any = -1.0, high: Any = 1.0) -> Any:
    return np.clip(x, low, high)


def softshrink(x: Any, lambd: Any = 0.5) -> Any:
    return np.sign(x) * np.maximum(np.abs(x) - lambd, 0)


def elu(x: Any, alpha: Any = 1.0, scale: Any = 1.0, rate: Any = 1.0) -> Any:
    return scale * np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0) * rate))


def elu_slope(g: Any, x: Any, alpha: Any, scale: Any, rate: Any, is_result: Any = False) -> Any:
    below = rate * (x + scale * alpha) if is_result else scale * alpha * rate * np.exp(x * rate)
    return g * np.where(x > 0, scale, below)


def mish_slope(g: Any, x: Any) -> Any:
    t = np.tanh(softplus(x))
    return g * (t + x * sigmoid(x) * (1 - t * t))


def both(name: Any, *settings: Any, **words: Any) -> Any:
    """A function that stands both at the top and in nn.functional."""
    return [OpCase(name, *settings, **words), OpCase(f"nn.functional.{name}", *settings, **words)]


def of_nn(name: Any, *settings: Any, **words: Any) -> Any:
    """A function of nn.functional."""
    return OpCase(f"nn.functional.{name}", *settings, **words)


def backward_arguments(*arguments: Any) -> Any:
    """Gradients and inputs, with more arguments."""
    return [(*pair, *arguments) for pair in GRADS]


SELU = exponential_below(1.6732632423543772, 1.0507009873554805)


SHRINK_KINKS = (-0.7, -0.5, 0.5, 0.7)

CASES = [
    OpCase("elu", elu, [*UNARY, (T(4), 0.5), (T(2, 3), 1.5, 2.0, 0.7)], kinks=(0,)),
    OpCase("_celu", celu, [*UNARY, (T(4), 0.5)], kinks=(0,)),
    OpCase(
        "elu_backward",
        elu_slope,
        [*backward_arguments(1.5, 2.0, 0.7), (T(2, 3), T(2, 3, domain=(-0.9, 0.9)), 1.5, 2.0, 0.7, True)],
        kinks=(0,),
    ),
    OpCase(
        "hardtanh",
        hardtanh,
        [*UNARY, (T(4), -0.5, 1.5)],
        kinks=(-1, 1, -0.5, 1.5),
        dtypes=("int8", "int32", "int64", "float16", "bfloat16", "float32", "float64"),
        note="of uint8 a negative bound is refused",
    ),
    OpCase(
        "hardtanh_backward",
        lambda g, x, low, high: g * ((x > low) & (x < high)),
        backward_arguments(-0.5, 0.6),
        kinks=(-0.5, 0.6),
    ),
    OpCase("hardsigmoid", lambda x: np.clip(x / 6 + 0.5, 0, 1), UNARY, kinks=(-3, 3), domain=(-4, 4)),
    OpCase("hardsigmoid_backward", lambda g, x: g * (abs(x) < 3) / 6, GRADS, kinks=(-3, 3), domain=(-4, 4)),
    OpCase("hardswish", lambda x: x * np.clip(x / 6 + 0.5, 0, 1), UNARY, kinks=(-3, 3), domain=(-4, 4)),
    OpCase(
        "hardswish_backward",
        lambda g, x: g * np.where(x < -3, 0, np.where(x < 3, x / 3 + 0.5, 1)),
        GRADS,
        kinks=(-3, 3),
        domain=(-4, 4),
    ),
    OpCase("mish", lambda x: x * np.tanh(softplus(x)), UNARY),
    OpCase("mish_backward", mish_slope, GRADS),
    OpCase("softshrink", softshrink, [*UNARY, (T(4), 0.7)], kinks=SHRINK_KINKS),
    OpCase(
        "softshrink_backward", lambda g, x, lambd: g * (abs(x) > lambd), backward_arguments(0.5), kinks=SHRINK_KINKS
    ),
    OpCase(
        "hardshrink_backward", lambda g, x, lambd: g * (abs(x) > lambd), backward_arguments(0.5), kinks=SHRINK_KINKS
    ),
    # ---- as users call them
    of_nn("hardtanh", hardtanh, [*UNARY, (T(4), -0.5, 1.5)], kinks=(-1, 1, -0.5, 1.5)),
    of_nn("relu6", lambda x: np.clip(x, 0, 6), UNARY, kinks=(0, 6), domain=(-2, 8)),
    of_nn("elu", exponential_below(), [*UNARY, (T(4), 0.5)], kinks=(0,)),
    *both("selu", SELU, UNARY, kinks=(0,)),
    *both("celu", celu, [*UNARY, (T(4), 0.5)], kinks=(0,)),
    of_nn("hardsigmoid", lambda x: np.clip(x / 6 + 0.5, 0, 1), UNARY, kinks=(-3, 3), domain=(-4, 4)),
    of_nn("hardswish", lambda x: x * np.clip(x / 6 + 0.5, 0, 1), UNARY, kinks=(-3, 3), domain=(-4, 4)),
    of_nn("mish", lambda x: x * np.tanh(softplus(x)), UNARY),
    of_nn("softshrink", softshrink, [*UNARY, (T(4), 0.7)], kinks=SHRINK_KINKS),
    *both(
        "hardshrink",
        lambda x, lambd=0.5: np.where(np.abs(x) > lambd, x, 0),
        [*UNARY, (T(4), 0.7)],
        kinks=SHRINK_KINKS,
    ),
]
