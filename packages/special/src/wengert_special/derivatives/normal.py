"""Derivatives of the normal distribution's functions, the scaled error function, entropy and xlog1py."""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc
from wengert_core.op import find
from wengert_core.tensor import Tensor

from wengert_special.derivatives import TABLE

elementwise = TABLE.elementwise


def xlog1py_slope(self: Tensor, other: Any) -> Tensor:
    """log1p(other); 0 where self is 0 and other at most -1."""
    return wc.where((self == 0) & (other <= -1), 0, find("special_xlog1py")(wc.ones_like(self), other))


def xlog1py_name(self: str, other: str) -> str:
    """Of two tensors, of a number and a tensor, of a tensor and a number."""
    return f"SpecialXlog1PyBackward{1 if self == 'number' else 2 if other == 'number' else 0}"


elementwise("special_erfcx", lambda self, result: 2 * self * result - 2 / math.sqrt(math.pi))
elementwise("special_log_ndtr", lambda self: math.sqrt(2 / math.pi) / find("special_erfcx")(self * -math.sqrt(0.5)))
elementwise("special_ndtri", lambda result: math.sqrt(2 * math.pi) * (result * result / 2).exp())
elementwise("special_entr", lambda self: -(self.log() + 1))
elementwise("special_xlog1py", self=xlog1py_slope, other=lambda self, other: self / (other + 1), node=xlog1py_name)
