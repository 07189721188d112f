"""Derivatives of the trace and of cross products."""

from __future__ import annotations

import wengert_core as wc

from wengert_formulas.derivatives.base import TABLE

linear, multilinear = TABLE.linear, TABLE.multilinear

linear(
    "_trace",
    self=lambda grad, self_shape: wc.diagonal_backward(grad.expand(min(self_shape)), self_shape, 0, 0, 1),
)
multilinear(
    "linalg_cross",
    self=lambda grad, other, dim: wc._linalg_cross(other.conj(), grad, dim=dim),
    other=lambda grad, self, dim: wc._linalg_cross(grad, self.conj(), dim=dim),
)
