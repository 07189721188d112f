"""Derivatives of losses of numbers."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.tensor import Tensor

from wengert_formulas.base import TABLE

elementwise = TABLE.elementwise


# ---- smooth_l1: slope gap / beta near 0, else the gap's sign
def smooth_l1_curvature(self: Tensor, target: Tensor, beta: Any) -> Tensor:
    """1 / beta near 0, else 0."""
    return ((self - target).abs() < beta).to(self.dtype) / beta


elementwise(
    "_smooth_l1",
    self=lambda self, target, beta: wc._smooth_l1_slope(self, target, beta),
    target=lambda self, target, beta: -wc._smooth_l1_slope(self, target, beta),
    node="SmoothL1LossBackward0",
)
elementwise(
    "_smooth_l1_slope",
    self=smooth_l1_curvature,
    target=lambda self, target, beta: -smooth_l1_curvature(self, target, beta),
)


# ---- huber: slope gap near 0, else beta with the gap's sign
def huber_curvature(self: Tensor, target: Tensor, beta: Any) -> Tensor:
    """1 near 0, else 0."""
    return ((self - target).abs() <= beta).to(self.dtype)


elementwise(
    "_huber",
    self=lambda self, target, beta: wc._huber_slope(self, target, beta),
    target=lambda self, target, beta: -wc._huber_slope(self, target, beta),
    node="HuberLossBackward0",
)
elementwise(
    "_huber_slope",
    self=huber_curvature,
    target=lambda self, target, beta: -huber_curvature(self, target, beta),
)
