"""Derivatives of nll_loss: linear in its input, and in its gradient."""

from __future__ import annotations

import wengert_core as wc

from wengert_formulas.derivatives.base import TABLE

linear = TABLE.linear

linear(
    "nll_loss",
    self=lambda grad, self_shape, target, weight, reduction, ignore_index: wc.nll_loss_backward(
        grad, self_shape, target, weight, reduction, ignore_index
    ),
)
linear(
    "nll_loss_backward",
    grad_output=lambda grad, target, weight, reduction, ignore_index: wc.nll_loss(
        grad, target, weight, reduction, ignore_index
    ),
)
