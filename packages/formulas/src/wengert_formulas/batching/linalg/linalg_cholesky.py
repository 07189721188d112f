"""Batching rules of Cholesky's factors."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import align
from wengert_formulas.batching.calls.matrices import of_matrices

rule("linalg_cholesky_ex", "cholesky", "cholesky_inverse")(of_matrices)


@rule("cholesky_solve")
def cholesky_solve(call: Call) -> Any:
    b, factor = align(call, "self", "input2")
    return call.run(self=b, input2=factor)
