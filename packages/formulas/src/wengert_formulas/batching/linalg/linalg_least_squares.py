"""Batching rules of pseudo-inverses and least squares."""

from __future__ import annotations

from typing import Any

from wengert_core.tensors.tensor import Tensor

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import align, own_batch


@rule("linalg_pinv")
def pinv(call: Call) -> Any:
    """Tolerances may be one for each matrix."""
    rank = call.rank("A") - 2
    changes = {"A": call.expanded("A")}
    for name in ("atol", "rtol"):
        if isinstance(call[name], Tensor):
            changes[name] = align(call, name, rank=rank)[0]
    return call.run(**changes)


@rule("linalg_lstsq")
def lstsq(call: Call) -> Any:
    solution, residuals, rank, values = call.run(A=call.expanded("A"), B=call.expanded("B"))
    residuals, values = own_batch(call, (residuals, values))
    return solution, residuals, own_batch(call, (rank,))[0] if call["driver"] == "gels" else rank, values
