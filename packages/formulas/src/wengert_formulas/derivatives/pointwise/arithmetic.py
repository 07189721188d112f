"""Derivatives of arithmetic: sums, products, quotients, powers, extremes."""

from __future__ import annotations

import cmath
import math
from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE, by_other, conj, imag, of_tensor, real

elementwise, derivative = TABLE.elementwise, TABLE.derivative

# ---- sums and products
elementwise("add", self=1, other=lambda alpha: alpha)
elementwise(
    "sub",
    self=1,
    other=lambda alpha: -alpha,
    node=lambda self, operator: "RsubBackward1" if operator and self == "number" else "SubBackward0",  # 1 - x
)
elementwise(
    "_rsub",
    self=lambda alpha: -alpha,
    other=1,
    node=lambda other: "RsubBackward0" if of_tensor(other) else "RsubBackward1",
)
elementwise("mul", self=lambda other: other, other=lambda self: self)
elementwise("neg", -1)
elementwise("positive", 1)


# ---- quotients
def div_grad_self(grad: Tensor, other: Any, rounding_mode: str | None) -> Tensor:
    """grad / conj(other); a quotient that was rounded has derivative 0."""
    return grad / conj(other) if rounding_mode is None else wc.zeros_like(grad)


def div_grad_other(grad: Tensor, self: Any, other: Any, rounding_mode: str | None) -> Tensor:
    """-grad * conj(self / other / other)."""
    return -grad * conj(self / other / other) if rounding_mode is None else wc.zeros_like(grad)


def div_tangent_self(self_t: Tensor, other: Any, rounding_mode: str | None) -> Tensor:
    """The part of self's tangent."""
    return self_t / other if rounding_mode is None else wc.zeros_like(self_t)


def div_tangent_other(other_t: Tensor, other: Any, result: Tensor, rounding_mode: str | None) -> Tensor:
    """The part of other's tangent."""
    return -other_t * (result / other) if rounding_mode is None else wc.zeros_like(other_t)


def div_name(self: str, rounding_mode: str, operator: bool) -> str:
    """1 / x is torch's 1 * x.reciprocal(), but not torch.div(1, x)."""
    if rounding_mode != "none":
        return "DivBackward2"
    return "MulBackward0" if operator and self == "number" else "DivBackward0"


derivative(
    "div",
    self=div_grad_self,
    other=div_grad_other,
    jvp={"self": div_tangent_self, "other": div_tangent_other},
    node=div_name,
)
TABLE.not_implemented("floor_divide", "its derivative is 0; write torch.div(..., rounding_mode='floor'), which says so")
elementwise(
    "remainder",
    self=1,
    other=lambda self, other: -wc.div(self, other, rounding_mode="floor"),
    node=by_other("Remainder"),
)
elementwise(
    "fmod", self=1, other=lambda self, other: -wc.div(self, other, rounding_mode="trunc"), node=by_other("Fmod")
)
elementwise("reciprocal", lambda result: -(result * result))


# ---- powers
def pow_slope(self: Tensor, exponent: Any) -> Any:
    """exponent * self**(exponent - 1); 0 for exponent 0, also at self == 0, where self**-1 is infinite."""
    if isinstance(exponent, Tensor):
        return wc.where(exponent == 0, 0, exponent * self ** (exponent - 1))
    if exponent == 0:
        return wc.zeros_like(self)
    return self * exponent if exponent == 2 else exponent * self ** (exponent - 1)


def pow_exponent_slope(self: Any, exponent: Tensor, result: Tensor) -> Tensor:
    """result * log(self); 0 for self == 0 with an exponent that is not negative (nor complex)."""
    steady = (real(exponent) >= 0) & (imag(exponent) == 0) if exponent.is_complex() else exponent >= 0
    if isinstance(self, Tensor):
        return wc.where((self == 0) & steady, 0, result * self.to(result.dtype).log())
    if self == 0:
        return wc.where(steady, 0, result * -math.inf)
    return result * logarithm(self, exponent.is_complex())


def logarithm(x: Any, to_complex: bool) -> complex:
    """Of a number: NaN for a negative one, unless complex numbers are wanted."""
    if isinstance(x, complex) or to_complex:
        return cmath.log(x)
    return math.log(x) if x > 0 else math.nan


def pow_name(self: str, exponent: str) -> str:
    """Of a tensor and a number, of two tensors, of a number and a tensor."""
    return f"PowBackward{2 if self == 'number' else int(of_tensor(exponent))}"


elementwise("pow", self=pow_slope, exponent=pow_exponent_slope, node=pow_name)
elementwise("sqrt", lambda result: 0.5 / result)
elementwise("rsqrt", lambda result: -0.5 * result**3)


# ---- signs and sizes
def size_grad(grad: Tensor, self: Tensor) -> Tensor:
    """grad * sgn(self), also for a complex self: no conjugate, the result is real."""
    return grad * self.sgn()


derivative("abs", self=size_grad, jvp=lambda self_t, self: real(self_t * self.sgn().conj()))
TABLE.zero("sign")


def direction_grad(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
    """(grad - s * Re(conj(s) grad)) / |self| with s = self / |self|; 0 at 0 and for real numbers.

    Symmetric, so that forward mode is the same.
    """
    if not self.is_complex():
        return wc.zeros_like(grad)
    size = self.abs()
    across = (grad - result * real(result.conj() * grad)) / size
    return wc.where(size == 0, 0, across)


derivative("sgn", self=direction_grad, jvp=lambda self_t, self, result: direction_grad(self_t, self, result))
elementwise(
    "copysign",
    self=lambda self, result: wc.where(self == 0, 0, result / self),
    other=None,
    node=by_other("Copysign", 0),
)
elementwise("hypot", self=lambda self, result: self / result, other=lambda other, result: other / result)
elementwise("nextafter", self=1, other=None)
TABLE.not_implemented("heaviside", "it is a step")


# ---- the larger and the smaller: equal elements share the gradient
def share(wins: Tensor, equal: Tensor) -> Tensor:
    """1 where wins, 0.5 where equal, 0 elsewhere."""
    return wc.where(equal, 0.5, wins)


elementwise(
    "maximum",
    self=lambda self, other: share(~(self < other), self == other),
    other=lambda self, other: share(~(other < self), self == other),
)
elementwise(
    "minimum",
    self=lambda self, other: share(~(self > other), self == other),
    other=lambda self, other: share(~(other > self), self == other),
)
elementwise(
    "fmax",
    self=lambda self, other: (self >= other) | other.isnan(),
    other=lambda self, other: ~((self >= other) | other.isnan()),
)
elementwise(
    "fmin",
    self=lambda self, other: (self <= other) | other.isnan(),
    other=lambda self, other: ~((self <= other) | other.isnan()),
)
