"""Derivatives of the CTC loss."""

from __future__ import annotations

from typing import Any

from wengert_core.ops.loss.ctc import loss_slope
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE

derivative = TABLE.derivative


def ctc_tangent(
    log_probs_t: Tensor, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int,
    zero_infinity: bool, result0: Tensor,
) -> Tensor:
    """The slope along the tangent, for each of the batch."""
    slope = loss_slope(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity, result0)
    return (slope * log_probs_t).sum((0, 2))


derivative(
    "ctc_loss",
    log_probs=lambda grad, log_probs, targets, input_lengths, target_lengths, blank, zero_infinity, result0: (
        loss_slope(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity, result0)
        * grad.unsqueeze(1)
    ),
    jvp=ctc_tangent,
)
