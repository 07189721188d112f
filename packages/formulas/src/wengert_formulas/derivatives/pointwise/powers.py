"""Derivatives of powers of two and of ldexp."""

from __future__ import annotations

import math

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE
from wengert_formulas.derivatives.pointwise.exponential import LOG_2

derivative = TABLE.derivative

TABLE.elementwise(
    "logaddexp2",
    self=lambda self, other: ((self - other) * LOG_2).sigmoid(),
    other=lambda self, other: ((other - self) * LOG_2).sigmoid(),
)


def scale_down(x: Tensor, exponent: Tensor) -> Tensor:
    """x / 2 ** exponent."""
    return x / wc.pow(2.0, exponent.to(x.dtype))


TABLE.derivative(
    "frexp",
    self=lambda grad, exponent: scale_down(grad, exponent),
    outputs=("mantissa",),
    jvp=lambda self_t, exponent: (scale_down(self_t, exponent), None),
)
TABLE.not_differentiable("gcd", "lcm")


# ---- ldexp
def times_power_of_two(x: Tensor, other: Tensor) -> Tensor:
    """x * 2 ** other in the dtype of x; by an integer also where 2 ** other does not fit into that dtype."""
    return wc.ldexp(x, other) if other.dtype.category == 1 else x * wc.pow(2.0, other.to(x.dtype)).conj()


derivative(
    "_ldexp",
    self=lambda grad, other: times_power_of_two(grad, other),
    other=lambda grad, result: grad * (result * math.log(2)).conj(),
    jvp={
        "self": lambda self_t, other: times_power_of_two(self_t, other.conj()),
        "other": lambda other_t, result: other_t * (result * math.log(2)),
    },
)
