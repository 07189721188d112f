"""Derivatives of glu and prelu; the kernel of the gradient of prelu is linear in it."""

from __future__ import annotations

import wengert_core as wc
from wengert_core.ops.pointwise.gated_activations import halves
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE

derivative = TABLE.derivative


# ---- glu
def glu_gradient(grad: Tensor, self: Tensor, dim: int) -> Tensor:
    """For both halves."""
    first, second = halves(self, dim)
    gate = second.sigmoid()
    return wc.cat((grad * gate, wc.sigmoid_backward(grad * first, gate)), dim)


def glu_tangent(self_t: Tensor, self: Tensor, dim: int) -> Tensor:
    """Of the product."""
    first, second = halves(self, dim)
    first_t, second_t = halves(self_t, dim)
    gate = second.sigmoid()
    return first_t * gate + wc.sigmoid_backward(first * second_t, gate)


derivative("glu", self=glu_gradient, jvp=glu_tangent)


# ---- prelu
def prelu_weight(grad: Tensor, self: Tensor) -> Tensor:
    """grad * self where that is not positive."""
    return wc.where(self > 0, 0, grad * self)


derivative(
    "_prelu_kernel",
    self=lambda grad, self, weight: wc._prelu_kernel_backward(grad, self, weight),
    weight=lambda grad, self: prelu_weight(grad, self),
    jvp={
        "self": lambda self_t, self, weight: wc._prelu_kernel_backward(self_t, self, weight),
        "weight": lambda weight_t, self: prelu_weight(weight_t, self),
    },
)
derivative(
    "_prelu_kernel_backward",
    self=None,
    grad_output=lambda grad, self, weight: wc._prelu_kernel_backward(grad, self, weight),
    weight=lambda grad, grad_output, self: wc.where(self > 0, 0, grad * grad_output),
    jvp={
        "grad_output": lambda grad_output_t, self, weight: wc._prelu_kernel_backward(grad_output_t, self, weight),
        "weight": lambda weight_t, grad_output, self: wc.where(self > 0, 0, grad_output * weight_t),
    },
)
