"""Derivatives of norms of vectors."""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE, dims_of, expand_grad, real, with_dims
from wengert_formulas.derivatives.reduce.variance_logsumexp import real_tangent

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
        equal = self.abs() == result  # nothing is NaN: there the slope is 0, as in torch
        count = equal.sum(dims_of(dim, self.ndim), True).clamp_min(1)
        return wc.where(equal, self.sgn(), 0) / count
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
        expand_grad(grad, self.shape, dim, keepdim) * norm_slope(self, ord, dim, keepdim, result) if ord else None
    ),
    jvp=lambda self_t, self, ord, dim, keepdim, result: real_tangent(
        norm_slope(self, ord, dim, keepdim, result), self_t, dim, keepdim
    ),
)
derivative(
    "_norm",
    self=lambda grad, self, p, dim, keepdim, result: (
        expand_grad(grad, self.shape, dim, keepdim) * norm_slope(self, p, dim, keepdim, result) if p else None
    ),
    jvp=lambda self_t, self, p, dim, keepdim, result: real_tangent(
        norm_slope(self, p, dim, keepdim, result), self_t, dim, keepdim
    ),
    node="NormBackward1",
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


def renorm_parts(self: Tensor, p: Any, dim: int, maxnorm: Any) -> tuple[Tensor, Tensor, Tensor, list[int]]:
    """What the parts along a dim are multiplied with, its slope by their norms, the norms' slope, the other dims."""
    dims = [d for d in range(self.ndim) if d != dim % self.ndim]
    size = wc.linalg_vector_norm(self, p, dims, True)
    longer, inverse = size > maxnorm, 1 / (size + 1e-7)
    factor, slope = wc.where(longer, maxnorm * inverse, 1), wc.where(longer, -maxnorm * inverse * inverse, 0)
    return factor.to(self.dtype), slope, norm_slope(self, p, dims, True, size), dims


def renorm_gradient(grad: Tensor, self: Tensor, p: Any, dim: int, maxnorm: Any) -> Tensor:
    """Of the factor and of the norm in it."""
    factor, slope, by_self, dims = renorm_parts(self, p, dim, maxnorm)
    return grad * factor + by_self * (slope * real(grad * self.conj()).sum(dims, True))


def renorm_tangent(self_t: Tensor, self: Tensor, p: Any, dim: int, maxnorm: Any) -> Tensor:
    """The same, forward."""
    factor, slope, by_self, dims = renorm_parts(self, p, dim, maxnorm)
    return self_t * factor + self * (slope * real(self_t * by_self.conj()).sum(dims, True))


derivative("_renorm", self=renorm_gradient, jvp=renorm_tangent)
