"""Batching rules of products that are added to a tensor, but for addmm."""

from __future__ import annotations

from wengert_formulas.batching.calls.call import rule
from wengert_formulas.batching.linalg.matmul import batch_added

rule("addmv", "baddbmm", "addbmm", "addr")(batch_added)
