"""Derivatives of embedding."""

from __future__ import annotations

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE, zeros_of

linear = TABLE.linear
Shape = tuple[int, ...]


def rows_gradient(
    grad: Tensor, weight_shape: Shape, indices: Tensor, padding_idx: int, scale_grad_by_freq: bool
) -> Tensor:
    """The gradient of embedding's rows; that of the row padding_idx is 0."""
    places, rows = indices, grad
    if indices.ndim != 1:
        places = indices.reshape(indices.numel())
        rows = grad.reshape(indices.numel(), weight_shape[1])
    if scale_grad_by_freq:
        counts = wc.bincount(places, None, weight_shape[0]).index_select(0, places)
        rows = rows * (1 / counts).to(rows.dtype).unsqueeze(1)
    if padding_idx >= 0:
        rows = rows.masked_fill((places == padding_idx).unsqueeze(1), 0)
    return wc.index_add(zeros_of(grad, weight_shape), 0, places, rows)


linear("embedding", weight=rows_gradient)
