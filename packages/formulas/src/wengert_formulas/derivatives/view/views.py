"""Derivatives of views: the gradient goes back into the part that the view showed."""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE, inplace_overload

linear = TABLE.linear
Shape = tuple[int, ...]


def reshape_tangent(self_t: Tensor, result: Tensor) -> Tensor:
    """The tangent in the result's shape, also where its own strides allow no view."""
    return self_t.reshape(result.shape)


def squeeze_name(dim: str, inplace: bool) -> str:
    """squeeze has three overloads: of no dim, of one, of several."""
    return f"SqueezeBackward{({'none': 0, 'several': 2}.get(dim, 1)) + 3 * inplace}"


# ---- the same elements
linear("view", self=lambda grad, self_shape: grad.reshape(self_shape), jvp=reshape_tangent)
linear("_unsafe_view", self=lambda grad, self_shape: grad.reshape(self_shape), jvp=reshape_tangent)
linear("_reshape_alias", self=lambda grad, self_shape: grad.reshape(self_shape), jvp=reshape_tangent)
linear("alias", self=1)
linear("_fw_primal", self=1, node="torch::autograd::Identity")
linear("clone", self=1)
linear("transpose", self=lambda grad, dim0, dim1: grad.transpose(dim0, dim1), node=inplace_overload("Transpose"))
linear("t", self=lambda grad: grad.t(), node=inplace_overload("T"))
linear("squeeze", self=lambda grad, self_shape: grad.reshape(self_shape), node=squeeze_name)
linear("unsqueeze", self=lambda grad, dim: grad.squeeze(dim), node=inplace_overload("Unsqueeze"))
linear("expand", self=1)  # the engine's edge sums what was repeated


def inverse_permute(grad: Tensor, dims: Any) -> Tensor:
    """The inverse permutation."""
    rank = grad.ndim
    dims = [d % rank for d in ([dims] if isinstance(dims, int) else dims)]
    return grad.permute([dims.index(d) for d in range(rank)])


linear("permute", self=inverse_permute)

# ---- a part of the elements
linear("select", self=lambda grad, self_shape, dim, index: wc.select_backward(grad, self_shape, dim, index))
linear(
    "slice",
    self=lambda grad, self_shape, dim, start, end, step: wc.slice_backward(grad, self_shape, dim, start, end, step),
)
linear(
    "diagonal",
    self=lambda grad, self_shape, offset, dim1, dim2: wc.diagonal_backward(grad, self_shape, offset, dim1, dim2),
)
linear(
    "unfold", self=lambda grad, self_shape, dimension, size, step: unfold_grad(grad, self_shape, dimension, size, step)
)


# ---- any geometry: (sizes, strides, offset), in elements
def dense(shape: Shape) -> tuple[Shape, Shape, int]:
    """The geometry of a contiguous tensor."""
    return shape, tuple([math.prod(shape[d + 1 :]) for d in range(len(shape))]), 0


def unfold_grad(grad: Tensor, self_shape: Shape, dimension: int, size: int, step: int) -> Tensor:
    """Windows may overlap: what they share gets the sum."""
    sizes, strides, _ = dense(self_shape)
    if not sizes:
        return grad.reshape(())
    at = dimension % len(sizes)
    windows = (*[step * s if d == at else s for d, s in enumerate(strides)], strides[at])
    return wc.restride(grad, (tuple(grad.shape), windows, 0), dense(self_shape), None)


def as_strided_grad(grad: Tensor, self_geometry: Any, size: Any, stride: Any, storage_offset: int | None) -> Tensor:
    """From the view's geometry to the input's; elements of the input that share memory share the gradient."""
    offset = self_geometry[2] if storage_offset is None else storage_offset
    return wc.restride(grad, (tuple(size), tuple(stride), offset), self_geometry, self_geometry)


def as_strided_tangent(
    self_t: Tensor, self_geometry: Any, size: Any, stride: Any, storage_offset: int | None
) -> Tensor:
    """The same view of the tangent; of one with strides of its own a copy."""
    offset = self_geometry[2] if storage_offset is None else storage_offset
    if self_t.stride() == tuple(self_geometry[1]):
        return self_t.as_strided(size, stride, offset - self_geometry[2] + self_t.storage_offset())
    return wc.restride(self_t, self_geometry, (tuple(size), tuple(stride), offset), self_geometry)


linear("as_strided", self=as_strided_grad, jvp=as_strided_tangent, node=inplace_overload("AsStrided"))

# ---- complex numbers as pairs
linear("view_as_real", self=lambda grad: wc.view_as_complex(grad.contiguous()))
linear("view_as_complex", self=lambda grad: wc.view_as_real(grad))

# ---- several views at once
linear("split", self=lambda grads, dim: wc.cat(grads, dim))
linear("split_with_sizes", self=lambda grads, dim: wc.cat(grads, dim))
linear("unbind", self=lambda grads, dim: wc.stack(grads, dim))

# ---- in place only
TABLE.not_differentiable("resize_", "resize_as_")  # they refuse tensors that require grad
TABLE.not_implemented("set_", "the tensor shows other memory")
