"""Derivatives of Riemann's zeta function."""

from __future__ import annotations

from wengert_special.derivatives import TABLE
from wengert_special.derivatives.operands import internal

TABLE.elementwise("special_zetac", lambda self: internal("_zeta_slope", self, 1))
TABLE.elementwise("_riemann_zeta", lambda self: internal("_zeta_slope", self, 1))
TABLE.elementwise("_zeta_slope", lambda self, n: internal("_zeta_slope", self, n + 1))
