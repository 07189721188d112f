"""Derivatives of exponentials, logarithms and the error function."""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE, conj, of_tensor

elementwise, derivative = TABLE.elementwise, TABLE.derivative
LOG_2, LOG_10 = math.log(2), math.log(10)
TWO_OVER_SQRT_PI = 2 / math.sqrt(math.pi)

elementwise("exp", lambda result: result)
elementwise("exp2", lambda result: result * LOG_2)
elementwise("expm1", lambda result: result + 1)

# Quotients, not products with a reciprocal: that of a very small number is infinite, and 0 times it NaN.
derivative("log", self=lambda grad, self: grad / conj(self), jvp=lambda self_t, self: self_t / self)
derivative(
    "log2",
    self=lambda grad, self: grad / conj(self * LOG_2),
    jvp=lambda self_t, self: self_t / (self * LOG_2),
)
derivative(
    "log10",
    self=lambda grad, self: grad / conj(self * LOG_10),
    jvp=lambda self_t, self: self_t / (self * LOG_10),
)
derivative(
    "log1p",
    self=lambda grad, self: grad / conj(self + 1),
    jvp=lambda self_t, self: self_t / (self + 1),
    node="Log1PBackward0",
)
elementwise(
    "logaddexp",
    self=lambda self, other: (self - other).sigmoid(),
    other=lambda self, other: (other - self).sigmoid(),
)


def xlogy_part(part: Tensor, self: Any, other: Any) -> Tensor:
    """part * log(other): 0 where part is, and where self is 0 and other is not positive. Both ways: of what is real."""
    return wc.xlogy(part, other).masked_fill((self == 0) & (other <= 0), 0)


def xlogy_name(self: str, other: str) -> str:
    """Of two tensors, of a number and a tensor, of a tensor and a number."""
    return f"XlogyBackward{1 if self == 'number' else 0 if of_tensor(other) else 2}"


derivative(
    "xlogy",
    self=lambda grad, self, other: xlogy_part(grad, self, other),
    other=lambda grad, self, other: grad * (self / other),
    jvp={
        "self": lambda self_t, self, other: xlogy_part(self_t, self, other),
        "other": lambda other_t, self, other: other_t * (self / other),
    },
    node=xlogy_name,
)


def logit_part(part: Tensor, self: Tensor, eps: float | None) -> Tensor:
    """part / (self (1 - self)); outside [0, 1] NaN, outside [eps, 1 - eps] 0. Both ways: of what is real."""
    slope = self * (1 - self)
    if eps is None:
        return part / slope.masked_fill((self < 0) | (self > 1), math.nan)
    return wc.where((self < eps) | (self > 1 - eps), 0.0, part / slope)


derivative(
    "logit",
    self=lambda grad, self, eps: logit_part(grad, self, eps),
    jvp=lambda self_t, self, eps: logit_part(self_t, self, eps),
)
elementwise("erf", lambda self: TWO_OVER_SQRT_PI * (-(self * self)).exp())
elementwise("erfc", lambda self: -TWO_OVER_SQRT_PI * (-(self * self)).exp())
elementwise("erfinv", lambda result: (result * result).exp() / TWO_OVER_SQRT_PI)
