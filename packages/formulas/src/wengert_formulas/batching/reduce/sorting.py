"""Batching rules of medians."""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import flat

ops = wc.TABLE.ops


@rule("_median", "_nanmedian")
def median(call: Call) -> Any:
    """Elements that equal the median share its gradient: they are what amax chooses among."""
    rows = flat(call, "self")
    value = ops[f"{call.name[1:]}.dim"](rows.detach(), 1)[0]
    if not rows.dtype.is_floating_point:
        return value
    wanted = value.unsqueeze(1)
    equal = (rows == wanted) | (rows.isnan() & wanted.isnan())
    return wc.where(equal, rows, -math.inf).amax(1)
