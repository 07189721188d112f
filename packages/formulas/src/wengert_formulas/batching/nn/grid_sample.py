"""Batching rules of grids: the batch becomes images."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import fold_batch, unfold_batch


@rule("_affine_grid_generator")
def grids(call: Call) -> Any:
    """Matrices, one sample's after the other's."""
    count = call["size"][0]
    places, base = call.run(theta=fold_batch(call["theta"]), size=(call.size * count, *call["size"][1:]))
    return unfold_batch(places, call.size, count), call.expand(base)
