"""Batching rules of norms, dist and renorm: over the dims of one sample."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.ops.reduce.norms import scale_to_maxnorm

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import align
from wengert_formulas.batching.reduce.reductions import over_dims

ops = wc.TABLE.ops
rule("linalg_vector_norm", "_norm")(over_dims)


@rule("_renorm")
def renorm(call: Call) -> Any:
    """Over all dims but the batch and the one next to that which is named."""
    dim = call.dim(call["dim"], call.rank("self"))
    return scale_to_maxnorm(
        call["self"], call["p"], [d for d in range(1, call["self"].dim()) if d != dim], call["maxnorm"]
    )


@rule("dist")
def dist(call: Call) -> Any:
    first, second = align(call, "self", "other")
    difference = first - second
    rows = difference.reshape(call.size, difference.numel() // max(call.size, 1))
    return ops["linalg_vector_norm"](rows, call["p"], [1])
