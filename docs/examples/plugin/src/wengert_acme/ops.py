"""The operations of wengert-acme: a row each. Everything else is done by the driver of the family."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from wengert_core.extend import FLOATING, OpTable

TABLE = OpTable("acme")  # the name of the entry point; importing this module registers nothing

TABLE.pointwise_unary(
    "cbrt(Tensor self) -> Tensor",
    kernels=[np.cbrt],  # a NumPy ufunc: its inner loops are called directly, other dtypes are converted
    promotion="float",
    dtypes=FLOATING,
    doc="The cube root.",
)


def log_cosh(xp: Any, x: Any) -> Any:
    """log((exp(x) + exp(-x)) / 2) by exp(-2|x|), which cannot overflow."""
    distance = xp.abs(x)
    return distance + xp.log1p(xp.exp(-2 * distance)) - math.log(2)


TABLE.pointwise_unary(
    "log_cosh(Tensor self) -> Tensor",
    reference=log_cosh,  # any device, through its array namespace
    promotion="float",
    dtypes=FLOATING,
    doc="log(cosh(self)), finite for every finite self: a smooth loss, like self**2 / 2 near 0 and |self| far away.",
)


def relative_entropy(xp: Any, x: Any, y: Any) -> Any:
    """x log(x / y) where both are positive, its limit 0 where x is 0 and y is not negative, infinite elsewhere."""
    inside = (x > 0) & (y > 0)
    value = xp.where(inside, x, 1) * xp.log(xp.where(inside, x, 1) / xp.where(inside, y, 1))
    outside = xp.where((x == 0) & (y >= 0), 0.0, xp.inf)
    return xp.where(xp.isnan(x) | xp.isnan(y), xp.nan, xp.where(inside, value, outside)).astype(x.dtype)


TABLE.pointwise_binary(
    "rel_entr(Any self, Any other) -> Tensor",
    reference=relative_entropy,
    promotion="float",
    dtypes=FLOATING,
    doc="self * log(self / other), elementwise; the sum is the Kullback-Leibler divergence of two distributions.",
)
