"""Derivatives of powers of two."""

from __future__ import annotations

import wengert_core as wc
from wengert_core.tensor import Tensor

from wengert_formulas.base import TABLE

TABLE.elementwise(
    "logaddexp2",
    self=lambda self, other: (1 + (other - self).exp2()).reciprocal(),
    other=lambda self, other: (1 + (self - other).exp2()).reciprocal(),
)


def scaled_down(x: Tensor, exponent: Tensor) -> Tensor:
    """x / 2 ** exponent."""
    return x / wc.pow(2.0, exponent.to(x.dtype))


TABLE.derivative(
    "frexp",
    self=lambda grad, exponent: scaled_down(grad, exponent),
    outputs=("mantissa",),
    jvp=lambda self_t, exponent: (scaled_down(self_t, exponent), None),
)
TABLE.not_differentiable("gcd", "lcm")
