"""The derivatives of the special functions: a line each."""

from __future__ import annotations

import importlib

from wengert_formulas.table import FormulaTable

TABLE = FormulaTable("special")


def load() -> FormulaTable:
    """What the entry point names: the formulas of all rows."""
    importlib.import_module("wengert_special.derivatives.bessel")
    return TABLE
