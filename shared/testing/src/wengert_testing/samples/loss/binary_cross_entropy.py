"""Samples of binary cross entropies."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, fixed
from wengert_testing.samples.loss.likelihood_losses import INSIDE
from wengert_testing.samples.loss.regression import NUMBERED, PAIR, REDUCED, WEIGHT, by_element, reduce_losses
from wengert_testing.samples.pointwise.activations import sigmoid
from wengert_testing.samples.shapes import of_nn, recorded_rows

WEIGHTED = [
    *[(x, t, None, n) for x, t, n in NUMBERED],
    *[(T(2, 3), T(2, 3), WEIGHT, n) for n in (0, 1, 2)],
    (T(2, 3), T(2, 3), fixed(2.0), 1),
]


def bernoulli(x: Any, target: Any) -> Any:
    return -(target * np.log(x) + (1 - target) * np.log(1 - x))


def weighted_entropy(x: Any, t: Any, weight: Any, reduction: Any) -> Any:
    loss = bernoulli(x, t)
    return reduce_losses(loss if weight is None else loss * weight, reduction)


CASES = [
    OpCase("_binary_cross_entropy_loss", weighted_entropy, WEIGHTED, domain=INSIDE),
    OpCase(
        "_binary_cross_entropy_with_logits",
        lambda x, t, weight, pos_weight, reduction: reduce_losses(
            (1 if weight is None else weight)
            * -((1 if pos_weight is None else pos_weight) * t * np.log(sigmoid(x)) + (1 - t) * np.log(sigmoid(-x))),
            reduction,
        ),
        [
            *[(x, t, None, None, n) for x, t, n in NUMBERED],
            *[(T(2, 3), T(2, 3), WEIGHT, None, n) for n in (0, 1)],
            *[(T(2, 3), T(2, 3), None, WEIGHT, n) for n in (0, 1, 2)],
            (T(2, 3), T(2, 3), fixed(2.0), WEIGHT, 1),
        ],
    ),
    OpCase("_binary_cross_entropy", bernoulli, PAIR, domain=INSIDE),
    OpCase("_binary_cross_entropy_slope", lambda x, t: (x - t) / (x * (1 - x)), PAIR, domain=INSIDE),
    of_nn("binary_cross_entropy", by_element(bernoulli), REDUCED, domain=INSIDE),
    of_nn("binary_cross_entropy_with_logits", by_element(lambda x, t: bernoulli(sigmoid(x), t)), REDUCED),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "nn.functional.binary_cross_entropy_with_logits": [
        (T(2, 3), fixed([[0, 1, 0.5]] * 2), fixed([0.5, 1, 2]), {"pos_weight": fixed([0.5, 1, 3])})
    ],
})
CASES += recorded_rows({
    "nn.functional.binary_cross_entropy": [(T(2, 3), fixed([[0, 1, 0.5]] * 2), fixed([0.5, 1, 2]))],
}, domain=(0.1, 0.9))
