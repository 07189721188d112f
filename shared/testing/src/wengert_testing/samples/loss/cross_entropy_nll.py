"""Samples of cross entropies and of nll_loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.loss.likelihood_losses import INSIDE
from wengert_testing.samples.loss.regression import WEIGHT, reduce_losses
from wengert_testing.samples.reduce.softmax import soft
from wengert_testing.samples.shapes import of_nn, recorded_rows, with_words

TARGET = np.array([2, 0, 1, 2])


IGNORED = np.array([2, -100, 1, 2])


def nll(x: Any, target: Any, weight: Any = None, reduction: Any = 1, ignore_index: Any = -100) -> Any:
    counts = target != ignore_index
    index = np.where(counts, target, 0)
    scale = np.where(counts, np.ones(x.shape[1 if x.ndim > 1 else 0])[index] if weight is None else weight[index], 0)
    picked = np.take_along_axis(x, np.expand_dims(index, 1), 1)[:, 0] if x.ndim > 1 else x[index]
    loss = -picked * scale
    return loss.sum() / scale.sum() if reduction in (1, "mean") else reduce_losses(loss, reduction)


def nll_gradient(grad: Any, shape: Any, target: Any, weight: Any, reduction: Any, ignore_index: Any) -> Any:
    counts = target != ignore_index
    scale = np.where(counts, 1.0 if weight is None else weight[np.where(counts, target, 0)], 0.0)
    out = np.zeros(shape, grad.dtype)
    each = grad if reduction == 0 else grad / (scale.sum() if reduction == 1 else 1)
    out[np.arange(shape[0]), np.where(counts, target, 0)] = -scale * each
    return out


def entropy(
    x: Any,
    target: Any,
    weight: Any = None,
    reduction: Any = "mean",
    ignore_index: Any = -100,
    label_smoothing: Any = 0.0,
) -> Any:
    logs = np.log(soft(x, 1))
    if target.dtype.kind == "f":
        loss = -(logs * (target * (1 - label_smoothing) + label_smoothing / x.shape[1])).sum(1)
        return reduce_losses(loss, reduction)
    hard = nll(logs, target, weight, reduction, ignore_index)
    return (
        (1 - label_smoothing) * hard - label_smoothing * reduce_losses(logs.mean(1), reduction)
        if label_smoothing
        else hard
    )


NLL = [
    (T(4, 3), TARGET),
    (T(4, 3), TARGET, WEIGHT),
    (T(4, 3), IGNORED),
    (T(2, 3, 2), TARGET.reshape(2, 2)),
    (T(3), np.array(1)),
]

CLASSES = np.array([1, 0, 2])

CASES = [
    OpCase("nll_loss", nll, [*NLL, (T(4, 3), TARGET, None, 0), (T(4, 3), IGNORED, WEIGHT, 2)]),
    OpCase(
        "nll_loss_backward",
        nll_gradient,
        [(T(), (4, 3), TARGET, None, 1, -100), (T(4), (4, 3), IGNORED, WEIGHT, 0, -100)],
    ),
    of_nn("nll_loss", nll, [*NLL, *with_words(NLL[:1], reduction="none")]),
    of_nn(
        "cross_entropy",
        entropy,
        [
            *NLL[:3],
            *with_words(NLL[:1], reduction="sum"),
            (T(4, 3), T(4, 3, domain=INSIDE)),
            *with_words(NLL[:1], label_smoothing=0.1),
            (T(4, 3), T(4, 3, domain=INSIDE), {"label_smoothing": 0.2}),
        ],
    ),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "nn.functional.cross_entropy": [(T(3, 3), CLASSES, {"ignore_index": 1})],
    "nn.functional.nll_loss": [(T(3, 3), CLASSES, {"ignore_index": 1})],
    "nll_loss": [(T(3, 3), CLASSES, {"ignore_index": 1})],
})
