"""Derivatives of losses with margins of classes and of labels."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.ops.loss.class_margins import pairs_of_labels
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE
from wengert_formulas.derivatives.loss.regression import MEAN, over_elements

derivative = TABLE.derivative


def of_rows(grad: Tensor, slope: Tensor, self: Tensor, reduction: int) -> Tensor:
    """The gradient from the slopes of each sample's loss."""
    if reduction == MEAN:
        grad = grad / slope.shape[0]
    return (slope * (grad.reshape(grad.numel(), 1))).reshape(self.shape)


def over_rows(tangent: Tensor, slope: Tensor, target_dims: int, reduction: int) -> Tensor:
    """The tangent of the loss."""
    each = (tangent.reshape(slope.shape) * slope).sum(1)
    return over_elements(each if target_dims else each.reshape(()), reduction)


def slope_of_classes(self: Tensor, target: Tensor, p: Any, margin: Any, weight: Any) -> Tensor:
    """Of each sample's loss by its row: [samples, classes]."""
    rows, labels = self if self.dim() > 1 else self.reshape(1, self.numel()), target.reshape(target.numel(), 1)
    lacks = margin - rows.gather(1, labels) + rows
    slope = (lacks > 0).to(self.dtype)
    if p == 2:
        slope = slope * lacks * 2
    slope = slope.scatter(1, labels, 0.0) / rows.shape[1]
    if weight is not None:
        slope = slope * weight.index_select(0, labels.reshape(-1)).unsqueeze(1)
    return slope.scatter(1, labels, -slope.sum(1, True))


def slope_of_labels(self: Tensor, target: Tensor) -> Tensor:
    """The same of multilabel_margin_loss."""
    rows, positions, terms = pairs_of_labels(self.detach(), target)
    lacking = (terms > 0).to(self.dtype) / rows.shape[1]
    return wc.scatter_add(lacking.sum(1), 1, positions, -lacking.sum(2))


derivative(
    "multi_margin_loss",
    self=lambda grad, self, target, p, margin, weight, reduction: of_rows(
        grad, slope_of_classes(self, target, p, margin, weight), self, reduction
    ),
    jvp={
        "self": lambda self_t, self, target, p, margin, weight, reduction: over_rows(
            self_t, slope_of_classes(self, target, p, margin, weight), target.ndim, reduction
        )
    },
)
derivative(
    "multilabel_margin_loss",
    self=lambda grad, self, target, reduction: of_rows(grad, slope_of_labels(self, target), self, reduction),
    jvp={
        "self": lambda self_t, self, target, reduction: over_rows(
            self_t, slope_of_labels(self, target), target.ndim - 1, reduction
        )
    },
)
