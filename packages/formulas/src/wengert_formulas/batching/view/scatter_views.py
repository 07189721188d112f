"""Batching rules of writes to a copy's views."""

from __future__ import annotations

from typing import Any

import wengert_core as wc

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.derivatives.view.scatter_views import source_numbers


@rule("select_scatter", "slice_scatter", "diagonal_scatter")
def part_written(call: Call) -> Any:
    """Along the next dims."""
    rank = call.rank("self")
    dims = {name: call.dim(call[name], rank) for name in ("dim", "dim1", "dim2") if name in call.values}
    return call.run(self=call.expanded("self"), src=call.expanded("src"), **dims)


@rule("as_strided_scatter")
def part_of_any_geometry_written(call: Call) -> Any:
    """Choose by element: samples may lie in the gaps of others, where a write must not come."""
    value, src = call["self"], call["src"]
    batched, sample = call.batched["self"], call.batched["src"]
    geometry = tuple(value.shape[batched:]), value.stride()[batched:], value.storage_offset()
    numbers = source_numbers(value.device, geometry, src.shape[sample:], call["size"], call["stride"],
                             call["storage_offset"])
    flat = wc.cat([src.new_zeros(*src.shape[:sample], 1), src.reshape(*src.shape[:sample], -1)], -1).to(value.dtype)
    written = wc.index_select(flat, -1, numbers.reshape(-1)).reshape(*src.shape[:sample], *numbers.shape)
    return wc.where(numbers > 0, written, call.expanded("self"))
