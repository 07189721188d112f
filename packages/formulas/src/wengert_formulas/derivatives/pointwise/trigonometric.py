"""Derivatives of trigonometric and hyperbolic functions and of angles."""

from __future__ import annotations

import math

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE

elementwise = TABLE.elementwise

elementwise("sin", lambda self: self.cos())
elementwise("cos", lambda self: -self.sin())
elementwise("tan", lambda result: 1 + result * result)
elementwise("asin", lambda self: (1 - self * self).rsqrt())
elementwise("acos", lambda self: -(1 - self * self).rsqrt())
elementwise("atan", lambda self: (self * self + 1).reciprocal())
elementwise("sinh", lambda self: self.cosh())
elementwise("cosh", lambda self: self.sinh())
TABLE.derivative(
    "tanh",
    self=lambda grad, result: wc.tanh_backward(grad, result),
    jvp=lambda self_t, result: self_t * (1 - result * result),
)
elementwise("asinh", lambda self: (self * self + 1).rsqrt())
elementwise("acosh", lambda self: acosh_slope(self))
elementwise("atanh", lambda self: (1 - self * self).reciprocal())


def acosh_slope(self: Tensor) -> Tensor:
    """1 / sqrt(self**2 - 1); of complex numbers in two roots, to stay on the branch of acosh."""
    return ((self - 1).sqrt() * (self + 1).sqrt()).reciprocal() if self.is_complex() else (self * self - 1).rsqrt()


def square_sum(x: Tensor, y: Tensor) -> Tensor:
    """x**2 + y**2, and infinite at the origin, where the angle's derivative is then 0."""
    total = x * x + y * y
    return wc.where(total == 0, math.inf, total)


elementwise(
    "atan2",
    self=lambda self, other: other / square_sum(self, other),
    other=lambda self, other: -self / square_sum(self, other),
)
elementwise("deg2rad", math.pi / 180, node="Deg2RadBackward0")
elementwise("rad2deg", 180 / math.pi, node="Rad2DegBackward0")


def sinc_slope(self: Tensor) -> Tensor:
    """(cos(pi x) pi x - sin(pi x)) / (pi x**2); where x**2 is 0 the first term of its series."""
    tiny = self * self == 0
    angle = wc.where(tiny, 1, self) * math.pi
    slope = (angle.cos() * angle - angle.sin()) / (angle * angle) * math.pi
    return wc.where(tiny, self * (-(math.pi**2) / 3), slope)


elementwise("sinc", sinc_slope)
