"""The face for extenders: what a package that extends wengert imports of wengert-formulas. Its names stay.

``FormulaTable`` is a table of derivatives and batching rules; ``jvp`` computes an op's value and its derivative along
tangents by the op's forward formula, for tests. docs/plugin-reference.md describes both.

>>> from wengert_formulas.extend import FormulaTable
>>> FormulaTable("acme").name
'acme'
"""

from wengert_formulas.forward import jvp as jvp
from wengert_formulas.table import FormulaTable as FormulaTable

__all__ = ["FormulaTable", "jvp"]
