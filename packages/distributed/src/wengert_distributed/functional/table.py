"""The op table of collectives, in PyTorch's library ``_c10d_functional``, and the table of their derivatives."""

from __future__ import annotations

from importlib import import_module

from wengert_core.extend import OpTable
from wengert_formulas.extend import FormulaTable

TABLE = OpTable("_c10d_functional")
FORMULAS = FormulaTable("_c10d_functional")
MODULES = ("functional.ops", "functional.formulas", "functional.point_to_point", "tensor_parallel.replicated")
"""The modules that fill the tables."""


def load() -> OpTable:
    """Return the table with all its rows: the object that the entry point of ops names."""
    for module in MODULES:
        import_module(f"wengert_distributed.{module}")
    return TABLE


def load_formulas() -> FormulaTable:
    """Return the formulas of all rows: the object that the entry point of formulas names."""
    load()
    return FORMULAS
