"""Derivatives of Bessel functions: each is a combination of neighbouring orders."""

from __future__ import annotations

import wengert_core as wc
from wengert_core.op import find
from wengert_core.tensor import Tensor

from wengert_special.derivatives import TABLE

elementwise = TABLE.elementwise


def i1e_slope(self: Tensor, result: Tensor) -> Tensor:
    """i0e - i1e (sign(x) + 1 / x); 1 / 2 at 0."""
    zero = self == 0
    away = wc.where(zero, 1, self)
    return wc.where(zero, 0.5, find("special_i0e")(away) - result * (away.sgn() + away.reciprocal()))


elementwise("special_i0e", lambda self, result: find("special_i1e")(self) - self.sgn() * result, node="SpecialI0EBackward0")
elementwise("special_i1e", i1e_slope, node="SpecialI1EBackward0")
