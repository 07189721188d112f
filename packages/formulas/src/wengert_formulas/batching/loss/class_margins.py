"""Batching rules of losses with margins between classes: samples' rows below each other."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.loss.regression import MEAN, NONE, SUM


@rule("multi_margin_loss", "multilabel_margin_loss")
def margins(call: Call) -> Any:
    """Samples' rows below each other; the losses of all, then the reduction of each sample."""
    rows, classes = call.rank("self"), call["self"].shape[-1] if call.rank("self") else 1
    x = call.expanded("self").reshape(-1 if call["self"].numel() else 0, classes)
    target = call.expanded("target")
    target = target.reshape(target.numel()) if call.name == "multi_margin_loss" else target.reshape(x.shape)
    changes = {"weight": None} if call.batched.get("weight") else {}
    losses = call.run(self=x, target=target, reduction=NONE, **changes)
    if changes:
        each = target.reshape(call.size, target.numel() // max(call.size, 1))
        losses = losses * call["weight"].gather(1, each).reshape(losses.shape)
    if rows < 2:
        return losses.reshape(call.size, *[1] * (call.name == "multi_margin_loss" and call.rank("target")))
    losses = losses.reshape(call.size, losses.numel() // max(call.size, 1))
    return losses if call["reduction"] not in (MEAN, SUM) else (
        losses.mean(1) if call["reduction"] == MEAN else losses.sum(1))
