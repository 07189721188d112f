"""Derivatives of constructors, components and conversions: the values move, the indices have no derivative."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor, is_strided

from wengert_sparse.components import coo_of, is_coo, parts_of_compressed
from wengert_sparse.compressed.geometry import geometry_of
from wengert_sparse.compressed.structure import in_layout_of
from wengert_sparse.coo.indices import coalesce
from wengert_sparse.derivatives import TABLE
from wengert_sparse.ops.compressed import like
from wengert_sparse.ops.convert import coalesced_mask, read_at, read_pattern, to_dense, to_sparse
from wengert_sparse.table import TABLE as OPS

linear = TABLE.linear
Shape = tuple[int, ...]


def make(indices: Tensor, values: Tensor, size: Shape, coalesced: bool) -> Tensor:
    """A tensor of layout ``sparse_coo``, recorded."""
    found: Tensor = OPS.ops["_sparse_coo_tensor"](indices, values, size, coalesced)
    return found


def at_mask(grad: Tensor, like_: Tensor) -> Tensor:
    """A gradient at the indices of a sparse tensor, in its layout."""
    if is_coo(like_):
        parts = coalesce(coo_of(like_), like_.shape)
        return make(parts.indices, read_at(grad, parts.indices), tuple(like_.shape), True)
    if not is_strided(grad) and grad.layout is like_.layout and same_indices(grad, like_):
        return grad
    return like(like_, read_pattern(grad, like_))


def same_indices(a: Tensor, b: Tensor) -> bool:
    """Whether two compressed tensors share their indices."""
    first, second = parts_of_compressed(a), parts_of_compressed(b)
    return first.compressed is second.compressed and first.plain is second.plain


# ---- constructors and components
linear(
    "_sparse_coo_tensor",
    values=lambda grad, indices: read_at(grad, indices),
    jvp=lambda values_t, indices, size, coalesced: make(indices, values_t, size, coalesced),
    node="SparseCooTensorWithDimsAndTensorsBackward0",
)
linear(
    "_sparse_compressed_tensor",
    values=lambda grad, result: at_mask(grad, result).values(),
    jvp=lambda values_t, result: like(result, values_t),
    node="SparseCompressedTensorBackward0",
)


def values_grad(grad: Tensor, self: Tensor) -> Tensor:
    """The gradient of the values, at their indices."""
    if is_coo(self):
        return make(coo_of(self).indices, grad, tuple(self.shape), True)
    return like(self, grad)


linear("values", self=values_grad, jvp=lambda self_t, self: read_like(self_t, self), node="ValuesBackward0")


def read_like(tangent: Tensor, self: Tensor) -> Tensor:
    """The values of a tangent at the indices of its tensor."""
    return read_at(tangent, coo_of(self).indices) if is_coo(self) else at_mask(tangent, self).values()


linear("_coalesce", self=1, jvp=lambda self_t: self_t, node="CoalesceBackward0")


def select_grad(grad: Tensor, self: Tensor, dim: int, index: int) -> Tensor:
    """The gradient in a tensor of the whole size, at its indices."""
    if not is_strided(grad) and not is_coo(grad):
        grad = to_sparse(grad)
    return at_mask(wc.select_backward(grad, tuple(self.shape), dim, index), self)


linear(
    "_compressed_select",
    self=select_grad,
    jvp=lambda self_t, dim, index: self_t.select(dim, index),
    node="SelectBackward0",
)


# ---- conversions
def dense_grad(grad: Tensor, self: Tensor, masked_grad: Any) -> Tensor:
    """The gradient at the indices of the tensor; of all elements where it is not to be masked."""
    if masked_grad is False:
        if is_coo(self):
            return to_sparse(grad, coo_of(self).indices.shape[0]) if is_strided(grad) else grad
        geometry = geometry_of(self)
        return to_sparse(grad, layout=self.layout, blocksize=geometry.block, dense_dim=len(geometry.dense))
    return at_mask(grad, self)


linear("_to_dense", self=dense_grad, jvp=lambda self_t, dtype: to_dense(self_t, dtype), node="ToDenseBackward0")


def sparse_grad(grad: Tensor, self: Tensor) -> Tensor:
    """The gradient in the layout that the tensor had."""
    if is_strided(self):
        return to_dense(grad)
    if is_coo(self):
        return to_sparse(grad)
    return convert_like(grad, self)


def convert_like(tensor: Tensor, other: Tensor) -> Tensor:
    """A sparse gradient or tangent in the layout of another tensor; that of a batch, whose matrices need equally many
    elements, at its indices.
    """
    if is_coo(other):
        return to_sparse(tensor)
    geometry = geometry_of(other)
    if tensor.layout is other.layout:
        return tensor
    if geometry.batch:
        return at_mask(tensor, other)
    return to_sparse(tensor, layout=other.layout, blocksize=geometry.block, dense_dim=len(geometry.dense))


linear(
    "_to_sparse",
    self=sparse_grad,
    jvp=lambda self_t, result: (at_mask if is_strided(self_t) else convert_like)(self_t, result),
    node=lambda sparse_dim: "ToSparseBackward0" if sparse_dim == "number" else "ToSparseBackward1",
)


def in_layout(grad: Tensor, tensor: Tensor) -> Tensor:
    """A sparse gradient in the layout of its tensor, with all its elements."""
    return grad if is_strided(grad) else in_layout_of(grad, tensor)


linear(
    "_as_layout",
    self=lambda grad, self: in_layout(grad, self),
    jvp=lambda self_t, result: in_layout(self_t, result),
    node="ToSparseBackward0",
)


def masked_grad(grad: Tensor, mask: Tensor, dense: bool) -> Tensor:
    """The gradient at the indices of the mask."""
    found = at_mask(grad, coalesced_mask(mask))
    return to_dense(found) if dense else found


linear(
    "_sparse_mask",
    self=masked_grad,
    jvp=lambda self_t, mask, dense: self_t.sparse_mask(mask),
    node="SparseMaskBackward0",
)


def lookup_grad(grad: Tensor, self_shape: Shape, indices: Tensor, dense: bool) -> Tensor:
    """The values at their indices, those of one index added."""
    found = make(indices, grad, self_shape, False)
    return to_dense(found) if dense else found


linear("_values_at", self=lookup_grad, jvp=lambda self_t, indices: read_at(self_t, indices))
