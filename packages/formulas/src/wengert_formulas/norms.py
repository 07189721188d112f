"""Derivatives of norms of vectors."""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc
from wengert_core.tensor import Tensor

from wengert_formulas.base import TABLE, dims_of, real, spread, with_dims
from wengert_formulas.statistics import along

derivative = TABLE.derivative


def norm_slope(self: Tensor, ord: Any, dim: Any, keepdim: bool, result: Tensor) -> Tensor:
    """d norm / d self. At 0, where a norm has a kink, 0; equal largest (or smallest) elements share."""
    if result.ndim:
        result = with_dims(result, self.shape, dim, keepdim)
    if ord == 0:
        return wc.zeros_like(self)
    if ord == 1:
        return self.sgn()
    if abs(ord) == math.inf:
        equal = self.abs() == result
        return self.sgn() * equal / equal.sum(dims_of(dim, self.ndim), True)
    if ord == 2:
        return wc.where(result == 0, 0, self / result)
    return norm_slope_of_power(self, ord, result)


def norm_slope_of_power(self: Tensor, ord: float, result: Tensor) -> Tensor:
    """sgn(x) (|x| / norm)**(ord - 1), and 0 where x or the norm is 0."""
    zero = (result == 0) | (self == 0)
    size = wc.where(zero, 1, self.abs()) / wc.where(result == 0, 1, result)
    return wc.where(zero, 0, self.sgn() * size ** (ord - 1))


derivative(
    "linalg_vector_norm",
    self=lambda grad, self, ord, dim, keepdim, result: (
        spread(grad, self.shape, dim, keepdim) * norm_slope(self, ord, dim, keepdim, result)
    ),
    jvp=lambda self_t, self, ord, dim, keepdim, result: along(
        norm_slope(self, ord, dim, keepdim, result), self_t, dim, keepdim
    ),
)


# ---- dist: the norm of the difference
def dist_slope(self: Tensor, other: Tensor, p: Any, result: Tensor) -> Tensor:
    """d dist / d self."""
    return norm_slope(self - other, p, None, False, result)


def whole(tangent: Tensor, slope: Tensor) -> Tensor:
    """The sum of Re(conj(slope) * tangent)."""
    return real(slope.conj() * tangent).sum()


derivative(
    "dist",
    self=lambda grad, self, other, p, result: grad * dist_slope(self, other, p, result),
    other=lambda grad, self, other, p, result: -grad * dist_slope(self, other, p, result),
    jvp={
        "self": lambda self_t, self, other, p, result: whole(self_t, dist_slope(self, other, p, result)),
        "other": lambda other_t, self, other, p, result: -whole(other_t, dist_slope(self, other, p, result)),
    },
)
