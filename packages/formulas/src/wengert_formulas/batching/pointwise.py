"""Batching rules of pointwise ops: the op itself, with the batch as one more dim that broadcasts. The engine does it."""

from __future__ import annotations

from wengert_formulas.batching.call import FAMILIES

FAMILIES["pointwise"] = "broadcast"
