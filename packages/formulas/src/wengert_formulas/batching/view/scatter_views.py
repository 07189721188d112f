"""Batching rules of writes to a copy's views."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, rule


@rule("select_scatter", "slice_scatter", "diagonal_scatter")
def part_written(call: Call) -> Any:
    """Along the next dims."""
    rank = call.rank("self")
    dims = {name: call.dim(call[name], rank) for name in ("dim", "dim1", "dim2") if name in call.values}
    return call.run(self=call.expanded("self"), src=call.expanded("src"), **dims)
