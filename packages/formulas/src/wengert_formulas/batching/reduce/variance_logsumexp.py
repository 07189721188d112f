"""Batching rules of variances, logsumexp and norms: over the dims of one sample."""

from __future__ import annotations

from typing import Any

import wengert_core as wc

from wengert_formulas.batching.calls.call import Call, rule

ops = wc.TABLE.ops


@rule("var", "std", "var_mean", "std_mean", "logsumexp", "linalg_vector_norm", "_norm", "nansum")
def reduced(call: Call) -> Any:
    """Over some dims; without any over all of a sample."""
    rank, dims = call.rank("self"), call["dim"]
    found = call.dims(() if dims is None else dims, rank) or list(range(1, rank + 1))
    if rank == 0:
        return call.run(self=call["self"].unsqueeze(1), dim=[1], keepdim=False)
    return call.run(dim=found)
