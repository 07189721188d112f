"""Derivatives of sparse.sum and of softmax of the elements that are specified."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_sparse.components import coo_of
from wengert_sparse.coo.indices import coalesce
from wengert_sparse.coo.reduce import reduced_dims, rows_along
from wengert_sparse.coo.shape import rows_of
from wengert_sparse.derivatives import TABLE
from wengert_sparse.derivatives.structure import at_mask, make
from wengert_sparse.ops.convert import read_at
from wengert_sparse.table import TABLE as OPS


def sum_grad(grad: Tensor, self: Tensor, dim: Any) -> Tensor:
    """The gradient of each element: that of the sum that it is in."""
    parts, shape = coalesce(coo_of(self), self.shape), tuple(self.shape)
    dims, sparse_dim = reduced_dims(dim, len(shape)), parts.indices.shape[0]
    kept = rows_of(parts.indices, [d for d in range(sparse_dim) if d not in dims])
    values = read_at(grad, kept) if kept.shape[0] else grad.unsqueeze(0)
    for d in range(sparse_dim, len(shape)):
        if d in dims:
            values = values.unsqueeze(d - sparse_dim + 1)
    return make(parts.indices, values.expand(parts.values.shape), shape, True)


TABLE.linear(
    "_sparse_sum",
    self=sum_grad,
    jvp=lambda self_t, dim, dtype: OPS.ops["_sparse_sum"](self_t, dim, dtype),
    node="SparseSumBackward0",
)


def row_sums(values: Tensor, output: Tensor, dim: int) -> Tensor:
    """For each element (N, ...) of a coalesced tensor the sum of the values in its row along a dim."""
    sparse_dim = coo_of(output).indices.shape[0]
    dim %= output.dim()
    if dim >= sparse_dim:
        return values.sum(dim - sparse_dim + 1, keepdim=True)
    _, row, count = rows_along(output.detach(), dim)
    return (
        wc.zeros((count, *values.shape[1:]), dtype=values.dtype, device=values.device)
        .index_add(0, row, values)
        .index_select(0, row)
    )


def softmax_grad(grad: Tensor, result: Tensor, dim: int) -> Tensor:
    """y * (g - sum of g * y)."""
    indices, y = coo_of(result).indices, result.values()
    g = read_at(grad, indices)
    return make(indices, y * (g - row_sums(g * y, result, dim)), tuple(result.shape), True)


def log_softmax_grad(grad: Tensor, result: Tensor, dim: int) -> Tensor:
    """g - softmax * sum of g."""
    indices, y = coo_of(result).indices, result.values()
    g = read_at(grad, indices)
    return make(indices, g - y.exp() * row_sums(g, result, dim), tuple(result.shape), True)


def softmax_tangent(self_t: Tensor, result: Tensor, dim: int) -> Tensor:
    """The derivative is a symmetric matrix."""
    return softmax_grad(at_mask(self_t, result), result, dim)


def log_softmax_tangent(self_t: Tensor, result: Tensor, dim: int) -> Tensor:
    """t - sum of t * softmax."""
    indices, y = coo_of(result).indices, result.values()
    t = read_at(self_t, indices)
    return make(indices, t - row_sums(t * y.exp(), result, dim), tuple(result.shape), True)


TABLE.derivative("_sparse_softmax", self=softmax_grad, jvp={"self": softmax_tangent}, node="SparseSoftmaxBackward0")
TABLE.derivative(
    "_sparse_log_softmax", self=log_softmax_grad, jvp={"self": log_softmax_tangent}, node="SparseLogSoftmaxBackward0"
)
