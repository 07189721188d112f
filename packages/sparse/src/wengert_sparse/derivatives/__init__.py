"""The derivatives of sparse tensors' own operations."""

from __future__ import annotations

import importlib

from wengert_formulas.extend import FormulaTable

TABLE = FormulaTable("sparse")


def load() -> FormulaTable:
    """The formulas of all rows: the object that the entry point names."""
    for module in ("structure", "products", "reduce"):
        importlib.import_module(f"wengert_sparse.derivatives.{module}")
    return TABLE
