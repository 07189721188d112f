"""Of finding values: places and truth values have no derivative."""

from __future__ import annotations

from wengert_formulas.derivatives.base import TABLE

TABLE.not_differentiable("_searchsorted", "_isin")
