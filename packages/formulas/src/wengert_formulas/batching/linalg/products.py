"""Batching rules of the trace, of cross products and of bilinear forms."""

from __future__ import annotations

from typing import Any

from wengert_core import TABLE

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import align, op_errors


@rule("_trace")
def trace(call: Call) -> Any:
    """Of the last two dims."""
    return call["self"].diagonal(0, 1, 2).sum(-1)


@rule("linalg_cross")
def cross(call: Call) -> Any:
    rank = call.rank("self")
    if call.rank("other") != rank:
        raise op_errors(call)
    first, second = align(call, "self", "other")
    return call.run(self=first, other=second, dim=call.dim(call["dim"], rank))


@rule("_trilinear")
def trilinear(call: Call) -> Any:
    """One more index."""
    parts = {"i1": "ni", "i2": "kij", "i3": "nj"}
    indices = ",".join("b" * call.batched[name] + part for name, part in parts.items())
    return TABLE.ops["einsum"](f"{indices}->bnk", *(call[name] for name in parts))
