"""Derivatives of counting: of the most frequent value; those of weighted counts are not implemented, as in PyTorch."""

from __future__ import annotations

from wengert_formulas.derivatives.base import TABLE
from wengert_formulas.derivatives.reduce.reductions import put_back, tangents_at

TABLE.derivative(
    "mode",
    self=put_back,
    outputs=("values",),
    jvp=lambda self_t, indices, dim, keepdim: (tangents_at(self_t, indices, dim, keepdim), None),
)
TABLE.not_implemented("bincount", "write zeros(n).index_add(0, input, weights), which has one by the weights")
TABLE.not_implemented("_histogram", "counts are steps")
TABLE.not_differentiable("histc")
