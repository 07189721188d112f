"""Derivative of conversion: the engine's edge converts the gradient back."""

from __future__ import annotations

from wengert_formulas.derivatives.base import TABLE

TABLE.linear("_to_copy", self=1)
