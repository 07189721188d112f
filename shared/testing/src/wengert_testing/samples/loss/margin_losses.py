"""Samples of losses with margins between tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import T, fixed
from wengert_testing.samples.nn.interpolation import REDUCTIONS, reduced
from wengert_testing.samples.shapes import of_nn

SIGNS = np.array([1, -1, -1])


def cosine_embedding(x: Any, y: Any, t: Any, margin: Any = 0.0, reduction: Any = "mean") -> Any:
    cosine = (x * y).sum(-1) / np.sqrt((x * x).sum(-1) * (y * y).sum(-1))
    return reduced(np.where(t == 1, 1 - cosine, np.maximum(cosine - margin, 0)), reduction)


def soft_margin(x: Any, t: Any, weight: Any = None, reduction: Any = "mean") -> Any:
    losses = t * np.log1p(np.exp(-x)) + (1 - t) * np.log1p(np.exp(x))
    return reduced((losses if weight is None else losses * weight).mean(-1), reduction)


def triplet(a: Any, p: Any, n: Any, margin: Any = 1.0, swap: Any = False, reduction: Any = "mean") -> Any:
    def distance(x: Any, y: Any) -> Any:
        return np.sqrt(((x - y + 1e-6) ** 2).sum(-1))

    far = np.minimum(distance(a, n), distance(p, n)) if swap else distance(a, n)
    return reduced(np.maximum(0, margin + distance(a, p) - far), reduction)


CASES = [
    # ---- losses
    of_nn("cosine_embedding_loss", cosine_embedding,
          [(T(3, 4), T(3, 4), SIGNS, words) for words in REDUCTIONS], kinks=(0,)),
    of_nn(
        "multilabel_soft_margin_loss",
        soft_margin,
        [*((T(3, 4), T(3, 4), words) for words in REDUCTIONS), (T(2, 3), T(2, 3), fixed([1, 2, 0.5]))],
    ),
    of_nn("triplet_margin_loss", triplet, [*((T(3, 2), T(3, 2), T(3, 2), words) for words in REDUCTIONS),
                                           (T(3, 2), T(3, 2), T(3, 2), {"swap": True})]),
    of_nn("triplet_margin_with_distance_loss", triplet,
          [(T(3, 2), T(3, 2), T(3, 2), words) for words in REDUCTIONS]),
]
