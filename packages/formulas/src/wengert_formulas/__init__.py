"""wengert-formulas: the derivatives of wengert-core's operations, one entry each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wengert_formulas import _native  # noqa: F401 - finds and loads the compiled modules, so it comes first

if TYPE_CHECKING:
    from wengert_formulas.table import FormulaTable

__version__ = "0.1.0"
__all__ = ["load"]


def load() -> FormulaTable:
    """The formulas of all operations of core, as one table."""
    try:
        from wengert_formulas.composed import TABLE
    except BaseException:  # Ctrl-C: the next call goes on where this one stopped, also in ops that formulas use
        from wengert_core.optable import core_table

        from wengert_formulas.derivatives import base

        base.TABLE.read_again = core_table.TABLE.read_again = True
        raise
    return TABLE
