"""Counts of points in boxes have no derivative, as in PyTorch."""

from __future__ import annotations

from wengert_formulas.derivatives.base import TABLE

TABLE.not_implemented("_histogramdd", "counts are steps")
