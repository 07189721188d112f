"""Derivatives of normalization by mean and variance, of batches, groups and layers alike.

On a layout (outer, images, groups, channels, size) means M go over outer, channels and size. With y the normalized
input and s its scale, the input's gradient is s P(g w) where P(u) = u - M(u) - y M(u y), which is its own transpose;
with given statistics P(u) = u.
"""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE

OVER, WEIGHT_OVER = (0, 3, 4), (0, 1, 4)


class Normal:
    """An input on its layout: what it is normalized to and by, as functions of it."""

    def __init__(
        self, x: Tensor, weight: Tensor | None, mean: Tensor, var: Tensor, given: bool, layout: Any, eps: float
    ) -> None:
        self.shape, self.layout, self.given = x.shape, layout, given
        each = (1, *layout[1:3], 1, 1)
        x = x.reshape(layout)
        if given:
            centered, var = x - mean.reshape(each), var.reshape(each)
        else:
            centered = x - self.mean(x)
            var = self.mean(centered * centered)
        self.scale = (var + eps).rsqrt()
        self.y = centered * self.scale
        self.weight: Any = 1 if weight is None else weight.reshape(*layout[2:4], 1)

    def mean(self, u: Tensor) -> Tensor:
        """M(u)."""
        return u.mean(OVER, keepdim=True)

    def project(self, u: Tensor) -> Tensor:
        """P(u)."""
        return u if self.given else u - self.mean(u) - self.y * self.mean(u * self.y)

    def lay(self, u: Tensor) -> Tensor:
        """On the layout."""
        return u.reshape(self.layout)

    def expand_weight(self, w: Tensor) -> Tensor:
        """A vector of weights, for all elements."""
        return w.reshape(*self.layout[2:4], 1)

    def sum_to_weight(self, u: Tensor) -> Tensor:
        """The sum for each weight, as one dim."""
        return u.sum(WEIGHT_OVER).reshape(-1)


def projected_tangent(
    input_t: Tensor,
    input: Tensor,
    weight: Tensor | None,
    mean: Any,
    save_mean: Tensor,
    save_var: Tensor,
    layout: Any,
    eps: float,
) -> Any:
    """s w P(t)."""
    n = Normal(input, weight, save_mean, save_var, mean is not None, layout, eps)
    return (n.scale * n.weight * n.project(n.lay(input_t))).reshape(n.shape)


def weight_tangent(
    weight_t: Tensor, input: Tensor, mean: Any, save_mean: Tensor, save_var: Tensor, layout: Any, eps: float
) -> Any:
    """y t."""
    n = Normal(input, None, save_mean, save_var, mean is not None, layout, eps)
    return (n.y * n.expand_weight(weight_t)).reshape(n.shape)


def bias_tangent(bias_t: Tensor, input: Tensor, layout: Any) -> Any:
    """t, for all elements."""
    return bias_t.reshape(*layout[2:4], 1).expand(layout).reshape(input.shape)


def backward(
    grad: Tensor,
    input: Tensor,
    weight: Any,
    bias: Any,
    mean: Any,
    save_mean: Tensor,
    save_var: Tensor,
    layout: Any,
    eps: float,
) -> Any:
    """The gradients of input, weight and bias."""
    by_input, by_weight, by_bias = wc.normalization_backward(
        grad, input, weight, save_mean, save_var, mean is not None, layout, eps
    )
    return (
        by_input,
        None if weight is None else by_weight.reshape(weight.shape),
        None if bias is None else by_bias.reshape(bias.shape).to(bias.dtype),
    )


for kind in ("Batch", "Group", "Layer"):
    TABLE.derivative(
        f"_{kind.lower()}_norm",
        joint=backward,
        joint_inputs=("input", "weight", "bias"),
        jvp={"input": projected_tangent, "weight": weight_tangent, "bias": bias_tangent},
        outputs=("result",),
        node=f"Native{kind}NormBackward0",
    )


def backward_of_backward(
    grads: Any,
    grad_output: Tensor,
    input: Tensor,
    weight: Any,
    mean: Tensor,
    var: Tensor,
    given: bool,
    layout: Any,
    eps: float,
) -> Any:
    """From cotangents a, b, c of the gradients of input, weight, bias: those of grad_output, input and weight."""
    n = Normal(input, weight, mean, var, given, layout, eps)
    g = n.lay(grad_output)
    a, b, c = grads
    by_grad: Any = 0
    h: Any = 0
    by_weight: Any = None
    extra: Any = 0
    if a is not None:
        a, u = n.lay(a), g * n.weight
        back = n.scale * n.project(a)
        by_grad = back * n.weight
        by_weight = None if weight is None else n.sum_to_weight(back * g)
        if not given:
            h = -n.scale * (a * n.mean(u * n.y) + u * n.mean(a * n.y))
            extra = n.y * n.mean(a * n.scale * n.project(u))
    if b is not None:
        by_grad, h = by_grad + n.expand_weight(b) * n.y, h + n.expand_weight(b) * g
    if c is not None:
        by_grad = by_grad + n.expand_weight(c).expand(layout)
    by_input = None if isinstance(h, int) else (n.scale * (n.project(h) - extra)).reshape(input.shape)
    return (
        None if isinstance(by_grad, int) else by_grad.reshape(grad_output.shape),
        by_input,
        None if by_weight is None else by_weight.reshape(weight.shape),
    )


def backward_tangents(
    grad_output_t: Tensor,
    input_t: Tensor,
    weight_t: Any,
    grad_output: Tensor,
    input: Tensor,
    weight: Any,
    mean: Tensor,
    var: Tensor,
    given: bool,
    layout: Any,
    eps: float,
) -> Any:
    """The tangents of the three gradients."""
    n = Normal(input, weight, mean, var, given, layout, eps)
    g, g_t, t = n.lay(grad_output), n.lay(grad_output_t), n.lay(input_t)
    u, y_t = g * n.weight, n.scale * n.project(t)
    u_t = g_t * n.weight if weight is None else g_t * n.weight + g * n.expand_weight(weight_t)
    first = n.scale * n.project(u_t)
    if not given:
        first = first - n.scale * (y_t * n.mean(u * n.y) + n.y * n.mean(u * y_t))
        first = first - n.scale.square() * n.mean(n.y * t) * n.project(u)
    return first.reshape(input.shape), n.sum_to_weight(g_t * n.y + g * y_t), n.sum_to_weight(g_t)


TABLE.derivative(
    "normalization_backward",
    joint=backward_of_backward,
    joint_inputs=("grad_output", "input", "weight"),
    jvp=backward_tangents,
)
