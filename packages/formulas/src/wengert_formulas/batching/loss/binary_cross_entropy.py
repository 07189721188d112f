"""Batching rules of binary cross entropies."""

from __future__ import annotations

from wengert_formulas.batching.calls.call import rule
from wengert_formulas.batching.loss.regression import loss

rule("binary_cross_entropy", "binary_cross_entropy_with_logits")(loss)
