"""Samples of the losses of the top level, whose reduction is a number: 0 none, 1 mean, 2 sum."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, fixed
from wengert_testing.samples.index.embeddings import CLASSES
from wengert_testing.samples.loss.ctc import CTC, alignments
from wengert_testing.samples.loss.likelihood_losses import INSIDE
from wengert_testing.samples.loss.margin_losses import SIGNS, cosine_embedding, triplet
from wengert_testing.samples.loss.regression import reduce_losses
from wengert_testing.samples.pointwise.activations import sigmoid
from wengert_testing.samples.shapes import recorded_rows

NAMES = ("none", "mean", "sum")
MATRIX = T(2, 3)
ROWS = fixed([1, -1, 1])
THREE = (T(3, 2), T(3, 2), T(3, 2))


def by_number(function: Any) -> Any:
    """A loss with its reduction by name, called with the number."""
    return lambda *args, reduction=0, **words: function(*args, reduction=NAMES[reduction], **words)


def by_element(function: Any) -> Any:
    """The losses of single elements, reduced."""
    return lambda *args, reduction="mean", **words: reduce_losses(function(*args, **words), reduction)


def logistic(x: Any, t: Any, weight: Any = 1.0, pos_weight: Any = 1.0) -> Any:
    p = sigmoid(x)
    return -weight * (pos_weight * t * np.log(p) + (1 - t) * np.log(1 - p))


def poisson(x: Any, t: Any, log_input: Any, full: Any, eps: Any, reduction: Any) -> Any:
    loss = np.exp(x) - t * x if log_input else x - t * np.log(x + eps)
    return reduce_losses(loss, reduction)


def divergence(x: Any, t: Any, reduction: Any = 0, log_target: Any = False) -> Any:
    return reduce_losses(np.exp(t) * (t - x) if log_target else t * (np.log(t) - x), reduction)



CASES = [
    OpCase(
        "binary_cross_entropy_with_logits",
        by_number(by_element(logistic)),
        [
            (MATRIX, MATRIX),
            (T(), T(), {"reduction": 2}),
            (MATRIX, fixed([[0, 1, 0.5]] * 2), fixed([0.5, 1, 2]), fixed([0.5, 1, 3]), {"reduction": 1}),
        ],
    ),
    OpCase(
        "cosine_embedding_loss",
        by_number(cosine_embedding),
        [(T(3, 4), T(3, 4), ROWS), (T(3, 4), T(3, 4), ROWS, 0.2, {"reduction": 1})],
        kinks=(0,),
    ),
    OpCase(
        "ctc_loss",
        by_number(alignments),
        [(T(3, 3, 3, domain=(-2, -0.2)), *CTC, {"reduction": n}) for n in (0, 2)],
        grad=False,
        note="its derivative is that of probabilities which sum up to 1: packages/formulas/tests/test_ctc.py",
    ),
    OpCase(
        "hinge_embedding_loss",
        by_number(by_element(lambda x, t, margin=1.0: np.where(t == 1, x, np.maximum(0, margin - x)))),
        [(MATRIX, SIGNS), (MATRIX, SIGNS, {"margin": 5.0, "reduction": 2})],
        kinks=(1,),
    ),
    OpCase(
        "kl_div",
        divergence,
        [(MATRIX, MATRIX), (MATRIX, MATRIX, 2), (T(), T(), {"log_target": True})],
        domain=INSIDE,
    ),
    OpCase(
        "margin_ranking_loss",
        by_number(by_element(lambda x, y, t, margin=0.0: np.maximum(0, margin - t * (x - y)))),
        [(MATRIX, MATRIX, SIGNS), (MATRIX, MATRIX, SIGNS, {"margin": 9.0, "reduction": 1})],
    ),
    OpCase("poisson_nll_loss", poisson, [(MATRIX, MATRIX, True, False, 1e-8, n) for n in (0, 1, 2)]),
    OpCase(
        "triplet_margin_loss",
        by_number(triplet),
        [(*THREE,), (*THREE, {"swap": True, "reduction": 2})],
    ),
    OpCase(
        "embedding",
        lambda weight, index: weight[index],
        [(T(3, 2), CLASSES), (T(4, 2), CLASSES[0]), (T(4, 2), np.array(1))],
    ),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "ctc_loss": [(T(5, 2, 4), np.array([[0, 2], [1, 0]]), np.array([5, 1]), np.array([2, 2]), 3, 2, True)],
    "embedding": [(T(3, 2), np.array([1, 0, 2]), 1, False, False)],
    "triplet_margin_loss": [(T(2, 3), T(2, 3), T(2, 3), 9.0, 3.0, 1e-3)],
}, grad=False)
