"""Derivatives of activation functions: by fused kernels for the first order, and the derivatives of those.

A fused kernel gives grad * conj(slope(x)): linear in the gradient; of ``x``, its saved input or result, it takes the
conjugate.
"""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE, inplace_overload

derivative, elementwise = TABLE.derivative, TABLE.elementwise

# ---- sigmoid, and the kernel of the gradient of tanh, from the result
derivative(
    "sigmoid",
    self=lambda grad, result: wc.sigmoid_backward(grad, result),
    jvp=lambda self_t, result: self_t * (result * (1 - result)),
)
derivative(
    "sigmoid_backward",
    grad_output=lambda grad, output: grad * (output * (1 - output)),
    output=lambda grad, grad_output, output: grad.conj() * grad_output * (1 - 2 * output).conj(),
    jvp={
        "grad_output": lambda grad_output_t, output: wc.sigmoid_backward(grad_output_t, output),
        "output": lambda output_t, grad_output, output: grad_output * ((1 - 2 * output) * output_t).conj(),
    },
)
derivative(
    "tanh_backward",
    grad_output=lambda grad, output: grad * (1 - output * output),
    output=lambda grad, grad_output, output: grad.conj() * grad_output * (-2 * output).conj(),
    jvp={
        "grad_output": lambda grad_output_t, output: wc.tanh_backward(grad_output_t, output),
        "output": lambda output_t, grad_output, output: grad_output * (-2 * output * output_t).conj(),
    },
)

# ---- relu and its relatives: pieces of lines, without a second derivative
derivative(
    "relu",
    self=lambda grad, result: wc.threshold_backward(grad, result, 0),
    jvp=lambda self_t, result: wc.threshold_backward(self_t, result, 0),
)
derivative(
    "threshold",
    self=lambda grad, self, threshold: wc.threshold_backward(grad, self, threshold),
    jvp=lambda self_t, self, threshold: wc.threshold_backward(self_t, self, threshold),
    node=inplace_overload("Threshold"),
)
derivative(
    "threshold_backward",
    self=None,
    grad_output=lambda grad, self, threshold: wc.threshold_backward(grad, self, threshold),
    jvp={"grad_output": lambda grad_output_t, self, threshold: wc.threshold_backward(grad_output_t, self, threshold)},
)
derivative(
    "leaky_relu",
    self=lambda grad, self, negative_slope: wc.leaky_relu_backward(grad, self, negative_slope),
    jvp=lambda self_t, self, negative_slope: wc.leaky_relu_backward(self_t, self, negative_slope),
    node=inplace_overload("LeakyRelu"),
)
derivative(
    "leaky_relu_backward",
    self=None,
    grad_output=lambda grad, self, negative_slope: wc.leaky_relu_backward(grad, self, negative_slope),
    jvp={
        "grad_output": lambda grad_output_t, self, negative_slope: wc.leaky_relu_backward(
            grad_output_t, self, negative_slope
        )
    },
)


# ---- softplus
def softplus_curvature(grad_output: Tensor, self: Tensor, beta: Any, threshold: Any) -> Tensor:
    """d softplus_backward / d self: beta s (1 - s) with s = sigmoid(beta x), 0 in the straight part."""
    s = (self * beta).sigmoid()
    return wc.where(self * beta > threshold, 0, grad_output * (s * (1 - s) * beta))


derivative(
    "softplus",
    self=lambda grad, self, beta, threshold: wc.softplus_backward(grad, self, beta, threshold),
    jvp=lambda self_t, self, beta, threshold: wc.softplus_backward(self_t, self, beta, threshold),
)
elementwise(
    "softplus_backward",
    self=softplus_curvature,
    grad_output=lambda self, beta, threshold: wc.where(self * beta > threshold, 1, (self * beta).sigmoid()),
)


# ---- silu
def silu_slope(self: Tensor) -> Tensor:
    """s (1 + x (1 - s)) with s = sigmoid(x)."""
    s = self.sigmoid()
    return s * (1 + self * (1 - s))


def silu_curvature(self: Tensor) -> Tensor:
    """The second derivative: s (1 - s) (2 + x (1 - 2 s))."""
    s = self.sigmoid()
    return s * (1 - s) * (2 + self * (1 - 2 * s))


derivative(
    "silu", self=lambda grad, self: wc.silu_backward(grad, self), jvp=lambda self_t, self: self_t * silu_slope(self)
)
derivative(
    "silu_backward",
    grad_output=lambda grad, self: grad * silu_slope(self),
    self=lambda grad, grad_output, self: grad.conj() * grad_output * silu_curvature(self).conj(),
    jvp={
        "grad_output": lambda grad_output_t, self: wc.silu_backward(grad_output_t, self),
        "self": lambda self_t, grad_output, self: grad_output * (silu_curvature(self) * self_t).conj(),
    },
)

# ---- gelu
SQRT_2_OVER_PI, CUBIC = math.sqrt(2 / math.pi), 0.044715


def gelu_curvature(grad_output: Tensor, self: Tensor, approximate: str) -> Tensor:
    """d gelu_backward / d self: density * (2 - x**2); for the approximation by tanh(u) its own second derivative."""
    square = self * self
    if approximate == "none":
        return grad_output * ((-0.5 * square).exp() * (2 - square) * (0.5 * SQRT_2_OVER_PI))
    t = (SQRT_2_OVER_PI * self * (1 + CUBIC * square)).tanh()
    first, second = SQRT_2_OVER_PI * (1 + 3 * CUBIC * square), 6 * SQRT_2_OVER_PI * CUBIC * self
    return grad_output * (0.5 * (1 - t * t) * (2 * first - 2 * self * t * first * first + self * second))


derivative(
    "gelu",
    self=lambda grad, self, approximate: wc.gelu_backward(grad, self, approximate=approximate),
    jvp=lambda self_t, self, approximate: wc.gelu_backward(self_t, self, approximate=approximate),
)
elementwise(
    "gelu_backward",
    self=gelu_curvature,
    grad_output=lambda self, approximate: wc.gelu_backward(wc.ones_like(self), self, approximate=approximate),
)
