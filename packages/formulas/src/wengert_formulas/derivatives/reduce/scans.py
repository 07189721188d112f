"""Derivatives of running sums, products, extremes and log-sums."""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE, zeros_of

derivative = TABLE.derivative


def from_the_end(grad: Tensor, dim: int) -> Tensor:
    """The sums of all elements from each one on."""
    return grad.flip(dim).cumsum(dim).flip(dim) if grad.ndim else grad


TABLE.linear("cumsum", self=lambda grad, dim: from_the_end(grad, dim))


# ---- products
def cumprod_grad(grad: Tensor, self: Tensor, result: Tensor, dim: int) -> Tensor:
    """sum over i >= k of grad[i] * conj(d y[i] / d x[k])."""
    if self.ndim == 0:
        return grad
    if bool((self == 0).any()):
        return cumprod_grad_with_zeros(grad, self, dim)
    return from_the_end(grad * result.conj(), dim) / self.conj()


def cumprod_grad_with_zeros(grad: Tensor, self: Tensor, dim: int) -> Tensor:
    """Without a division: for each k the product of what comes before it, times what comes after."""
    x = self.conj()
    before = wc.ones_like(x.narrow(dim, 0, 1))
    parts = []
    for k in range(x.shape[dim]):
        after = wc.cat([wc.ones_like(before), x.narrow(dim, k + 1, x.shape[dim] - k - 1)], dim).cumprod(dim)
        parts.append((grad.narrow(dim, k, x.shape[dim] - k) * after).sum(dim, True) * before)
        before = before * x.narrow(dim, k, 1)
    return wc.cat(parts, dim)


def cumprod_tangent(self_t: Tensor, self: Tensor, dim: int) -> Tensor:
    """The product rule, step by step."""
    if self.ndim == 0 or not self.numel():
        return self_t
    product, tangent, parts = wc.ones_like(self.narrow(dim, 0, 1)), wc.zeros_like(self.narrow(dim, 0, 1)), []
    for k in range(self.shape[dim]):
        x = self.narrow(dim, k, 1)
        tangent = tangent * x + product * self_t.narrow(dim, k, 1)
        product = product * x
        parts.append(tangent)
    return wc.cat(parts, dim)


derivative("cumprod", self=cumprod_grad, jvp=cumprod_tangent)


# ---- extremes
def add_back(grad: Tensor, indices: Tensor, dim: int) -> Tensor:
    """Each gradient added at the place its value came from."""
    return zeros_of(grad, grad.shape).scatter_add(dim, indices, grad) if grad.ndim else grad


for name in ("cummax", "cummin"):
    derivative(
        name,
        self=add_back,
        outputs=("values",),
        jvp=lambda self_t, indices, dim: (self_t.gather(dim, indices) if self_t.ndim else self_t, None),
    )


# ---- log-sums
def log_where(positive: Tensor, x: Tensor) -> Tensor:
    """log(x) where positive, -inf elsewhere, with derivative 0 there."""
    return wc.where(positive, wc.where(positive, x, 1).log(), -math.inf)


def later_log_sums(log: Tensor, self: Tensor, result: Tensor, dim: int) -> Tensor:
    """exp(self) * (sum from each element on of exp(log - result)), without overflow."""
    return ((log - result).flip(dim).logcumsumexp(dim).flip(dim) + self).exp()


def logcumsumexp_grad(grad: Tensor, self: Tensor, result: Tensor, dim: int) -> Tensor:
    """sum over i >= k of grad[i] * exp(self[k] - result[i]): positive and negative gradients each in logarithms."""
    if grad.ndim == 0:
        return grad
    if grad.is_complex():
        return (from_the_end(grad * (-result).exp().conj(), dim)) * self.exp().conj()
    finite = wc.where(result == -math.inf, 0, result)
    gain = later_log_sums(log_where(grad > 0, grad), self, finite, dim)
    return gain - later_log_sums(log_where(grad < 0, -grad), self, finite, dim)


def logcumsumexp_tangent(self_t: Tensor, self: Tensor, result: Tensor, dim: int) -> Any:
    """The sums so far of exp(self - result) * tangent: positive and negative tangents each in logarithms."""
    if self.ndim == 0:
        return self_t
    if self.is_complex():
        top = self.abs().amax(dim, True).detach()
        return ((self - top).exp() * self_t).cumsum(dim) / (result - top).exp()
    finite = wc.where(result == -math.inf, 0, result)
    gain = ((self + log_where(self_t > 0, self_t)).logcumsumexp(dim) - finite).exp()
    return gain - ((self + log_where(self_t < 0, -self_t)).logcumsumexp(dim) - finite).exp()


derivative("logcumsumexp", self=logcumsumexp_grad, jvp=logcumsumexp_tangent)
