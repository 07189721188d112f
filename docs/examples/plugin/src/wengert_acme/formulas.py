"""The derivatives of wengert-acme's operations. A formula's parameters say what the engine saves."""

from __future__ import annotations

from wengert_formulas.extend import FormulaTable

TABLE = FormulaTable("acme")  # of the op table with this name

# d result / d self, which gives reverse and forward at once
TABLE.elementwise("cbrt", lambda result: (result * result * 3).reciprocal())
TABLE.elementwise("log_cosh", lambda self: self.tanh())
# the general case: a rule for each input, and the forward rule
TABLE.derivative(
    "rel_entr",
    self=lambda grad, self, other: grad * ((self / other).log() + 1),
    other=lambda grad, self, other: grad * -(self / other),
    jvp=lambda self_t, other_t, self, other: self_t * ((self / other).log() + 1) - other_t * (self / other),
)


def load() -> FormulaTable:
    """What the entry point names: the table."""
    return TABLE
