"""Batching rules of determinants."""

from __future__ import annotations

from wengert_formulas.batching.calls.call import rule
from wengert_formulas.batching.calls.matrices import of_matrices

rule("linalg_det", "linalg_slogdet")(of_matrices)
