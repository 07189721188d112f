"""Batching rules of LU's factors."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import align, own_batch
from wengert_formulas.batching.calls.matrices import of_matrices

rule("linalg_lu_factor_ex", "linalg_lu")(of_matrices)


@rule("_lu_permutation")
def of_vectors(call: Call) -> Any:
    return call.run()


@rule("linalg_lu_solve")
def lu_solve(call: Call) -> Any:
    rank = max(call.rank("LU"), call.rank("B"))
    parts = {name: align(call, name, rank=rank - (name == "pivots"))[0] for name in ("LU", "pivots", "B")}
    return call.run(**parts)


@rule("lu_unpack")
def lu_unpack(call: Call) -> Any:
    return own_batch(call, call.run(LU_data=call.expanded("LU_data"), LU_pivots=call.expanded("LU_pivots")))
