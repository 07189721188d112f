"""Samples of losses with margins between classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, fixed
from wengert_testing.samples.loss.regression import REDUCTIONS, reduce_losses
from wengert_testing.samples.shapes import of_nn

LABELS = np.array([2, 0, 1])
SEVERAL = np.array([[1, 2, -1], [0, -1, 2], [-1, 1, 1]])


# ---- losses
WAYS = ("none", "mean", "sum")


def multi_margin(x: Any, t: Any, p: Any = 1, margin: Any = 1.0, weight: Any = None, reduction: Any = "mean") -> Any:
    losses = [
        sum(np.maximum(0, margin - row[y] + row[j]) ** p for j in range(len(row)) if j != y)
        * (1 if weight is None else weight[y])
        / len(row)
        for row, y in zip(x, t, strict=True)
    ]
    return reduce_losses(np.array(losses), reduction)


def multilabel_margin(x: Any, t: Any, reduction: Any = "mean") -> Any:
    losses = []
    for row, given in zip(x, t, strict=True):
        labels = [int(k) for k in given[: list(given).index(-1)]] if -1 in given else [int(k) for k in given]
        others = [i for i in range(len(row)) if i not in labels]
        losses.append(sum(np.maximum(0, 1 - row[k] + row[i]) for k in labels for i in others) / len(row))
    return reduce_losses(np.array(losses), reduction)


CASES = [
    of_nn(
        "multi_margin_loss",
        multi_margin,
        [*((T(3, 4), LABELS, words) for words in REDUCTIONS), (T(3, 4), LABELS, 2, 0.7, fixed([0.5, 1, 2, 3]))],
    ),
    of_nn("multilabel_margin_loss", multilabel_margin, [(T(3, 3), SEVERAL, words) for words in REDUCTIONS]),
    OpCase(
        "_multi_margin_loss",
        lambda x, t, p=1, margin=1.0, weight=None, reduction=1: multi_margin(x, t, p, margin, weight, WAYS[reduction]),
        [(T(3, 4), LABELS, 1, 1.0, None, n) for n in (0, 1, 2)] + [(T(3, 4), LABELS, 2, 0.7, fixed([0.5, 1, 2, 3]))],
    ),
    OpCase(
        "_multilabel_margin_loss",
        lambda x, t, reduction=1: multilabel_margin(x, t, WAYS[reduction]),
        [(T(3, 3), SEVERAL, n) for n in (0, 1, 2)],
    ),
]
