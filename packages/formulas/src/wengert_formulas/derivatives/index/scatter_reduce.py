"""Derivatives of scatter_reduce and index_reduce: each op is linear in small changes, with slopes that are found here.

The slope of a result by an element that went into it: 1 in a sum, 1 / count in a mean, the share of equal largest (or
smallest) ones, the product of all the others.
"""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE

Slopes = tuple[Tensor, Tensor]


def part_of(src: Tensor, index: Tensor) -> Tensor:
    """The part of src that an index of fewer elements reaches."""
    for d, n in enumerate(index.shape):
        src = src.narrow(d, 0, n)
    return src


def product_slopes(self: Tensor, dim: int, index: Tensor, src: Tensor, include_self: bool) -> Slopes:
    """The product of all other factors, without a division by zero: zeros are counted and summed apart.

    With one zero Z the others' slopes are Z * P / factor, where P is the product of what is not zero: that is 0, but
    its derivative by Z is not. With two, each one's slope is the other one times P.
    """
    self_zero, src_zero = (self == 0) & include_self, src == 0
    kind = self.dtype
    count = self_zero.to(kind).scatter_add(dim, index, src_zero.to(kind))
    total = wc.where(self_zero, self, 0).scatter_add(dim, index, wc.where(src_zero, src, 0))
    ones = wc.where(self_zero, 1, self), wc.where(src_zero, 1, src)
    product = ones[0].scatter_reduce(dim, index, ones[1], "prod", include_self=include_self)
    whole = product * wc.where(count == 0, 1, wc.where(count == 1, total, 0))

    def others(x: Tensor, zero: Tensor, given: tuple[Tensor, ...]) -> Tensor:
        count, total, product, whole = given
        rest = wc.where(count == 1, 1, wc.where(count == 2, total - x, 0)) * product
        return wc.where(zero, rest, whole / wc.where(zero, 1, x))

    facts = (count, total, product, whole)
    gathered = tuple(fact.gather(dim, index) for fact in facts)
    return others(self, self_zero, facts) if include_self else wc.ones_like(self), others(src, src_zero, gathered)


def slopes(
    self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool, result: Tensor
) -> Slopes:
    """d result / d self, and d result / d src for each element that went somewhere."""
    if reduce == "prod":
        of_self, of_src = product_slopes(self, dim, index, src, include_self)
    elif reduce in ("amax", "amin", "max", "min"):
        of_self, of_src = (self == result).to(self.dtype), (src == result.gather(dim, index)).to(self.dtype)
        shares = of_self.scatter_add(dim, index, of_src)
        of_self, of_src = of_self / shares, of_src / shares.gather(dim, index)
    else:
        of_self, of_src = wc.ones_like(self), wc.ones_like(src)
        if reduce == "mean":
            counts = (of_self if include_self else wc.zeros_like(self)).scatter_add(dim, index, of_src)
            counts = wc.where(counts == 0, 1, counts)
            of_self, of_src = of_self / counts, of_src / counts.gather(dim, index)
    return of_self if include_self else of_self.scatter(dim, index, 0), of_src


def reduce_grads(
    grad: Tensor, self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool, result: Tensor
) -> tuple[Tensor, Tensor]:
    """The gradients of self and src."""
    if not index.numel():
        return grad, wc.zeros_like(src)
    of_self, of_src = slopes(self, dim, index, part_of(src, index), reduce, include_self, result)
    return grad * of_self.conj(), pad_to_shape(grad.gather(dim, index) * of_src.conj(), src.shape)


def pad_to_shape(part: Tensor, shape: Any) -> Tensor:
    """The part at the start of zeros of a shape."""
    for d, size in enumerate(shape):
        if part.shape[d] != size:
            part = wc.slice_backward(part, [*part.shape[:d], size, *part.shape[d + 1 :]], d, 0, part.shape[d], 1)
    return part


def reduce_tangent(
    self_t: Tensor,
    src_t: Tensor,
    self: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    include_self: bool,
    result: Tensor,
) -> Tensor:
    """The sum of slopes times tangents at each place."""
    if not index.numel():
        return self_t
    of_self, of_src = slopes(self, dim, index, part_of(src, index), reduce, include_self, result)
    return (self_t * of_self).scatter_add(dim, index, part_of(src_t, index) * of_src)


TABLE.derivative("scatter_reduce", joint=reduce_grads, joint_inputs=("self", "src"), jvp=reduce_tangent)


# ---- index_reduce: an index for each element of source
def everywhere(index: Tensor, dim: int, source: Tensor) -> Tensor:
    """The index of a dim for each element of source."""
    if source.ndim == 0:
        return index.reshape(())
    return index.reshape([-1 if d == dim % source.ndim else 1 for d in range(source.ndim)]).expand(source.shape)


def index_grads(
    grad: Tensor, self: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, include_self: bool, result: Tensor
) -> tuple[Tensor, Tensor]:
    """The gradients of self and source."""
    return reduce_grads(grad, self, dim, everywhere(index, dim, source), source, reduce, include_self, result)


TABLE.derivative(
    "index_reduce",
    joint=index_grads,
    joint_inputs=("self", "source"),
    jvp=lambda self_t, source_t, self, dim, index, source, reduce, include_self, result: reduce_tangent(
        self_t, source_t, self, dim, everywhere(index, dim, source), source, reduce, include_self, result
    ),
)
