"""Batching rules of diagonals: dims are counted after the batch."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, rule


@rule("_diag_embed", "_diagonal_copy")
def diagonals(call: Call) -> Any:
    """The dims are those of the result, or of the argument."""
    rank = call.rank("self") + (call.name == "_diag_embed")
    return call.run(dim1=call.dim(call["dim1"], rank), dim2=call.dim(call["dim2"], rank))
