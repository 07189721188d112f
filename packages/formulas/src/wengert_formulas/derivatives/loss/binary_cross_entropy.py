"""Derivatives of binary cross entropies."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE
from wengert_formulas.derivatives.loss.regression import of_elements, over_elements

derivative, elementwise = TABLE.derivative, TABLE.elementwise
NEAR_ZERO = 1e-12


def bernoulli_variance(x: Tensor) -> Tensor:
    """x (1 - x), kept from zero."""
    return ((1 - x) * x).clamp_min(NEAR_ZERO)


def cross_entropy_curvature(self: Tensor, target: Tensor) -> Tensor:
    """d (x - t) / spread(x): (1 - slope (1 - 2 x)) / spread(x), where that is not kept from zero."""
    slope = wc._binary_cross_entropy_slope(self, target)
    inside = (1 - self) * self >= NEAR_ZERO
    return wc.where(inside, 1 - slope * (1 - 2 * self), 1) / bernoulli_variance(self)


elementwise(
    "_binary_cross_entropy",
    self=lambda self, target: wc._binary_cross_entropy_slope(self, target),
    target=lambda self: by_target(self),
)
elementwise(
    "_binary_cross_entropy_slope",
    self=cross_entropy_curvature,
    target=lambda self: -1 / bernoulli_variance(self),
)


# ---- of probabilities, reduced
def times(slope: Tensor, weight: Any) -> Tensor:
    """slope * weight, where there is one."""
    return slope if weight is None else slope * weight


def by_target(self: Tensor) -> Tensor:
    """log(1 - x) - log(x)."""
    return (-self).log1p() - self.log()


derivative(
    "binary_cross_entropy",
    self=lambda grad, self, target, weight, reduction: of_elements(
        grad, times(wc._binary_cross_entropy_slope(self, target), weight), reduction
    ),
    target=lambda grad, self, weight, reduction: of_elements(grad, times(by_target(self), weight), reduction),
    jvp={
        "self": lambda self_t, self, target, weight, reduction: over_elements(
            self_t * times(wc._binary_cross_entropy_slope(self, target), weight), reduction
        ),
        "target": lambda target_t, self, weight, reduction: over_elements(
            target_t * times(by_target(self), weight), reduction
        ),
        "weight": lambda weight_t, self, target, reduction: over_elements(
            weight_t * wc._binary_cross_entropy(self, target), reduction
        ),
    },
)


# ---- of logits, reduced
def logit_slope(self: Tensor, target: Tensor, weight: Any, pos_weight: Any) -> Tensor:
    """sigmoid(x) - t; with p for pos_weight: (p t + 1 - t) sigmoid(x) - p t."""
    if pos_weight is None:
        return times(self.sigmoid() - target, weight)
    positive = pos_weight * target
    return times((positive + 1 - target) * self.sigmoid() - positive, weight)


def logit_slope_of_target(self: Tensor, weight: Any, pos_weight: Any) -> Tensor:
    """-x; with p for pos_weight: log(1 - s) - p log(s), s = sigmoid(x)."""
    if pos_weight is None:
        return times(-self, weight)
    return times(wc.log_sigmoid(-self) - pos_weight * wc.log_sigmoid(self), weight)


def logit_loss(self: Tensor, target: Tensor, pos_weight: Any) -> Tensor:
    """The loss of each element, of which ``weight`` is a factor."""
    return wc._binary_cross_entropy_with_logits(self, target, None, pos_weight, 0)


derivative(
    "binary_cross_entropy_with_logits",
    self=lambda grad, self, target, weight, pos_weight, reduction: of_elements(
        grad, logit_slope(self, target, weight, pos_weight), reduction
    ),
    target=lambda grad, self, weight, pos_weight, reduction: of_elements(
        grad, logit_slope_of_target(self, weight, pos_weight), reduction
    ),
    jvp={
        "self": lambda self_t, self, target, weight, pos_weight, reduction: over_elements(
            self_t * logit_slope(self, target, weight, pos_weight), reduction
        ),
        "target": lambda target_t, self, weight, pos_weight, reduction: over_elements(
            target_t * logit_slope_of_target(self, weight, pos_weight), reduction
        ),
        "weight": lambda weight_t, self, target, pos_weight, reduction: over_elements(
            weight_t * logit_loss(self, target, pos_weight), reduction
        ),
        "pos_weight": lambda pos_weight_t, self, target, weight, reduction: over_elements(
            pos_weight_t * times(-target * wc.log_sigmoid(self), weight), reduction
        ),
    },
)
