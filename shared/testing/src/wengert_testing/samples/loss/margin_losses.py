"""Samples of losses with margins between tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, fixed
from wengert_testing.samples.loss.regression import REDUCTIONS, by_element, reduce_losses
from wengert_testing.samples.shapes import of_nn, recorded_rows

ROW_SIGNS = np.array([1, -1, -1])
SIGNS = fixed([[1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]])


def cosine_embedding(x: Any, y: Any, t: Any, margin: Any = 0.0, reduction: Any = "mean") -> Any:
    cosine = (x * y).sum(-1) / np.sqrt((x * x).sum(-1) * (y * y).sum(-1))
    return reduce_losses(np.where(t == 1, 1 - cosine, np.maximum(cosine - margin, 0)), reduction)


def soft_margin(x: Any, t: Any, weight: Any = None, reduction: Any = "mean") -> Any:
    losses = t * np.log1p(np.exp(-x)) + (1 - t) * np.log1p(np.exp(x))
    return reduce_losses((losses if weight is None else losses * weight).mean(-1), reduction)


def triplet(a: Any, p: Any, n: Any, margin: Any = 1.0, swap: Any = False, reduction: Any = "mean") -> Any:
    def distance(x: Any, y: Any) -> Any:
        return np.sqrt(((x - y + 1e-6) ** 2).sum(-1))

    far = np.minimum(distance(a, n), distance(p, n)) if swap else distance(a, n)
    return reduce_losses(np.maximum(0, margin + distance(a, p) - far), reduction)


CASES = [
    of_nn("cosine_embedding_loss", cosine_embedding,
          [(T(3, 4), T(3, 4), ROW_SIGNS, words) for words in REDUCTIONS], kinks=(0,)),
    of_nn(
        "multilabel_soft_margin_loss",
        soft_margin,
        [*((T(3, 4), T(3, 4), words) for words in REDUCTIONS), (T(2, 3), T(2, 3), fixed([1, 2, 0.5]))],
    ),
    of_nn("triplet_margin_loss", triplet, [*((T(3, 2), T(3, 2), T(3, 2), words) for words in REDUCTIONS),
                                           (T(3, 2), T(3, 2), T(3, 2), {"swap": True})]),
    of_nn("triplet_margin_with_distance_loss", triplet,
          [(T(3, 2), T(3, 2), T(3, 2), words) for words in REDUCTIONS]),
    of_nn(
        "hinge_embedding_loss",
        by_element(lambda x, t: np.where(t == 1, x, np.maximum(0, 1 - x))),
        [(T(2, 3), SIGNS)],
        kinks=(1,),
    ),
    OpCase(
        "_soft_margin_loss",
        lambda x, t, reduction: reduce_losses(np.log1p(np.exp(-t * x)), reduction),
        [(T(2, 3), SIGNS, n) for n in (0, 1, 2)],
    ),
    of_nn("soft_margin_loss", by_element(lambda x, t: np.log1p(np.exp(-t * x))), [(T(2, 3), SIGNS)]),
    of_nn("margin_ranking_loss", lambda x, y, t: np.mean(np.maximum(0, -t * (x - y))), [(T(2, 3), T(2, 3), SIGNS)]),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "nn.functional.cosine_embedding_loss": [(T(2, 3), T(2, 3), fixed([1, -1]), {"margin": 0.3})],
    "nn.functional.hinge_embedding_loss": [(T(3), fixed([1, -1, 1]), 5.0, {"reduction": "sum"})],
    "nn.functional.margin_ranking_loss": [(T(3), T(3), fixed([1, -1, 1]), 9.0, {"reduction": "none"})],
    "nn.functional.soft_margin_loss": [(T(3), fixed([1, -1, 1]), {"reduction": "sum"})],
    "nn.functional.triplet_margin_loss": [(T(2, 3), T(2, 3), T(2, 3), 9.0, 3.0, 1e-3)],
    "nn.functional.triplet_margin_with_distance_loss": [(T(2, 3), T(2, 3), T(2, 3), {"margin": 9.0, "swap": True})],
})
