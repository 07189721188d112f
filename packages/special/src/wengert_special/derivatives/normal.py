"""Derivatives of the normal distribution's functions, the scaled error function, entropy and xlog1py."""

from __future__ import annotations

import math
from typing import Any

from wengert_core.extend import Tensor, find_op

from wengert_special.derivatives import TABLE

elementwise, derivative = TABLE.elementwise, TABLE.derivative


def xlog1py_part(part: Tensor, self: Any, other: Any) -> Tensor:
    """part * log1p(other): 0 where part is, and where self is 0 and other at most -1."""
    product: Tensor = find_op("special_xlog1py")(part, other).masked_fill((self == 0) & (other <= -1), 0)
    return product


def xlog1py_name(self: str, other: str) -> str:
    """Of two tensors, of a number and a tensor, of a tensor and a number."""
    return f"SpecialXlog1PyBackward{1 if self == 'number' else 2 if other == 'number' else 0}"


elementwise("special_erfcx", lambda self, result: 2 * self * result - 2 / math.sqrt(math.pi))
elementwise("special_log_ndtr", lambda self: math.sqrt(2 / math.pi) / find_op("special_erfcx")(self * -math.sqrt(0.5)))
elementwise("special_ndtri", lambda result: math.sqrt(2 * math.pi) * (result * result / 2).exp())
elementwise("special_entr", lambda self: -(self.log() + 1))
derivative(
    "special_xlog1py",
    self=lambda grad, self, other: xlog1py_part(grad, self, other),
    other=lambda grad, self, other: grad * (self / (other + 1)),
    jvp={
        "self": lambda self_t, self, other: xlog1py_part(self_t, self, other),
        "other": lambda other_t, self, other: other_t * (self / (other + 1)),
    },
    node=xlog1py_name,
)
