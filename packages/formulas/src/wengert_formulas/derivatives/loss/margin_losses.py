"""The derivative of soft_margin_loss."""

from __future__ import annotations

from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE
from wengert_formulas.derivatives.loss.regression import of_elements, over_elements


def margin_slope(self: Tensor, target: Tensor) -> Tensor:
    """-t sigmoid(-t x); the target is a constant."""
    return -target * (-target * self).sigmoid()


TABLE.derivative(
    "soft_margin_loss",
    self=lambda grad, self, target, reduction: of_elements(grad, margin_slope(self, target), reduction),
    jvp={
        "self": lambda self_t, self, target, reduction: over_elements(self_t * margin_slope(self, target), reduction)
    },
)
