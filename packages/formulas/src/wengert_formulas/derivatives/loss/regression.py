"""Derivatives of losses of numbers.

A loss with a reduction has the derivative of its elements' loss: ``of_elements`` in reverse, ``over_elements`` forward.
"""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE

elementwise, derivative = TABLE.elementwise, TABLE.derivative
MEAN, SUM = 1, 2


def of_elements(grad: Tensor, slope: Tensor, reduction: int, factor: int = 1) -> Tensor:
    """The gradient by what ``slope * factor`` is the slope of each element's loss by."""
    if reduction == MEAN:
        return slope * (grad * (factor / (slope.numel() or 1)))
    return slope * (grad if factor == 1 else grad * factor)


def over_elements(tangents: Tensor, reduction: int) -> Tensor:
    """The tangent of a loss from those of its elements."""
    return tangents.mean() if reduction == MEAN else tangents.sum() if reduction == SUM else tangents


# ---- mse_loss
derivative(
    "mse_loss",
    self=lambda grad, self, target, reduction: of_elements(grad, self - target, reduction, 2),
    target=lambda grad, self, target, reduction: of_elements(grad, target - self, reduction, 2),
    jvp={
        "self": lambda self_t, self, target, reduction: over_elements(self_t * (self - target) * 2, reduction),
        "target": lambda target_t, self, target, reduction: over_elements(target_t * (target - self) * 2, reduction),
    },
)


# ---- smooth_l1: slope gap / beta near 0, else the gap's sign
def smooth_l1_curvature(self: Tensor, target: Tensor, beta: Any) -> Tensor:
    """1 / beta near 0, else 0."""
    return ((self - target).abs() < beta).to(self.dtype) / beta


elementwise(
    "_smooth_l1",
    self=lambda self, target, beta: wc._smooth_l1_slope(self, target, beta),
    target=lambda self, target, beta: -wc._smooth_l1_slope(self, target, beta),
)
elementwise(
    "_smooth_l1_slope",
    self=smooth_l1_curvature,
    target=lambda self, target, beta: -smooth_l1_curvature(self, target, beta),
)
derivative(
    "smooth_l1_loss",
    self=lambda grad, self, target, reduction, beta: of_elements(
        grad, wc._smooth_l1_slope(self, target, beta), reduction
    ),
    target=lambda grad, self, target, reduction, beta: of_elements(
        grad, wc._smooth_l1_slope(self, target, beta), reduction, -1
    ),
    jvp={
        "self": lambda self_t, self, target, reduction, beta: over_elements(
            self_t * wc._smooth_l1_slope(self, target, beta), reduction
        ),
        "target": lambda target_t, self, target, reduction, beta: over_elements(
            -target_t * wc._smooth_l1_slope(self, target, beta), reduction
        ),
    },
)


# ---- huber: slope gap near 0, else beta with the gap's sign
def huber_curvature(self: Tensor, target: Tensor, beta: Any) -> Tensor:
    """1 near 0, else 0."""
    return ((self - target).abs() <= beta).to(self.dtype)


elementwise(
    "_huber",
    self=lambda self, target, beta: wc._huber_slope(self, target, beta),
    target=lambda self, target, beta: -wc._huber_slope(self, target, beta),
)
elementwise(
    "_huber_slope",
    self=huber_curvature,
    target=lambda self, target, beta: -huber_curvature(self, target, beta),
)
derivative(
    "huber_loss",
    self=lambda grad, self, target, reduction, delta: of_elements(
        grad, wc._huber_slope(self, target, delta), reduction
    ),
    target=lambda grad, self, target, reduction, delta: of_elements(
        grad, wc._huber_slope(self, target, delta), reduction, -1
    ),
    jvp={
        "self": lambda self_t, self, target, reduction, delta: over_elements(
            self_t * wc._huber_slope(self, target, delta), reduction
        ),
        "target": lambda target_t, self, target, reduction, delta: over_elements(
            -target_t * wc._huber_slope(self, target, delta), reduction
        ),
    },
)
