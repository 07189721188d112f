"""Derivatives of rounding: 0, said aloud."""

from __future__ import annotations

from wengert_formulas.derivatives.base import TABLE

TABLE.zero("floor", "ceil", "trunc", "round")
TABLE.elementwise("frac", 1)
