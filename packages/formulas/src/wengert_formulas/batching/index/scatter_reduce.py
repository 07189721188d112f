"""Batching rules of scattering with a reduction."""

from __future__ import annotations

from typing import Any

import wengert_core as wc

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import lift, op_errors
from wengert_formulas.batching.index.gather_scatter import checked_index, indexed_dim, restore_shape, scatter, target

ops = wc.TABLE.ops
rule("scatter_reduce")(scatter)


@rule("index_reduce")
def index_reduce(call: Call) -> Any:
    """With an index of each sample it is a scatter."""
    x, source, dim = target(call), lift(call, "source"), indexed_dim(call)
    if not call.batched["index"]:
        return restore_shape(call, call.run(self=x, source=source, dim=dim))
    index, last = checked_index(call, x, source, dim), "_" if call.op.is_inplace else ""
    if call["reduce"] == "sum":
        raise op_errors(call)
    result = ops[f"scatter_reduce{last}"](x, dim, index, source, call["reduce"], include_self=call["include_self"])
    return restore_shape(call, result)
