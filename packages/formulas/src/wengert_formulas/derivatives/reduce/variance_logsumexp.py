"""Derivatives of spread and of logarithms of sums."""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE, count_of, dims_of, expand_grad, has_gradient, real, with_dims

derivative = TABLE.derivative


def real_tangent(slope: Tensor, self_t: Tensor, dim: Any, keepdim: bool) -> Tensor:
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
    return expand_grad(grad, self.shape, dim, keepdim) * var_slope(self, dim, correction)


derivative(
    "var",
    self=var_grad,
    jvp=lambda self_t, self, dim, correction, keepdim: real_tangent(
        var_slope(self, dim, correction), self_t, dim, keepdim
    ),
)


def sqrt_grad(grad: Tensor, result: Tensor) -> Tensor:
    """grad / (2 result), as the square root has it; 0 where the result is 0."""
    return wc.where(result == 0, 0, grad / (result * 2))


derivative(
    "std",
    self=lambda grad, self, result, dim, correction, keepdim: var_grad(
        sqrt_grad(grad, result), self, dim, correction, keepdim
    ),
    jvp=lambda self_t, self, result, dim, correction, keepdim: sqrt_grad(
        real_tangent(var_slope(self, dim, correction), self_t, dim, keepdim), result
    ),
)


# ---- with the mean
def mean_grad(grad: Tensor, self_shape: tuple[int, ...], dim: Any, keepdim: bool) -> Tensor:
    """The gradient of a mean."""
    return expand_grad(grad / count_of(self_shape, dim), self_shape, dim, keepdim)


def is_given(grad: Tensor) -> bool:
    """Whether somebody gave an output's gradient; its numbers are looked at only where there is one place for all."""
    return any(grad.stride()) or has_gradient(grad)


def var_mean_grad(grads: Any, self: Tensor, dim: Any, correction: Any, keepdim: bool) -> Tensor:
    """The sum of both; a variance that nobody asked for may have an infinite slope."""
    by_mean = mean_grad(grads[1], self.shape, dim, keepdim)
    return var_grad(grads[0], self, dim, correction, keepdim) + by_mean if is_given(grads[0]) else by_mean


def std_mean_grad(grads: Any, self: Tensor, result0: Tensor, dim: Any, correction: Any, keepdim: bool) -> Tensor:
    """The same of a standard deviation."""
    by_mean = mean_grad(grads[1], self.shape, dim, keepdim)
    if not is_given(grads[0]):
        return by_mean
    return var_grad(sqrt_grad(grads[0], result0), self, dim, correction, keepdim) + by_mean


derivative(
    "var_mean",
    self=var_mean_grad,
    jvp=lambda self_t, self, dim, correction, keepdim: (
        real_tangent(var_slope(self, dim, correction), self_t, dim, keepdim), self_t.mean(dim, keepdim)
    ),
)
derivative(
    "std_mean",
    self=std_mean_grad,
    jvp=lambda self_t, self, result0, dim, correction, keepdim: (
        sqrt_grad(real_tangent(var_slope(self, dim, correction), self_t, dim, keepdim), result0),
        self_t.mean(dim, keepdim),
    ),
)


# ---- logsumexp
def softmax_of(self: Tensor, result: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """exp(self - logsumexp(self)): the slope."""
    return (self - (with_dims(result, self.shape, dim, keepdim) if result.ndim else result)).exp()


derivative(
    "logsumexp",
    self=lambda grad, self, result, dim, keepdim: (
        expand_grad(grad, self.shape, dim, keepdim) * softmax_of(self, result, dim, keepdim).conj()
    ),
    jvp=lambda self_t, self, result, dim, keepdim: (softmax_of(self, result, dim, keepdim) * self_t).sum(
        dims_of(dim, self_t.ndim), keepdim
    ),
)
