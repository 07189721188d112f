"""The batching rule of soft_margin_loss."""

from __future__ import annotations

from wengert_formulas.batching.calls.call import rule
from wengert_formulas.batching.loss.regression import loss

rule("soft_margin_loss")(loss)
