"""Derivatives of embedding."""

from __future__ import annotations

import wengert_core as wc
from wengert_core.ops.index.sparse_gradients import sparse_constructor
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE, zeros_of

linear = TABLE.linear
Shape = tuple[int, ...]


def rows_gradient(
    grad: Tensor, weight_shape: Shape, indices: Tensor, padding_idx: int, scale_grad_by_freq: bool, sparse: bool
) -> Tensor:
    """The gradient of embedding's rows; that of the row padding_idx is 0. sparse: it has these rows alone."""
    places, rows = indices, grad
    if indices.ndim != 1:
        places = indices.reshape(indices.numel())
        rows = grad.reshape(indices.numel(), weight_shape[1])
    if sparse:
        return sparse_rows(rows, weight_shape, places, padding_idx, scale_grad_by_freq)
    if scale_grad_by_freq:
        counts = wc.bincount(places, None, weight_shape[0]).index_select(0, places)
        rows = rows * (1 / counts).to(rows.dtype).unsqueeze(1)
    if padding_idx >= 0:
        rows = rows.masked_fill((places == padding_idx).unsqueeze(1), 0)
    return wc.index_add(zeros_of(grad, weight_shape), 0, places, rows)


def sparse_rows(
    rows: Tensor, weight_shape: Shape, places: Tensor, padding_idx: int, scale_grad_by_freq: bool
) -> Tensor:
    """The gradient as a sparse tensor of rows, those of padding left out."""
    if scale_grad_by_freq:
        raise RuntimeError("embedding_backward: scale_grad_by_freq not supported with sparse gradients")
    if padding_idx >= 0:
        used = places != padding_idx
        places, rows = places[used], rows[used]
    found: Tensor = sparse_constructor("embedding", "sparse")(places.reshape(1, -1).long(), rows, weight_shape)
    return found


linear("embedding", weight=rows_gradient)
