"""Derivatives of spread, of logarithms of sums, and of norms."""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc
from wengert_core.tensor import Tensor

from wengert_formulas.base import TABLE, count_of, dims_of, real, spread, with_dims

derivative = TABLE.derivative


def along(slope: Tensor, self_t: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """The tangent of a real result: the sum of Re(conj(slope) * tangent)."""
    return real(slope.conj() * self_t).sum(dims_of(dim, self_t.ndim), keepdim)


# ---- variance
def var_slope(self: Tensor, dim: Any, correction: Any) -> Tensor:
    """2 (x - mean) / (n - correction). When nothing is left to divide by, of all elements infinite, NaN at the mean: as
    torch has it.
    """
    left = count_of(self.shape, dim) - (1 if correction is None else correction)
    distance = self - self.mean(dims_of(dim, self.ndim), True)
    if left > 0 or (dim is not None and (isinstance(dim, int) or len(dim))):
        return distance * (2 / left if left else math.inf)
    return wc.where(distance == 0, math.nan, wc.full_like(distance, math.inf))


def var_grad(grad: Tensor, self: Tensor, dim: Any, correction: Any, keepdim: bool) -> Tensor:
    """The gradient times the slope."""
    return spread(grad, self.shape, dim, keepdim) * var_slope(self, dim, correction)


derivative(
    "var",
    self=var_grad,
    jvp=lambda self_t, self, dim, correction, keepdim: along(var_slope(self, dim, correction), self_t, dim, keepdim),
)


def halved(grad: Tensor, result: Tensor) -> Tensor:
    """grad / (2 result), as the square root has it; 0 where the result is 0."""
    return wc.where(result == 0, 0, grad / (result * 2))


derivative(
    "std",
    self=lambda grad, self, result, dim, correction, keepdim: var_grad(
        halved(grad, result), self, dim, correction, keepdim
    ),
    jvp=lambda self_t, self, result, dim, correction, keepdim: halved(
        along(var_slope(self, dim, correction), self_t, dim, keepdim), result
    ),
)


# ---- logsumexp
def softmax_of(self: Tensor, result: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """exp(self - logsumexp(self)): the slope."""
    return (self - (with_dims(result, self.shape, dim, keepdim) if result.ndim else result)).exp()


derivative(
    "logsumexp",
    self=lambda grad, self, result, dim, keepdim: (
        spread(grad, self.shape, dim, keepdim) * softmax_of(self, result, dim, keepdim).conj()
    ),
    jvp=lambda self_t, self, result, dim, keepdim: (softmax_of(self, result, dim, keepdim) * self_t).sum(
        dims_of(dim, self_t.ndim), keepdim
    ),
)


# ---- norms
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
derivative(
    "linalg_vector_norm",
    self=lambda grad, self, ord, dim, keepdim, result: (
        spread(grad, self.shape, dim, keepdim) * norm_slope(self, ord, dim, keepdim, result)
    ),
    jvp=lambda self_t, self, ord, dim, keepdim, result: along(
        norm_slope(self, ord, dim, keepdim, result), self_t, dim, keepdim
    ),
)
