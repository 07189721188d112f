"""Batching rules of losses of numbers and binary cross entropies: those of all elements, reduced in each sample."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import aligned, unfolded

NONE, MEAN, SUM = 0, 1, 2


@rule(
    "mse_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss", "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
)
def loss(call: Call) -> Any:
    names = [name for name in ("self", "target", "weight", "pos_weight") if call.values.get(name) is not None]
    x, *others = aligned(call, *names)
    x = x.expand(call.size, *x.shape[1:])
    losses = call.run(**dict(zip(names, [x, *others], strict=True)), reduction=NONE)
    dims = list(range(1, losses.dim()))
    if call["reduction"] not in (MEAN, SUM) or not dims:
        return losses
    return losses.mean(dims) if call["reduction"] == MEAN else losses.sum(dims)


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


@rule("ctc_loss")
def alignments(call: Call) -> Any:
    """The batch goes into that of the op."""
    x, targets, size = call.expanded("log_probs"), call.expanded("targets"), call.size
    losses = call.run(
        log_probs=x.permute(1, 0, 2, 3).reshape(x.shape[1], size * x.shape[2], x.shape[3]),
        targets=targets.reshape(size * targets.shape[1], *targets.shape[2:]),
        input_lengths=[*call["input_lengths"]] * size,
        target_lengths=[*call["target_lengths"]] * size,
    )
    return unfolded(losses, size, x.shape[2])
