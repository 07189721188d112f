"""Batching rules of embedding."""

from __future__ import annotations

from typing import Any

import wengert_core as wc

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import (
    fold_batch,
)


@rule("embedding")
def embedding(call: Call) -> Any:
    """Weights of samples below each other, with indices further down for each."""
    if not call.batched["weight"] and not call["scale_grad_by_freq"]:
        return call.run()
    weight, indices, padding = call.expanded("weight"), call.expanded("indices"), call["padding_idx"]
    rows = weight.shape[1]
    first = wc.arange(0, call.size * rows, rows, device=indices.device) if rows else indices.new_zeros(call.size)
    places = indices + first.reshape(call.size, *[1] * (indices.dim() - 1))
    found = call.run(weight=fold_batch(weight), indices=places, padding_idx=-1)
    return found if padding < 0 else wc.where((indices == padding).unsqueeze(-1), found.detach(), found)
