"""Derivatives of the elementary functions of SciPy."""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_special.derivatives import TABLE
from wengert_special.derivatives.operands import special, tensors

elementwise = TABLE.elementwise
DEGREE = math.pi / 180


# ---- one argument
elementwise("special_cbrt", lambda result: 1 / (3 * result * result))
elementwise("special_cosm1", lambda self: -self.sin())
elementwise("special_exp10", lambda result: result * math.log(10))
elementwise("special_exprel", lambda self: special("hyp1f1", 2.0, 3.0, self) / 2)
elementwise("special_log_expit", lambda self: (-self).sigmoid())
elementwise("special_sindg", lambda self: special("cosdg", self) * DEGREE)
elementwise("special_cosdg", lambda self: special("sindg", self) * -DEGREE)
elementwise("special_tandg", lambda result: (1 + result * result) * DEGREE)
elementwise("special_cotdg", lambda result: (1 + result * result) * -DEGREE)


# ---- powers
def powm1_base(x: Any, y: Any) -> Any:
    """y * x ** (y - 1)."""
    x, y = tensors(x, y)
    return y * x ** (y - 1)


def powm1_exponent(x: Any, result: Tensor) -> Tensor:
    """x ** y * log(x)."""
    (base, value) = tensors(x, result)
    return wc.xlogy(value + 1, base)


elementwise("special_powm1", x=powm1_base, y=powm1_exponent)
elementwise("special_radian", d=DEGREE, m=DEGREE / 60, s=DEGREE / 3600)


def power_slope(log: Tensor, lmbda: Tensor) -> Tensor:
    """The derivative of (exp(lmbda * log) - 1) / lmbda by lmbda, precise near 0 as well: log * log * exprel'."""
    return log * log * special("hyp1f1", 2.0, 3.0, lmbda * log) / 2


def boxcox_x(x: Any, lmbda: Any) -> Any:
    """x ** (lmbda - 1)."""
    x, lmbda = tensors(x, lmbda)
    return x ** (lmbda - 1)


def boxcox_lmbda(x: Any, lmbda: Any) -> Any:
    """The derivative by lmbda; at x = 0 that of -1 / lmbda, for a positive one."""
    x, lmbda = tensors(x, lmbda)
    edge = (x == 0) & (lmbda > 0)
    inside = power_slope(wc.where(edge, 1, x).log(), lmbda)
    return wc.where(edge, wc.where(edge, lmbda, 1) ** -2, inside)


def boxcox1p_x(x: Any, lmbda: Any) -> Any:
    """(1 + x) ** (lmbda - 1)."""
    x, lmbda = tensors(x, lmbda)
    return (1 + x) ** (lmbda - 1)


def boxcox1p_lmbda(x: Any, lmbda: Any) -> Any:
    """The derivative by lmbda; at x = -1 that of -1 / lmbda, for a positive one."""
    x, lmbda = tensors(x, lmbda)
    edge = (x == -1) & (lmbda > 0)
    inside = power_slope(wc.where(edge, 0, x).log1p(), lmbda)
    return wc.where(edge, wc.where(edge, lmbda, 1) ** -2, inside)


def inverse_y(base: Tensor, lmbda: Any) -> Any:
    """base ** (1 - lmbda), where base ** lmbda is 1 + lmbda * y."""
    base, lmbda = tensors(base, lmbda)
    return base ** (1 - lmbda)


def inverse_lmbda(log: Tensor, lmbda: Any) -> Any:
    """The derivative by lmbda of the number whose logarithm is ``log``, y being constant."""
    log, lmbda = tensors(log, lmbda)
    return -power_slope(log, lmbda) * ((1 - lmbda) * log).exp()


elementwise("special_boxcox", x=boxcox_x, lmbda=boxcox_lmbda)
elementwise("special_boxcox1p", x=boxcox1p_x, lmbda=boxcox1p_lmbda)
elementwise(
    "special_inv_boxcox",
    y=lambda lmbda, result: inverse_y(result, lmbda),
    lmbda=lambda lmbda, result: inverse_lmbda(result.log(), lmbda),
)
elementwise(
    "special_inv_boxcox1p",
    y=lambda lmbda, result: inverse_y(result + 1, lmbda),
    lmbda=lambda lmbda, result: inverse_lmbda(result.log1p(), lmbda),
)


# ---- losses
def huber_r(delta: Any, r: Any) -> Tensor:
    """r, cut to delta."""
    delta, r = tensors(delta, r)
    return wc.minimum(wc.maximum(r, -delta), delta)


def huber_delta(delta: Any, r: Any) -> Any:
    """The part of abs(r) beyond delta."""
    delta, r = tensors(delta, r)
    return (r.abs() - delta).clamp(min=0)


def pseudo_huber_r(delta: Any, r: Any) -> Any:
    """r / sqrt(1 + (r / delta) ** 2); 0 for delta 0."""
    delta, r = tensors(delta, r)
    zero = (delta == 0) & (r == 0)
    return delta * r / wc.where(zero, 1, wc.hypot(wc.where(zero, 1, delta), r))


def pseudo_huber_delta(delta: Any, r: Any) -> Any:
    """r ** 4 / ((hypot + delta) ** 2 * hypot), which has no cancellation."""
    delta, r = tensors(delta, r)
    zero = (delta == 0) & (r == 0)
    length = wc.hypot(wc.where(zero, 1, delta), r)
    return wc.where(zero, 0, (r * r / (length + delta)) ** 2 / length)


elementwise("special_huber", delta=huber_delta, r=huber_r)
elementwise("special_pseudo_huber", delta=pseudo_huber_delta, r=pseudo_huber_r)


# ---- divergences
def ratio(x: Any, y: Any) -> Any:
    """x / y as a tensor."""
    x, y = tensors(x, y)
    return x / y


elementwise("special_kl_div", x=lambda x, y: ratio(x, y).log(), y=lambda x, y: 1 - ratio(x, y))
elementwise("special_rel_entr", x=lambda x, y: ratio(x, y).log() + 1, y=lambda x, y: -ratio(x, y))
