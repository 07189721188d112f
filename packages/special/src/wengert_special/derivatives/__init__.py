"""The derivatives of the special functions: a line each."""

from __future__ import annotations

import importlib

from wengert_formulas.extend import FormulaTable

from wengert_special.table import FAMILIES

TABLE = FormulaTable("special")


def load() -> FormulaTable:
    """What the entry point names: the formulas of all rows."""
    for family in FAMILIES:
        importlib.import_module(f"wengert_special.derivatives.{family}")
    for name in ("_polygamma", "_bessel", "_airy_ai_slope", "_gegenbauer", "_genlaguerre"):
        TABLE.batch(name, "broadcast")  # array functions of each element: inside of vmap the same
    return TABLE
