"""Samples of losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, fixed
from wengert_testing.samples.shapes import of_nn, with_words

SIGNS = fixed([[1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]])
WEIGHT = fixed([0.2, 1.0, 3.0])
PAIR = [(T(2, 3), T(2, 3)), (T(), T())]
REDUCED = [*PAIR, *with_words(PAIR[:1], reduction="sum"), *with_words(PAIR[:1], reduction="none")]
INSIDE = (0.1, 0.9)
NUMBERED = [(*PAIR[0], 0), (*PAIR[0], 1), (*PAIR[0], 2), (*PAIR[1], 1)]


def reduced(loss: Any, reduction: Any = "mean") -> Any:
    if reduction in ("none", 0):
        return loss
    return np.mean(loss) if reduction in ("mean", 1) else np.sum(loss)


def by_element(function: Any) -> Any:
    """A loss of two tensors, reduced."""
    return lambda x, target, reduction="mean", **words: reduced(function(x, target, **words), reduction)


def smooth(d: Any, beta: Any = 1.0) -> Any:
    return np.where(np.abs(d) < beta, 0.5 * d * d / beta, np.abs(d) - 0.5 * beta)


def smooth_loss(x: Any, t: Any, reduction: Any, beta: Any) -> Any:
    return reduced(smooth(x - t, beta), reduction)


def with_beta(samples: Any, beta: float) -> Any:
    """Samples with one more argument."""
    return [(*sample, beta) for sample in samples]


def smooth_of(form: Any) -> Any:
    """A loss of (x, t, beta) from one of the gap."""
    return lambda x, t, beta: form(x - t, beta)


FAR = fixed([[9.0, -9.0], [5.0, 0.0]])
NEAR_AND_FAR = [(T(2, 3), T(3), 0.5), (T(4), T(4), 1.0), (T(2, 2), FAR, 2.0), (T(0), T(0), 1.0)]
CASES = [
    of_nn("mse_loss", by_element(lambda x, t: (x - t) ** 2), REDUCED),
    of_nn("l1_loss", by_element(lambda x, t: np.abs(x - t)), REDUCED),
    of_nn(
        "smooth_l1_loss",
        by_element(lambda x, t, beta=1.0: smooth(x - t, beta)),
        [*REDUCED, *with_words(PAIR[:1], beta=0.5)],
    ),
    of_nn(
        "huber_loss",
        by_element(lambda x, t, delta=1.0: delta * smooth(x - t, delta)),
        [*REDUCED, *with_words(PAIR[:1], delta=0.5)],
    ),
    OpCase("_mse_loss", by_element(lambda x, t: (x - t) ** 2), [*NUMBERED, (T(2, 3), T(3), 1), (T(0), T(0), 2)]),
    OpCase("_smooth_l1_loss", smooth_loss, [*with_beta(NUMBERED, 0.5), (T(2, 3), T(3), 1, 2.0)]),
    OpCase(
        "_huber_loss",
        lambda x, t, reduction, delta: delta * smooth_loss(x, t, reduction, delta),
        [*with_beta(NUMBERED, 0.5), (T(2, 3), T(3), 2, 2.0)],
    ),
    OpCase("_smooth_l1", smooth_of(smooth), NEAR_AND_FAR),
    OpCase("_smooth_l1_slope", lambda x, t, beta: np.clip((x - t) / beta, -1, 1), NEAR_AND_FAR),
    OpCase("_huber", smooth_of(lambda gap, beta: beta * smooth(gap, beta)), NEAR_AND_FAR),
    OpCase("_huber_slope", lambda x, t, beta: np.clip(x - t, -beta, beta), NEAR_AND_FAR),
    of_nn(
        "kl_div",
        by_element(lambda x, t: t * (np.log(t) - x)),
        REDUCED,
        domain=INSIDE,
        warns="reduction: 'mean' divides",
    ),
    of_nn("poisson_nll_loss", by_element(lambda x, t: np.exp(x) - t * x), REDUCED),
    of_nn(
        "gaussian_nll_loss",
        lambda x, t, var: np.mean(0.5 * (np.log(var) + (x - t) ** 2 / var)),
        [(T(2, 3), T(2, 3), T(2, 3, domain=(0.3, 2)))],
    ),
    of_nn(
        "hinge_embedding_loss",
        by_element(lambda x, t: np.where(t == 1, x, np.maximum(0, 1 - x))),
        [(T(2, 3), SIGNS)],
        kinks=(1,),
    ),
    OpCase(
        "_soft_margin_loss",
        lambda x, t, reduction: reduced(np.log1p(np.exp(-t * x)), reduction),
        [(T(2, 3), SIGNS, n) for n in (0, 1, 2)],
    ),
    of_nn("soft_margin_loss", by_element(lambda x, t: np.log1p(np.exp(-t * x))), [(T(2, 3), SIGNS)]),
    of_nn("margin_ranking_loss", lambda x, y, t: np.mean(np.maximum(0, -t * (x - y))), [(T(2, 3), T(2, 3), SIGNS)]),
]
