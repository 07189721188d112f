"""Batching rules of ops along a dim (scans, sorting, positions of extremes): along the next dim."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, family, rule
from wengert_formulas.batching.calls.layout import flat, lifted, shaped


@family("along")
def along(call: Call) -> Any:
    """Some ops have one output, some two."""
    results = call.run(self=lifted(call, "self"), dim=call.dim(call["dim"], call.rank("self")))
    if call.rank("self"):
        return results
    if not isinstance(results, tuple):
        return shaped(call, results, "self")
    kind: Any = type(results)  # values and indices
    return kind([shaped(call, x, "self") for x in results])


@rule("argmax", "argmin")
def place(call: Call) -> Any:
    """Without a dim: among all elements of a sample."""
    if call["dim"] is not None:
        return along(call)
    found = call.run(self=flat(call, "self"), dim=1, keepdim=False)
    return found.reshape(call.size, *[1] * call.rank("self")) if call["keepdim"] else found
