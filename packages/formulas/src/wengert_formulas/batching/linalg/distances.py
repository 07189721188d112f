"""Batching rules of distances between rows."""

from __future__ import annotations

from typing import Any

import wengert_core as wc

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import align

ops = wc.TABLE.ops


@rule("cdist")
def cdist(call: Call) -> Any:
    first, second = align(call, "x1", "x2")
    return call.run(x1=first, x2=second)


@rule("pdist")
def pdist(call: Call) -> Any:
    """As cdist of one row and one row for each pair."""
    rows = call["self"]
    pairs = wc.triu_indices(rows.shape[1], rows.shape[1], 1, device=rows.device)
    first, second = (rows.index_select(1, which).unsqueeze(-2) for which in pairs)
    return ops["_cdist"](first, second, call["p"]).squeeze(-1).squeeze(-1)
