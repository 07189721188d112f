"""Derivatives of tensors of which a view is written."""

from __future__ import annotations

import wengert_core as wc

from wengert_formulas.derivatives.base import TABLE

linear = TABLE.linear

linear(
    "select_scatter",
    self=lambda grad, dim, index, src_shape: wc.select_scatter(grad, grad.new_zeros(src_shape), dim, index),
    src=lambda grad, dim, index: grad.select(dim, index),
)
linear(
    "slice_scatter",
    self=lambda grad, dim, start, end, step, src_shape: wc.slice_scatter(
        grad, grad.new_zeros(src_shape), dim, start, end, step
    ),
    src=lambda grad, dim, start, end, step: wc.slice(grad, dim, start, end, step),
)
linear(
    "diagonal_scatter",
    self=lambda grad, offset, dim1, dim2, src_shape: wc.diagonal_scatter(
        grad, grad.new_zeros(src_shape), offset, dim1, dim2
    ),
    src=lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2),
)
