"""Derivatives of samples by the shapes of their distributions.

Note [Implicit reparametrization]
    A sample x at the quantile u = F(x; a) moves with the shape a as dx/da = -(dF/da) / f, where f is the density:
    Figurnov, Mohamed, Mnih, "Implicit reparameterization gradients" (2018). Here dF/da is the integral of f times the
    score d log f / da over one of the tails. In the logarithm s of x (the logit of x, for the beta distribution) the
    logarithm h of the density is concave, so that the tail's integral relative to the density at x,

        integral over v > 0 of exp(h(s -+ v) - h(s)) score(s -+ v),

    is one of a bounded function that falls exponentially; nothing over- or underflows. It is computed by the double
    exponential formula v = scale * exp(t - exp(-t)), a trapezoidal rule in t: Takahasi, Mori (1974). The scale is where
    exp(h) has fallen to about 1 / e. With 96 nodes the relative error is below 1e-9, for shapes from 1e-3 to 1e6.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import wengert as wg
from wengert import Tensor

BLOCK = 4096
"""The number of samples integrated at once: their number times that of the nodes is what lies in memory."""


@cache
def double_exponential_rule(device: Any) -> tuple[Tensor, Tensor]:
    """Return nodes and weights for integrals from 0 to infinity of functions like exp(-v)."""
    t = wg.linspace(-3.6, 4.2, 96, dtype=wg.float64, device=device)
    nodes = (t - (-t).exp()).exp()
    return nodes, nodes * (1 + (-t).exp()) * (t[1] - t[0])


def falling_length(shape: Tensor, slope: Tensor, share: Tensor | float) -> Tensor:
    """Return where a tail has fallen to about 1 / e: the v where slope * v + curvature * v**2 / (2 + share * v) is 1.

    slope: -h' at the sample.   shape: that far from it.   share: how much of the way is left; share * (shape - slope)
    is the curvature.
    """
    linear = 2 * slope - share
    root = (linear * linear + 8 * shape * share).sqrt()
    return wg.where(linear > 0, 4 / (linear.abs() + root), (linear.abs() + root) / (2 * shape * share))


def gamma_slopes(shape: Tensor, x: Tensor) -> Tensor:
    """Return dx/dshape of samples of the gamma distribution with scale 1; float64, one dimension."""
    nodes, weights = double_exponential_rule(x.device)
    mean_log = shape.digamma()
    # Below 1 the upper tail is flat at first: the lower one does better for small shapes.
    upper = x > shape.clamp(min=1)
    sign = wg.where(upper, 1.0, -1.0).double()
    slope = (x - shape) * sign
    up = 2 / (slope + (slope * slope + 2 * x).sqrt())
    scale = wg.where(upper, up, falling_length(shape, slope, 1.0))
    steps = (sign * scale).unsqueeze(-1) * nodes
    tail = (shape.unsqueeze(-1) * steps - x.unsqueeze(-1) * steps.expm1()).exp()
    score = steps + (x.log() - mean_log).unsqueeze(-1)
    return x * sign * scale * (weights * tail * score).sum(-1)


def beta_slopes(shape: Tensor, other: Tensor, x: Tensor) -> Tensor:
    """Return dx/dshape / (1 - x) of samples x of Beta(shape, other); float64, one dimension."""
    nodes, weights = double_exponential_rule(x.device)
    total, y = shape + other, 1 - x
    few_below, few_above = total * x < 1, total * y < 1
    upper = wg.where(few_below & (x < y), False, few_above | (x * total > shape))
    rate, near, far = wg.where(upper, other, shape), wg.where(upper, y, x), wg.where(upper, x, y)
    scale = falling_length(rate, rate - total * near, far)
    steps = scale.unsqueeze(-1) * nodes
    change = (near.unsqueeze(-1) * (-steps).expm1()).log1p()
    tail = (-rate.unsqueeze(-1) * steps - total.unsqueeze(-1) * change).exp()
    log_x = x.log().unsqueeze(-1) - change - wg.where(upper.unsqueeze(-1), 0.0, steps)
    score = log_x - (shape.digamma() - total.digamma()).unsqueeze(-1)
    return x * scale * wg.where(upper, 1.0, -1.0) * (weights * tail * score).sum(-1)


def in_blocks(slopes: Callable[..., Tensor], *arguments: Tensor) -> Tensor:
    """Return slopes for tensors of one shape, computed in float64, a block of samples at a time."""
    first = arguments[-1]
    blocks = zip(*[argument.double().reshape(-1).split(BLOCK) for argument in arguments], strict=True)
    return wg.cat([slopes(*block) for block in blocks]).to(first.dtype).view(first.shape)
