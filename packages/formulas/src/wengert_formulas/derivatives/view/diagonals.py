"""Derivatives of diagonals."""

from __future__ import annotations

import wengert_core as wc

from wengert_formulas.derivatives.base import TABLE

linear = TABLE.linear

linear("_diag_embed", self=lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2))
linear(
    "_diagonal_copy",
    self=lambda grad, self_shape, offset, dim1, dim2: wc.diagonal_backward(grad, self_shape, offset, dim1, dim2),
    node="DiagonalBackward0_copy",
)
