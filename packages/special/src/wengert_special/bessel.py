"""Bessel functions."""

from __future__ import annotations

from wengert_core.rows.base import FLOATING

from wengert_special.table import TABLE, from_scipy

TABLE.pointwise_unary(
    "special_i0e(Tensor self) -> Tensor", reference=from_scipy("i0e"), promotion="float", dtypes=FLOATING, inplace=False,
    doc="exp(-|self|) times the modified Bessel function of the first kind of order 0.",
)
TABLE.pointwise_unary(
    "special_i1e(Tensor self) -> Tensor", reference=from_scipy("i1e"), promotion="float", dtypes=FLOATING, inplace=False,
    doc="exp(-|self|) times the modified Bessel function of the first kind of order 1.",
)
