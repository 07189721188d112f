"""Derivatives of reductions: sums, means, products, extremes."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import (
    TABLE,
    by_dim,
    count_of,
    dims_of,
    expand_grad,
    has_gradient,
    with_dims,
    zeros_of,
)

derivative, linear = TABLE.derivative, TABLE.linear

# ---- sums
linear(
    "sum", self=lambda grad, self_shape, dim, keepdim: expand_grad(grad, self_shape, dim, keepdim), node=by_dim("Sum")
)
linear(
    "mean",
    self=lambda grad, self_shape, dim, keepdim: expand_grad(grad / count_of(self_shape, dim), self_shape, dim, keepdim),
    node=by_dim("Mean"),
)


derivative(
    "nansum",
    self=lambda grad, self, dim, keepdim: expand_grad(grad, self.shape, dim, keepdim).masked_fill(self.isnan(), 0),
    jvp=lambda self_t, self, dim, keepdim, dtype: self_t.masked_fill(self.isnan(), 0).sum(dim, keepdim, dtype=dtype),
)


# ---- products
def others(self: Tensor, dim: int) -> Tensor:
    """For each element the product of all others along a dim, without a division: zeros are no trouble."""
    ones = wc.ones_like(self.narrow(dim, 0, 1))
    n = self.shape[dim] - 1
    before = wc.cat([ones, self.narrow(dim, 0, n)], dim).cumprod(dim)
    after = wc.cat([ones, self.narrow(dim, 1, n).flip(dim)], dim).cumprod(dim).flip(dim)
    return before * after


def prod_slope(self: Tensor, result: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """d prod / d self, in self's shape and the dtype in which it was multiplied."""
    self = self.to(result.dtype)
    if self.ndim == 0 or self.numel() == 0:
        return wc.ones_like(self)
    if not bool((self == 0).any()):
        return with_dims(result, self.shape, dim, keepdim) / self if result.ndim else result / self
    return others(self.reshape(-1), 0).reshape(self.shape) if dim is None else others(self, dim)


def prod_grad(grad: Tensor, self: Tensor, result: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """The gradient times the product of all other elements."""
    return expand_grad(grad, self.shape, dim, keepdim) * prod_slope(self, result, dim, keepdim).conj()


derivative(
    "prod",
    self=prod_grad,
    node=by_dim("Prod"),
    jvp=lambda self_t, self, result, dim, keepdim: (
        self_t.to(result.dtype) * prod_slope(self, result, dim, keepdim)
    ).sum(dim, keepdim),
)


# ---- extremes: equal elements share the gradient
def winners(self: Tensor, result: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """Each element's share in the result: 1, or an equal part for each of several."""
    equal = self == (with_dims(result, self.shape, dim, keepdim) if result.ndim else result)
    return equal.to(self.dtype) / equal.sum(dims_of(dim, self.ndim), True)


def extreme_grad(grad: Tensor, self: Tensor, result: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """The gradient, shared by the elements that are the extreme."""
    return expand_grad(grad, self.shape, dim, keepdim) * winners(self, result, dim, keepdim)


def equals(self: Tensor, result: Tensor) -> Tensor:
    """Where the elements are the result; NaN counts as equal to NaN."""
    return (self == result) | (self.isnan() & result.isnan())


def whole_grad(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
    """The gradient, shared by the elements that are the result."""
    equal = equals(self, result)
    return wc.where(equal, grad / equal.sum(), 0)


def whole_tangent(self_t: Tensor, self: Tensor, result: Tensor) -> Tensor:
    """The mean of the tangents of these elements."""
    equal = equals(self, result)
    return wc.where(equal, self_t, 0).sum() / equal.sum()


for name in ("_max", "_min"):
    derivative(name, self=whole_grad, jvp=whole_tangent, node=f"{name[1:].capitalize()}Backward1")
for name in ("amax", "amin"):
    derivative(
        name,
        self=extreme_grad,
        jvp=lambda self_t, self, result, dim, keepdim: (self_t * winners(self, result, dim, keepdim)).sum(dim, keepdim),
    )


def both_grads(grads: Any, self: Tensor, min: Tensor, max: Tensor, dim: Any, keepdim: bool) -> Any:
    """The sum of what both give; nothing of one whose gradient nobody gave, which is a zero seen everywhere."""
    total = None
    for grad, result in zip(grads, (min, max), strict=True):
        if grad.ndim and not any(grad.stride()) and not has_gradient(grad):
            continue
        result, grad = (with_dims(x, self.shape, dim, keepdim) if x.ndim else x for x in (result, grad))
        equal = self == result
        part = wc.where(equal, grad / equal.sum(dims_of(dim, self.ndim), True), 0)
        total = part if total is None else total + part
    return wc.zeros_like(self) if total is None else total


derivative(
    "aminmax",
    self=both_grads,
    jvp=lambda self_t, self, min, max, dim, keepdim: tuple(
        (self_t * winners(self, result, dim, keepdim)).sum(dim, keepdim) for result in (min, max)
    ),
)


# ---- one element along a dim, by its place
def put_back(grad: Tensor, indices: Tensor, self_shape: tuple[int, ...], dim: int, keepdim: bool) -> Tensor:
    """Zeros with the gradient at the places it came from."""
    if not self_shape:
        return grad
    if not keepdim:
        grad, indices = grad.unsqueeze(dim), indices.unsqueeze(dim)
    return zeros_of(grad, self_shape).scatter(dim, indices, grad)


def tangents_at(self_t: Tensor, indices: Tensor, dim: int, keepdim: bool) -> Tensor:
    """The tangents at those places."""
    if self_t.ndim == 0:
        return self_t
    return self_t.gather(dim, indices) if keepdim else self_t.gather(dim, indices.unsqueeze(dim)).squeeze(dim)


for name in ("max", "min"):
    derivative(
        name,
        self=put_back,
        outputs=("values",),
        jvp=lambda self_t, indices, dim, keepdim: (tangents_at(self_t, indices, dim, keepdim), None),
    )
TABLE.not_differentiable("any", "all", "argmax", "argmin", "_count_nonzero")
