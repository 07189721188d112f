"""Batching rules of ops along a dim (scans, sorting, positions of extremes): along the next dim."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, family
from wengert_formulas.batching.calls.layout import lift, reshape_like


@family("along")
def batch_dimwise(call: Call) -> Any:
    """Some ops have one output, some two."""
    results = call.run(self=lift(call, "self"), dim=call.dim(call["dim"], call.rank("self")))
    if call.rank("self"):
        return results
    if not isinstance(results, tuple):
        return reshape_like(call, results, "self")
    kind: Any = type(results)  # values and indices
    return kind([reshape_like(call, x, "self") for x in results])
