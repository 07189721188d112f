"""Batching rules of losses of numbers and binary cross entropies: those of all elements, reduced in each sample."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.arranging import aligned
from wengert_formulas.batching.call import Call, rule

NONE, MEAN, SUM = 0, 1, 2


@rule(
    "mse_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss", "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
)
def loss(call: Call) -> Any:
    names = [name for name in ("self", "target", "weight", "pos_weight") if call.values.get(name) is not None]
    losses = call.run(**dict(zip(names, aligned(call, *names), strict=True)), reduction=NONE)
    dims = list(range(1, losses.dim()))
    if call["reduction"] not in (MEAN, SUM) or not dims:
        return losses
    return losses.mean(dims) if call["reduction"] == MEAN else losses.sum(dims)
