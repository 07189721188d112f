"""Batching rules of losses of numbers."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import align

NONE, MEAN, SUM = 0, 1, 2


@rule("mse_loss", "smooth_l1_loss", "huber_loss")
def loss(call: Call) -> Any:
    """The losses of all elements, reduced in each sample."""
    names = [name for name in ("self", "target", "weight", "pos_weight") if call.values.get(name) is not None]
    x, *others = align(call, *names)
    x = x.expand(call.size, *x.shape[1:])
    losses = call.run(**dict(zip(names, [x, *others], strict=True)), reduction=NONE)
    dims = list(range(1, losses.dim()))
    if call["reduction"] not in (MEAN, SUM) or not dims:
        return losses
    return losses.mean(dims) if call["reduction"] == MEAN else losses.sum(dims)
