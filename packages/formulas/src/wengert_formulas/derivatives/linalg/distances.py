"""Derivatives of distances between rows: norms of differences."""

from __future__ import annotations

import math

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE
from wengert_formulas.derivatives.reduce.norms import norm_slope

derivative = TABLE.derivative


# ---- cdist and pdist: norms of differences of rows
def distance_slope(difference: Tensor, p: float, result: Tensor) -> Tensor:
    """d distance / d difference. Of equal largest elements each has the whole slope, as in torch."""
    if p == math.inf:
        return difference.sgn() * (difference.abs() == result.unsqueeze(-1))
    return norm_slope(difference, p, -1, False, result)


def cdist_slope(x1: Tensor, x2: Tensor, p: float, result: Tensor) -> Tensor:
    """Of each pair: [..., rows of x1, rows of x2, columns]."""
    return distance_slope(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, result)


derivative(
    "cdist",
    x1=lambda grad, x1, x2, p, result: (grad.unsqueeze(-1) * cdist_slope(x1, x2, p, result)).sum(-2),
    x2=lambda grad, x1, x2, p, result: -(grad.unsqueeze(-1) * cdist_slope(x1, x2, p, result)).sum(-3),
    jvp={
        "x1": lambda x1_t, x1, x2, p, result: (cdist_slope(x1, x2, p, result) * x1_t.unsqueeze(-2)).sum(-1),
        "x2": lambda x2_t, x1, x2, p, result: -(cdist_slope(x1, x2, p, result) * x2_t.unsqueeze(-3)).sum(-1),
    },
)


def pair_rows(x: Tensor) -> tuple[Tensor, Tensor]:
    """The numbers of the first and of the second row of each pair."""
    first, second = wc.triu_indices(x.shape[0], x.shape[0], 1, device=x.device)
    return first, second


def differences(x: Tensor) -> Tensor:
    """The difference of each pair of rows."""
    first, second = pair_rows(x)
    return x.index_select(0, first) - x.index_select(0, second)


def pdist_grad(grad: Tensor, self: Tensor, p: float, result: Tensor) -> Tensor:
    """Added to the first row of each pair, subtracted from the second."""
    first, second = pair_rows(self)
    part = grad.unsqueeze(-1) * distance_slope(differences(self), p, result)
    return wc.zeros_like(self).index_add(0, first, part).index_add(0, second, -part)


derivative(
    "pdist",
    self=pdist_grad,
    jvp=lambda self_t, self, p, result: (distance_slope(differences(self), p, result) * differences(self_t)).sum(-1),
)
