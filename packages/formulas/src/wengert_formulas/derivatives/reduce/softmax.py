"""Derivatives of softmax and log_softmax: fused gradients, and the derivatives of those."""

from __future__ import annotations

from typing import Any

from wengert_core.dispatch.op import find
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE

derivative = TABLE.derivative
softmax_backward, log_softmax_backward = find("_softmax_backward_data"), find("_log_softmax_backward_data")


def total(x: Tensor, dim: int) -> Tensor:
    """The sum along a dim, which stays."""
    return x.sum(dim, True)


# ---- softmax: its Jacobian is symmetric, so that reverse and forward are one function
def softmax_tangent(self_t: Tensor, result: Tensor, dim: int) -> Any:
    """result * (t - sum(result * t))."""
    return softmax_backward(self_t.to(result.dtype), result, dim)


def by_output(grad: Tensor, grad_output: Tensor, output: Tensor, dim: int) -> Tensor:
    """The derivative of y * (g - sum(g * y)) by y."""
    return grad * (grad_output - total(grad_output * output, dim)) - grad_output * total(grad * output, dim)


def by_output_tangent(output_t: Tensor, grad_output: Tensor, output: Tensor, dim: int) -> Tensor:
    """Its tangent."""
    return output_t * (grad_output - total(grad_output * output, dim)) - output * total(grad_output * output_t, dim)


derivative("softmax", self=lambda grad, result, dim: softmax_backward(grad, result, dim), jvp=softmax_tangent)
derivative(
    "_softmax_backward_data",
    grad_output=lambda grad, output, dim: softmax_backward(grad, output, dim),
    output=by_output,
    jvp={
        "grad_output": lambda grad_output_t, output, dim: softmax_backward(grad_output_t, output, dim),
        "output": by_output_tangent,
    },
    node="SoftmaxBackwardDataBackward0",
)

# ---- log_softmax
derivative(
    "log_softmax",
    self=lambda grad, result, dim: log_softmax_backward(grad, result, dim),
    jvp=lambda self_t, result, dim: self_t.to(result.dtype) - total(result.exp() * self_t, dim),
)
derivative(
    "_log_softmax_backward_data",
    grad_output=lambda grad, output, dim: grad - total(grad * output.exp(), dim),
    output=lambda grad, grad_output, output, dim: -grad * output.exp() * total(grad_output, dim),
    jvp={
        "grad_output": lambda grad_output_t, output, dim: log_softmax_backward(grad_output_t, output, dim),
        "output": lambda output_t, grad_output, output, dim: -output_t * output.exp() * total(grad_output, dim),
    },
    node="LogSoftmaxBackwardDataBackward0",
)
