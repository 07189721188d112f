"""Batching rules of pointwise ops: the op itself, the batch is one more dim that broadcasts. The engine does it."""

from __future__ import annotations

from wengert_formulas.batching.calls.call import FAMILIES

FAMILIES["pointwise"] = "broadcast"
