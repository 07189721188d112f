"""Samples of losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, fixed
from wengert_testing.samples.activations import sigmoid
from wengert_testing.samples.nn import of_nn, soft
from wengert_testing.samples.shapes import with_words

TARGET = np.array([2, 0, 1, 2])
SIGNS = fixed([[1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]])
WEIGHT = fixed([0.2, 1.0, 3.0])
IGNORED = np.array([2, -100, 1, 2])
PAIR = [(T(2, 3), T(2, 3)), (T(), T())]
REDUCED = [*PAIR, *with_words(PAIR[:1], reduction="sum"), *with_words(PAIR[:1], reduction="none")]
INSIDE = (0.1, 0.9)
NUMBERED = [(*PAIR[0], 0), (*PAIR[0], 1), (*PAIR[0], 2), (*PAIR[1], 1)]
WEIGHTED = [
    *[(x, t, None, n) for x, t, n in NUMBERED],
    *[(T(2, 3), T(2, 3), WEIGHT, n) for n in (0, 1, 2)],
    (T(2, 3), T(2, 3), fixed(2.0), 1),
]


def reduced(loss: Any, reduction: Any = "mean") -> Any:
    if reduction in ("none", 0):
        return loss
    return np.mean(loss) if reduction in ("mean", 1) else np.sum(loss)


def by_element(function: Any) -> Any:
    """A loss of two tensors, reduced."""
    return lambda x, target, reduction="mean", **words: reduced(function(x, target, **words), reduction)


def nll(x: Any, target: Any, weight: Any = None, reduction: Any = 1, ignore_index: Any = -100) -> Any:
    counts = target != ignore_index
    index = np.where(counts, target, 0)
    scale = np.where(counts, np.ones(x.shape[1 if x.ndim > 1 else 0])[index] if weight is None else weight[index], 0)
    picked = np.take_along_axis(x, np.expand_dims(index, 1), 1)[:, 0] if x.ndim > 1 else x[index]
    loss = -picked * scale
    return loss.sum() / scale.sum() if reduction in (1, "mean") else reduced(loss, reduction)


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
        return reduced(loss, reduction)
    hard = nll(logs, target, weight, reduction, ignore_index)
    return (
        (1 - label_smoothing) * hard - label_smoothing * reduced(logs.mean(1), reduction) if label_smoothing else hard
    )


def bernoulli(x: Any, target: Any) -> Any:
    return -(target * np.log(x) + (1 - target) * np.log(1 - x))


def smooth(d: Any, beta: Any = 1.0) -> Any:
    return np.where(np.abs(d) < beta, 0.5 * d * d / beta, np.abs(d) - 0.5 * beta)


def smooth_loss(x: Any, t: Any, reduction: Any, beta: Any) -> Any:
    return reduced(smooth(x - t, beta), reduction)


def weighted_entropy(x: Any, t: Any, weight: Any, reduction: Any) -> Any:
    loss = bernoulli(x, t)
    return reduced(loss if weight is None else loss * weight, reduction)


def with_beta(samples: Any, beta: float) -> Any:
    """Samples with one more argument."""
    return [(*sample, beta) for sample in samples]


NLL = [
    (T(4, 3), TARGET),
    (T(4, 3), TARGET, WEIGHT),
    (T(4, 3), IGNORED),
    (T(2, 3, 2), TARGET.reshape(2, 2)),
    (T(3), np.array(1)),
]

def smooth_of(form: Any) -> Any:
    """A loss of (x, t, beta) from one of the gap."""
    return lambda x, t, beta: form(x - t, beta)


FAR = fixed([[9.0, -9.0], [5.0, 0.0]])
NEAR_AND_FAR = [(T(2, 3), T(3), 0.5), (T(4), T(4), 1.0), (T(2, 2), FAR, 2.0), (T(0), T(0), 1.0)]
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
    OpCase("_binary_cross_entropy_loss", weighted_entropy, WEIGHTED, domain=INSIDE),
    OpCase(
        "_binary_cross_entropy_with_logits",
        lambda x, t, weight, pos_weight, reduction: reduced(
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
    OpCase("_smooth_l1", smooth_of(smooth), NEAR_AND_FAR),
    OpCase("_smooth_l1_slope", lambda x, t, beta: np.clip((x - t) / beta, -1, 1), NEAR_AND_FAR),
    OpCase("_huber", smooth_of(lambda gap, beta: beta * smooth(gap, beta)), NEAR_AND_FAR),
    OpCase("_huber_slope", lambda x, t, beta: np.clip(x - t, -beta, beta), NEAR_AND_FAR),
    OpCase("_binary_cross_entropy", bernoulli, PAIR, domain=INSIDE),
    OpCase("_binary_cross_entropy_slope", lambda x, t: (x - t) / (x * (1 - x)), PAIR, domain=INSIDE),
    of_nn("binary_cross_entropy", by_element(bernoulli), REDUCED, domain=INSIDE),
    of_nn("binary_cross_entropy_with_logits", by_element(lambda x, t: bernoulli(sigmoid(x), t)), REDUCED),
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
