"""Batching rules of variances and logsumexp."""

from __future__ import annotations

from wengert_formulas.batching.calls.call import rule
from wengert_formulas.batching.reduce.reductions import over_dims

rule("var", "std", "var_mean", "std_mean", "logsumexp")(over_dims)
