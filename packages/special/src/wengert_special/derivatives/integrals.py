"""Derivatives of integrals: their integrands."""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_special.derivatives import TABLE
from wengert_special.derivatives.operands import missing, special, tensors

elementwise = TABLE.elementwise
ROOT = math.sqrt(math.pi)

elementwise("special_erfcinv", lambda result: (result * result).exp() * (-ROOT / 2))
elementwise("special_erfi", lambda self: (self * self).exp() * (2 / ROOT))
elementwise("special_dawsn", lambda self, result: 1 - 2 * self * result)
elementwise("special_wofz", lambda self, result: 2j / ROOT - 2 * self * result)
elementwise("special_expi", lambda self: self.exp() / self)
elementwise("special_exp1", lambda self: -(-self).exp() / self)


def expn_slope(n: Any, x: Any, result: Tensor) -> Any:
    """Minus that of the order below, which for the order 0 follows from the recurrence."""
    n, x = tensors(n, x)
    lowest = n < 1
    inside = special("expn", wc.where(lowest, 1, n - 1), x)
    divisor = wc.where(lowest, x, 1)
    return wc.where(lowest, -((-x).exp() + result) / divisor, -inside)


def spence_slope(x: Tensor) -> Tensor:
    """log(x) / (1 - x), near 1 by the series of 2F1(1, 1; 2; 1 - x)."""
    near = (x - 1).abs() < 0.5
    series = special("hyp2f1", 1.0, 1.0, 2.0, wc.where(near, 1 - x, 0))
    far = wc.where(near, 2, x)
    return wc.where(near, -series, far.log() / (1 - far))


elementwise("special_expn", n=missing("expn: n"), x=expn_slope)
elementwise("special_spence", lambda self: spence_slope(self))

HALF = math.pi / 2
elementwise("_fresnel_s", lambda self: (self * self * HALF).sin())
elementwise("_fresnel_c", lambda self: (self * self * HALF).cos())


def sine_quotient(x: Tensor) -> Tensor:
    """sin(x) / x."""
    return (x / math.pi).sinc()


def hyperbolic_quotient(x: Tensor) -> Tensor:
    """sinh(x) / x, precise near 0."""
    if x.dtype.is_complex:
        zero = x == 0
        return wc.where(zero, 1, x.sinh() / wc.where(zero, 1, x))
    return (special("exprel", x) + special("exprel", -x)) / 2


elementwise("_si", lambda self: sine_quotient(self))
elementwise("_ci", lambda self: self.cos() / self)
elementwise("_shi", lambda self: hyperbolic_quotient(self))
elementwise("_chi", lambda self: self.cosh() / self)
