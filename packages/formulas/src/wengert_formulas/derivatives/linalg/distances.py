"""Derivatives of distances between rows: norms of differences.

The gradients have rows of their own; what these do not have is written in ordinary ops, so that it differentiates
again.
"""

from __future__ import annotations

import math

import wengert_core as wc
from wengert_core.ops.linalg.distances import add_pairs, differences, slopes
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE

derivative = TABLE.derivative


def cross_slopes(x1: Tensor, x2: Tensor, p: float, distances: Tensor) -> Tensor:
    """d distance / d difference of each pair: [..., rows of x1, rows of x2, columns]."""
    return slopes(cross_differences(x1, x2), p, distances.unsqueeze(-1))


def cross_differences(x1: Tensor, x2: Tensor) -> Tensor:
    """The difference of each row of x1 and each of x2."""
    return x1.unsqueeze(-2) - x2.unsqueeze(-3)


derivative(
    "cdist",
    x1=lambda grad, x1, x2, p, result: wc._cdist_backward(grad, x1, x2, p, result),
    x2=lambda grad, x1, x2, p, result: wc._cdist_backward(grad.mT, x2, x1, p, result.mT),
    jvp={
        "x1": lambda x1_t, x1, x2, p, result: (cross_slopes(x1, x2, p, result) * x1_t.unsqueeze(-2)).sum(-1),
        "x2": lambda x2_t, x1, x2, p, result: -(cross_slopes(x1, x2, p, result) * x2_t.unsqueeze(-3)).sum(-1),
    },
)
derivative(
    "pdist",
    self=lambda grad, self, p, result: wc._pdist_backward(grad, self, p, result),
    jvp=lambda self_t, self, p, result: (
        slopes(differences(self), p, result.unsqueeze(-1)) * differences(self_t)
    ).sum(-1),
)


# ---- the gradients: linear in what comes from above
def curvatures(difference: Tensor, p: float, sizes: Tensor) -> tuple[Tensor, Tensor]:
    """The slope's derivatives by the difference and by the distance, each as if the other stood still; 0 at 0."""
    if p in (0, 1, math.inf):
        return wc.zeros_like(difference), wc.zeros_like(difference)
    inverse = wc.where(sizes == 0, 0, 1 / sizes)
    slope = slopes(difference, p, sizes)
    if p == 2:
        return inverse, -slope * inverse  # one for all of a pair's differences
    return wc.where(difference == 0, 0, (p - 1) * slope / difference), (1 - p) * slope * inverse


def of_pairs(grad: Tensor, x1: Tensor, x2: Tensor, p: float, distances: Tensor) -> tuple[Tensor, Tensor]:
    """What comes from above for each pair times the curvatures of cdist."""
    by_difference, by_size = curvatures(cross_differences(x1, x2), p, distances.unsqueeze(-1))
    return grad.unsqueeze(-1) * by_difference, grad.unsqueeze(-1) * by_size


derivative(
    "_cdist_backward",
    grad_output=lambda grad, x1, x2, p, distances: (
        grad.unsqueeze(-2) * cross_slopes(x1, x2, p, distances)
    ).sum(-1),
    x1=lambda grad, grad_output, x1, x2, p, distances: (
        grad.unsqueeze(-2) * of_pairs(grad_output, x1, x2, p, distances)[0]
    ).sum(-2),
    x2=lambda grad, grad_output, x1, x2, p, distances: -(
        grad.unsqueeze(-2) * of_pairs(grad_output, x1, x2, p, distances)[0]
    ).sum(-3),
    distances=lambda grad, grad_output, x1, x2, p, distances: (
        grad.unsqueeze(-2) * of_pairs(grad_output, x1, x2, p, distances)[1]
    ).sum(-1),
    jvp={
        "grad_output": lambda grad_output_t, x1, x2, p, distances: (
            wc._cdist_backward(grad_output_t, x1, x2, p, distances)
        ),
        "x1": lambda x1_t, grad_output, x1, x2, p, distances: (
            of_pairs(grad_output, x1, x2, p, distances)[0] * x1_t.unsqueeze(-2)
        ).sum(-2),
        "x2": lambda x2_t, grad_output, x1, x2, p, distances: -(
            of_pairs(grad_output, x1, x2, p, distances)[0] * x2_t.unsqueeze(-3)
        ).sum(-2),
        "distances": lambda distances_t, grad_output, x1, x2, p, distances: (
            of_pairs(grad_output, x1, x2, p, distances)[1] * distances_t.unsqueeze(-1)
        ).sum(-2),
    },
)


def of_own_pairs(grad: Tensor, self: Tensor, p: float, distances: Tensor) -> tuple[Tensor, Tensor]:
    """What comes from above for each pair times the curvatures of pdist."""
    by_difference, by_size = curvatures(differences(self), p, distances.unsqueeze(-1))
    return grad.unsqueeze(-1) * by_difference, grad.unsqueeze(-1) * by_size


def moved_pairs(self_t: Tensor, grad_output: Tensor, self: Tensor, p: float, distances: Tensor) -> Tensor:
    """The second derivative by self times a change of it: also its own transpose."""
    by_difference, _ = of_own_pairs(grad_output, self, p, distances)
    return add_pairs(by_difference * differences(self_t), self)


derivative(
    "_pdist_backward",
    grad_output=lambda grad, self, p, distances: (
        slopes(differences(self), p, distances.unsqueeze(-1)) * differences(grad)
    ).sum(-1),
    self=lambda grad, grad_output, self, p, distances: moved_pairs(grad, grad_output, self, p, distances),
    distances=lambda grad, grad_output, self, p, distances: (
        of_own_pairs(grad_output, self, p, distances)[1] * differences(grad)
    ).sum(-1),
    jvp={
        "grad_output": lambda grad_output_t, self, p, distances: (
            wc._pdist_backward(grad_output_t, self, p, distances)
        ),
        "self": moved_pairs,
        "distances": lambda distances_t, grad_output, self, p, distances: add_pairs(
            of_own_pairs(grad_output, self, p, distances)[1] * distances_t.unsqueeze(-1), self
        ),
    },
)
