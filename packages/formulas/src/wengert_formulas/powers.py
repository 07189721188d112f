"""Derivatives of powers of two."""

from __future__ import annotations

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.base import TABLE
from wengert_formulas.exponential import LOG_2

TABLE.elementwise(
    "logaddexp2",
    self=lambda self, other: ((self - other) * LOG_2).sigmoid(),
    other=lambda self, other: ((other - self) * LOG_2).sigmoid(),
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
