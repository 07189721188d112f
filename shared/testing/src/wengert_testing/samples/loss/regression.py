"""Samples of losses of regression."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, fixed
from wengert_testing.samples.shapes import of_nn, recorded_rows, with_words

WEIGHT = fixed([0.2, 1.0, 3.0])
REDUCTIONS: list[dict[str, Any]] = [{"reduction": name} for name in ("mean", "none", "sum")]
PAIR = [(T(2, 3), T(2, 3)), (T(), T())]
REDUCED = [*PAIR, *with_words(PAIR[:1], reduction="sum"), *with_words(PAIR[:1], reduction="none")]

NUMBERED = [(*PAIR[0], 0), (*PAIR[0], 1), (*PAIR[0], 2), (*PAIR[1], 1)]


def reduce_losses(loss: Any, reduction: Any = "mean") -> Any:
    if reduction in ("none", 0):
        return loss
    return np.mean(loss) if reduction in ("mean", 1) else np.sum(loss)


def by_element(function: Any) -> Any:
    """A loss of two tensors, reduced."""
    return lambda x, target, reduction="mean", **words: reduce_losses(function(x, target, **words), reduction)


def smooth(d: Any, beta: Any = 1.0) -> Any:
    return np.where(np.abs(d) < beta, 0.5 * d * d / beta, np.abs(d) - 0.5 * beta)


def smooth_loss(x: Any, t: Any, reduction: Any, beta: Any) -> Any:
    return reduce_losses(smooth(x - t, beta), reduction)


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
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    f"nn.functional.{name}_loss": [(T(2, 3), T(2, 3), {"weight": fixed([[0.5, 1, 2]] * 2)})]
    for name in ("huber", "l1", "mse")
})
