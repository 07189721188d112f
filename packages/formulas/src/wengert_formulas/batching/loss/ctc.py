"""The batching rule of the CTC loss."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import unfold_batch


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
    return unfold_batch(losses, size, x.shape[2])
