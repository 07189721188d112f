"""Batching rules of what works along a dim (sorting, scans, places of extremes): the same along the next dim."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.arranging import flat, lifted, shaped
from wengert_formulas.batching.call import Call, family, rule


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


@rule("_unique", "_unique_consecutive")
def unique(call: Call) -> Any:
    """How long the result is depends on the data."""
    name = "_unique2" if call.name == "_unique" else "unique_consecutive"
    raise RuntimeError(
        "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over "
        f"aten::{name}. Each sample may have another number of distinct values"
    )
