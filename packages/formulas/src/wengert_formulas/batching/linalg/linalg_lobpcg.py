"""The batching rule of lobpcg."""

from __future__ import annotations

from wengert_formulas.batching.calls.call import rule
from wengert_formulas.batching.calls.matrices import all_expanded

rule("_eigenpairs")(all_expanded)
