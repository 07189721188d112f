"""Derivatives of log_sigmoid: fused gradients, and the derivatives of those."""

from __future__ import annotations

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE

derivative, elementwise = TABLE.derivative, TABLE.elementwise

derivative(
    "log_sigmoid",
    self=lambda grad, self: wc.log_sigmoid_backward(grad, self),
    jvp=lambda self_t, self: wc.log_sigmoid_backward(self_t, self),
)


def log_sigmoid_curvature(grad_output: Tensor, self: Tensor) -> Tensor:
    """d log_sigmoid_backward / d self: -s (1 - s) with s = sigmoid(x)."""
    s = self.sigmoid()
    return grad_output * (s * (s - 1))


elementwise("log_sigmoid_backward", grad_output=lambda self: (-self).sigmoid(), self=log_sigmoid_curvature)
