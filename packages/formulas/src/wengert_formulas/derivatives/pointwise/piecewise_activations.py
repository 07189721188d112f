"""Derivatives of activation functions made of pieces and of mish: by fused kernels, and those of the kernels.

The kernels are linear in the gradient, so their derivative by it is themselves. Where the slope is constant between the
kinks, the derivative by the input is 0.
"""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE

derivative = TABLE.derivative


# ---- elu, selu, celu
def of_result(grad: Tensor, result: Tensor, alpha: Any, scale: Any, input_scale: Any) -> Tensor:
    """The gradient of elu in place, whose input is gone; with a negative alpha the result does not tell of it."""
    if alpha < 0:
        raise RuntimeError(
            "In-place elu backward calculation is triggered with a negative slope which is not supported. This is "
            "caused by calling in-place forward function with a negative slope, please call out-of-place version "
            "instead."
        )
    return wc.elu_backward(grad, result, alpha, scale, input_scale, True)


def elu_curvature(
    grad_output: Tensor, self_or_result: Tensor, alpha: Any, scale: Any, input_scale: Any, is_result: bool
) -> Tensor:
    """d elu_backward / d self_or_result: below 0, scale alpha rate**2 exp(rate x), or the rate."""
    below = self_or_result < 0
    if is_result:
        return wc.where(below, grad_output * input_scale, 0)
    e = (wc.where(below, self_or_result, 0) * input_scale).exp()
    return wc.where(below, grad_output * (e * (scale * alpha * input_scale * input_scale)), 0)


derivative(
    "elu",
    self=lambda grad, self, alpha, scale, input_scale: wc.elu_backward(grad, self, alpha, scale, input_scale),
    jvp=lambda self_t, self, alpha, scale, input_scale: wc.elu_backward(self_t, self, alpha, scale, input_scale),
)
derivative(
    "elu_",
    self=of_result,
    jvp=lambda self_t, result, alpha, scale, input_scale: of_result(self_t, result, alpha, scale, input_scale),
    node="EluBackward1",
)
derivative(
    "_celu",
    self=lambda grad, self, alpha: wc.elu_backward(grad, self, alpha, 1, 1 / alpha),
    jvp=lambda self_t, self, alpha: wc.elu_backward(self_t, self, alpha, 1, 1 / alpha),
)
derivative(
    "_celu_",
    self=lambda grad, result, alpha: of_result(grad, result, alpha, 1, 1 / alpha),
    jvp=lambda self_t, result, alpha: of_result(self_t, result, alpha, 1, 1 / alpha),
    node="CeluBackward1",
)
derivative(
    "elu_backward",
    grad_output=lambda grad, self_or_result, alpha, scale, input_scale, is_result: wc.elu_backward(
        grad, self_or_result, alpha, scale, input_scale, is_result
    ),
    self_or_result=lambda grad, grad_output, self_or_result, alpha, scale, input_scale, is_result: (
        grad * elu_curvature(grad_output, self_or_result, alpha, scale, input_scale, is_result)
    ),
    jvp={
        "grad_output": lambda grad_output_t, self_or_result, alpha, scale, input_scale, is_result: wc.elu_backward(
            grad_output_t, self_or_result, alpha, scale, input_scale, is_result
        ),
        "self_or_result": lambda self_or_result_t, grad_output, self_or_result, alpha, scale, input_scale, is_result: (
            self_or_result_t * elu_curvature(grad_output, self_or_result, alpha, scale, input_scale, is_result)
        ),
    },
)

# ---- pieces of lines
derivative(
    "hardtanh",
    self=lambda grad, self, min_val, max_val: wc.hardtanh_backward(grad, self, min_val, max_val),
    jvp=lambda self_t, self, min_val, max_val: wc.hardtanh_backward(self_t, self, min_val, max_val),
)
derivative(
    "hardtanh_backward",
    self=None,
    grad_output=lambda grad, self, min_val, max_val: wc.hardtanh_backward(grad, self, min_val, max_val),
    jvp={
        "grad_output": lambda grad_output_t, self, min_val, max_val: wc.hardtanh_backward(
            grad_output_t, self, min_val, max_val
        )
    },
)
derivative(
    "hardsigmoid",
    self=lambda grad, self: wc.hardsigmoid_backward(grad, self),
    jvp=lambda self_t, self: wc.hardsigmoid_backward(self_t, self),
)
derivative(
    "hardsigmoid_backward",
    self=None,
    grad_output=lambda grad, self: wc.hardsigmoid_backward(grad, self),
    jvp={"grad_output": lambda grad_output_t, self: wc.hardsigmoid_backward(grad_output_t, self)},
)
derivative(
    "softshrink",
    self=lambda grad, self, lambd: wc.softshrink_backward(grad, self, lambd),
    jvp=lambda self_t, self, lambd: wc.softshrink_backward(self_t, self, lambd),
)
derivative(
    "softshrink_backward",
    self=None,
    grad_output=lambda grad, self, lambd: wc.softshrink_backward(grad, self, lambd),
    jvp={"grad_output": lambda grad_output_t, self, lambd: wc.softshrink_backward(grad_output_t, self, lambd)},
)
derivative(
    "hardshrink",
    self=lambda grad, self, lambd: wc.hardshrink_backward(grad, self, lambd),
    jvp=lambda self_t, self, lambd: wc.hardshrink_backward(self_t, self, lambd),
)
derivative(
    "hardshrink_backward",
    self=None,
    grad_output=lambda grad, self, lambd: wc.hardshrink_backward(grad, self, lambd),
    jvp={"grad_output": lambda grad_output_t, self, lambd: wc.hardshrink_backward(grad_output_t, self, lambd)},
)


# ---- hardswish
def hardswish_curvature(grad_output: Tensor, self: Tensor) -> Tensor:
    """d hardswish_backward / d self: 1/3 between -3 and 3."""
    return wc.where((self > -3) & (self < 3), grad_output / 3, 0)


derivative(
    "hardswish",
    self=lambda grad, self: wc.hardswish_backward(grad, self),
    jvp=lambda self_t, self: wc.hardswish_backward(self_t, self),
)
derivative(
    "hardswish_backward",
    grad_output=lambda grad, self: wc.hardswish_backward(grad, self),
    self=lambda grad, grad_output, self: grad * hardswish_curvature(grad_output, self),
    jvp={
        "grad_output": lambda grad_output_t, self: wc.hardswish_backward(grad_output_t, self),
        "self": lambda self_t, grad_output, self: self_t * hardswish_curvature(grad_output, self),
    },
)


# ---- mish
def mish_curvature(grad_output: Tensor, self: Tensor) -> Tensor:
    """The second derivative: d (2 + x (1 - s - 2 s t)), with t = tanh(softplus(x)), its slope d = s (1 - t**2)."""
    s, t = self.sigmoid(), wc.softplus(self).tanh()
    slope = s * (1 - t * t)
    return grad_output * (slope * (2 + self * (1 - s - 2 * s * t)))


derivative(
    "mish",
    self=lambda grad, self: wc.mish_backward(grad, self),
    jvp=lambda self_t, self: wc.mish_backward(self_t, self),
)
derivative(
    "mish_backward",
    grad_output=lambda grad, self: wc.mish_backward(grad, self),
    self=lambda grad, grad_output, self: grad * mish_curvature(grad_output, self),
    jvp={
        "grad_output": lambda grad_output_t, self: wc.mish_backward(grad_output_t, self),
        "self": lambda self_t, grad_output, self: self_t * mish_curvature(grad_output, self),
    },
)
