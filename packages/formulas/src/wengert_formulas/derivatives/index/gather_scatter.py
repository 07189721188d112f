"""Derivatives of gathering and scattering: by indices along a dim, by flat positions, by masks."""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc
from wengert_core.ops.index.sparse_gradients import sparse_constructor
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE, by_value, of_tensor, zeros_of

linear = TABLE.linear
Shape = tuple[int, ...]


# ---- along one dim
linear(
    "index_select", self=lambda grad, self_shape, dim, index: wc.index_add(zeros_of(grad, self_shape), dim, index, grad)
)


def index_add_grad(grad: Tensor, dim: int, index: Tensor, source_shape: Shape, alpha: Any) -> Tensor:
    """The gradient at the places added to, times alpha."""
    part = wc.index_select(grad, dim, index).reshape(source_shape)
    return part if alpha == 1 else part * alpha


linear("index_add", self=1, source=index_add_grad)
linear(
    "index_copy",
    self=lambda grad, dim, index: wc.index_fill(grad, dim, index, 0),
    source=lambda grad, dim, index, source_shape: wc.index_select(grad, dim, index).reshape(source_shape),
)


def fill_value_grad(grad: Tensor, dim: int, index: Tensor) -> Tensor:
    """The sum of the gradient over the places that were filled, each once also where the index names it twice."""
    if index.numel() == 1:
        return wc.index_select(grad, dim, index).sum()
    rest = wc.index_fill(wc.ones_like(grad, dtype=wc.bool), dim, index, False)
    return wc.masked_fill(grad, rest, 0).sum()


linear(
    "index_fill",
    self=lambda grad, dim, index: wc.index_fill(grad, dim, index, 0),
    value=fill_value_grad,
    node=by_value("IndexFill"),
)
def gather_gradient(grad: Tensor, self_shape: tuple[int, ...], dim: int, index: Tensor, sparse_grad: bool) -> Tensor:
    """The gradients at their indices, added; sparse_grad: as a sparse tensor of these elements."""
    if not sparse_grad:
        return wc.scatter_add(zeros_of(grad, self_shape), dim, index, grad)
    rank = len(self_shape)
    if rank == 0:
        empty = index.new_zeros((0, 1)).long()
        found: Tensor = sparse_constructor("gather", "sparse_grad")(empty, grad.reshape(1), self_shape)
        return found
    own = [wc.arange(size, device=index.device).reshape([-1 if d == k else 1 for k in range(rank)]).expand(index.shape)
           for d, size in enumerate(index.shape)]
    own[dim % rank] = index.long()
    indices = wc.stack([each.reshape(-1) for each in own])
    whole: Tensor = sparse_constructor("gather", "sparse_grad")(indices, grad.reshape(-1), self_shape)
    return whole


linear("gather", self=gather_gradient)


def grad_of_source(grad: Tensor, dim: int, index: Tensor, src_shape: Shape) -> Tensor:
    """The gradient at the places written to, in the shape of a source of which only a part may have been used."""
    part = wc.gather(grad, dim, index)
    for d, size in enumerate(src_shape):
        if part.shape[d] != size:
            part = wc.slice_backward(part, [*part.shape[:d], size, *part.shape[d + 1 :]], d, 0, part.shape[d], 1)
    return part


def grad_outside(grad: Tensor, dim: int, index: Tensor, reduce: str | None) -> Tensor:
    """The gradient, and 0 at the places written to."""
    if reduce == "multiply":
        raise RuntimeError("derivative for aten::scatter is not implemented: for reduce='multiply'")
    return grad if reduce == "add" else wc.scatter(grad, dim, index, 0)


def scatter_tangent(self_t: Tensor, dim: int, index: Tensor, src: Any, src_t: Any, reduce: str | None) -> Tensor:
    """The tangents of self and src put together; 0 at the places where a number was written."""
    return wc.scatter(self_t, dim, index, src_t if isinstance(src, Tensor) else 0, reduce=reduce)


linear(
    "scatter",
    self=grad_outside,
    src=grad_of_source,
    jvp=scatter_tangent,
    node=lambda src: f"ScatterBackward{int(not of_tensor(src))}",
)
linear("scatter_add", self=1, src=grad_of_source)
TABLE.not_differentiable("nonzero")

# ---- positions of the flattened tensor
linear("_take", self=lambda grad, self_shape, index: wc.put(zeros_of(grad, self_shape), index, grad, True))


def put_self(grad: Tensor, index: Tensor, source_shape: Any, accumulate: bool) -> Tensor:
    """Nothing where something was put in place of what was there."""
    return grad if accumulate else wc.put(grad, index, grad.new_zeros(source_shape))


linear(
    "_put",
    self=put_self,
    source=lambda grad, index, source_shape: wc.take(grad, index).reshape(source_shape),
)

# ---- masks
linear(
    "masked_select",
    self=lambda grad, self_shape, mask: wc.masked_scatter(
        zeros_of(grad, wc.broadcast_shapes(self_shape, mask.shape)), mask, grad
    ),
)


def in_source(grad: Tensor, mask: Tensor, source_shape: Shape) -> Tensor:
    """The gradient where the mask is True, at the front of zeros of the source's shape."""
    taken = wc.masked_select(grad, mask)
    rest = math.prod(source_shape) - taken.numel()
    return wc.cat([taken, grad.new_zeros(rest)]).reshape(source_shape)


linear("masked_scatter", self=lambda grad, mask: grad.masked_fill(mask, 0), source=in_source)
