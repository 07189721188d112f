"""Derivatives of the adjoints of views: the views."""

from __future__ import annotations

import wengert_core as wc

from wengert_formulas.derivatives.base import TABLE

linear = TABLE.linear

linear("select_backward", grad_output=lambda grad, dim, index: grad.select(dim, index), node="SelectBackwardBackward0")
linear(
    "slice_backward",
    node="SliceBackwardBackward0",
    grad_output=lambda grad, dim, start, end, step: wc.slice(grad, dim, start, end, step),
)
linear(
    "diagonal_backward",
    node="DiagonalBackwardBackward0",
    grad_output=lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2),
)
linear("restride", self=lambda grad, source, target, shared: wc.restride(grad, target, source, shared))
