"""Integrals whose values are the derivatives of the incomplete gamma and beta functions by their parameters.

Note [Moments from the nearer end]
    The derivative of a gamma distribution's density by its shape a is the density times the score log(t) - psi(a),
    whose mean is 0. So the derivative of the distribution function by a is the integral of score * density from 0 to x,
    or minus that from x to infinity; the integral over the smaller tail has no cancellation. ``gamma_moment`` is that
    of score ** j * density, with that sign, from the end that is nearer to x. All derivatives are such integrals again:
    d moment(j) / da = moment(j + 1) - j * psi'(a) * moment(j - 1), on both sides. The beta distribution has two scores,
    for a and b, and its variable is the odds u = x / (1 - x), which are precise at both ends.

    A tail's integral is its probability, which SciPy has, times a mean over the tail, a quotient of two integrals by
    the same nodes. The nodes are those of the trapezoidal rule in y after t = scale * exp(y - exp(-y)), for which the
    integrands fall off doubly exponentially at both ends (Takahasi and Mori, 1974).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from wengert_special.table import scipy_special

NODES = 128
FIRST = -3.7
"""The first node: exp(-exp(3.7)) is below the rounding error."""
NEGLIGIBLE = 40.0
"""Integrands are cut where they are exp(-40) of their largest value."""
BLOCK = 4096
"""Elements that are computed at a time, each with all its nodes."""
SMALL = 1e-6
"""Up to this x the lower end is the nearer one for every shape: an integral from there over many decades is slow."""


def in_blocks(xp: Any, function: Callable[..., Any], *arrays: Any) -> Any:
    """The function of arrays of float64, of which it gets a limited number of elements at a time, in one dim."""
    wide = xp.broadcast_arrays(*(xp.asarray(array, dtype=xp.float64) for array in arrays))
    flat = [array.reshape(-1) for array in wide]
    starts = range(0, max(flat[0].shape[0], 1), BLOCK)
    parts = [function(*(array[start : start + BLOCK] for array in flat)) for start in starts]
    return xp.concatenate(parts).reshape(wide[0].shape)


def mean_over_tail(xp: Any, scale: Any, last: Any, density: Callable[..., Any], moment: Callable[..., Any]) -> Any:
    """The mean of ``moment`` over distances t from 0 to ``last`` with weights ``density``; arrays of one dim."""
    steps = xp.arange(NODES, dtype=xp.float64)[:, None] / (NODES - 1)
    end = xp.maximum(xp.log(last / scale), 1.0) + 0.1
    y = FIRST + steps * (end - FIRST)
    fall = xp.exp(-y)
    t = scale * xp.exp(y - fall)
    weights = density(t) * t * (1 + fall)
    return xp.sum(moment(t) * weights, axis=0) / xp.sum(weights, axis=0)


def width(xp: Any, rate: Any, curvature: Any) -> Any:
    """The distance at which exp(-rate * t - curvature * t ** 2 / 2) is exp(-1)."""
    rate = xp.maximum(rate, 0.0)
    return 2 / (rate + xp.sqrt(rate * rate + 2 * xp.maximum(curvature, 0.0)))


# ---- the gamma distribution


def gamma_moment(xp: Any, a: Any, x: Any, j: Any) -> Any:
    """The integral of (log(t) - psi(a)) ** j over the gamma distribution. See Note [Moments from the nearer end]."""
    return in_blocks(xp, lambda a, x: gamma_block(xp, a, x, int(j)), a, x)


def gamma_block(xp: Any, a: Any, x: Any, j: int) -> Any:
    """The moment for arrays of one dim."""
    special = scipy_special(xp)
    lower = (x <= a) | (x <= SMALL)
    tail = xp.where(lower, special.gammainc(a, x), -special.gammaincc(a, x))
    if j == 0:
        return tail
    inside = (x > 0) & (x < xp.inf)
    safe = xp.where(inside, x, 1.0)
    center = special.psi(a)
    below = below_mean(xp, a, xp.where(lower, safe, xp.minimum(a, 1.0)), center, j)
    above = above_mean(xp, a, xp.where(lower, xp.maximum(a, 1.0), safe), center, j)
    return xp.where(inside, tail * xp.where(lower, below, above), tail * 0)


def below_mean(xp: Any, a: Any, x: Any, center: Any, j: int) -> Any:
    """The mean of the score's power over 0 .. x, by the distance log(x / t)."""
    score = xp.log(x) - center
    return mean_over_tail(
        xp, width(xp, a - x, x), (NEGLIGIBLE + x) / a,
        lambda t: xp.exp(-a * t - x * xp.expm1(-t)), lambda t: (score - t) ** j,
    )


def above_mean(xp: Any, a: Any, x: Any, center: Any, j: int) -> Any:
    """The mean of the score's power over x .. infinity, by the distance t - x."""
    score = xp.log(x) - center
    last = NEGLIGIBLE + xp.sqrt(NEGLIGIBLE * (NEGLIGIBLE + 2 * x))
    return mean_over_tail(
        xp, width(xp, 1 - (a - 1) / x, (a - 1) / x**2), last,
        lambda t: xp.exp(-t + (a - 1) * xp.log1p(t / x)), lambda t: (score + xp.log1p(t / x)) ** j,
    )


# ---- the beta distribution


def beta_moment(xp: Any, a: Any, b: Any, u: Any, j: Any, k: Any) -> Any:
    """The integral of (log(t) - c) ** j * (log(1 - t) - d) ** k over the beta distribution, up to the odds u.

    c and d are the means of the two logarithms. See Note [Moments from the nearer end].
    """
    return in_blocks(xp, lambda a, b, u: beta_block(xp, a, b, u, int(j), int(k)), a, b, u)


def beta_block(xp: Any, a: Any, b: Any, u: Any, j: int, k: int) -> Any:
    """The moment for arrays of one dim: from the upper end by the distribution of 1 - t."""
    special = scipy_special(xp)
    lower = u * b <= a
    near, far = xp.where(lower, a, b), xp.where(lower, b, a)
    odds = xp.where(lower, u, 1 / u)
    tail = special.betainc(near, far, odds / (1 + odds)) * xp.where(lower, 1.0, -1.0)
    if j == k == 0:
        return tail
    odds = xp.where(odds > 0, odds, 1.0)
    total = special.psi(a + b)
    position, rest = -xp.log1p(1 / odds) - (special.psi(near) - total), -xp.log1p(odds) - (special.psi(far) - total)

    def moment(t: Any) -> Any:
        score, other = position - t, rest + xp.log1p(-odds * xp.expm1(-t))
        return xp.where(lower, score**j * other**k, score**k * other**j)

    mean = mean_over_tail(
        xp, width(xp, near - (far - 1) * odds, (far - 1) * odds * (1 + odds)),
        (NEGLIGIBLE + xp.maximum(far - 1, 0.0) * xp.log1p(odds)) / near,
        lambda t: xp.exp(-near * t + (far - 1) * xp.log1p(-odds * xp.expm1(-t))), moment,
    )
    return xp.where(tail == 0, 0.0, tail * mean)


# ---- Carlson's integrals


def carlson(xp: Any, x: Any, y: Any, z: Any, i: Any, j: Any, k: Any) -> Any:
    """The integral over t > 0 of (t + x) ** -(i + 1/2) * (t + y) ** -(j + 1/2) * (t + z) ** -(k + 1/2)."""
    powers = [int(one) + 0.5 for one in (i, j, k)]
    return in_blocks(xp, lambda *arguments: carlson_block(xp, arguments, powers), x, y, z)


def carlson_block(xp: Any, arguments: Any, powers: list[float]) -> Any:
    """The integral for arrays of one dim: the trapezoidal rule in y after t = scale * exp(y).

    The integrand falls off as exp(y) below the smallest argument that is not 0 (exp(y / 2), with the power 1/2, where
    one is 0), and as exp(-y / 2) or faster above the largest.
    """
    floor = xp.stack([xp.where(one > 0, one, xp.inf) for one in arguments]).min(axis=0)
    ceiling = xp.stack(list(arguments)).max(axis=0)
    first, last = xp.log(floor) - 2 * NEGLIGIBLE, xp.log(ceiling) + 2 * NEGLIGIBLE
    count = 8 * NODES
    steps = xp.arange(count, dtype=xp.float64)[:, None] / (count - 1)
    y = first + steps * (last - first)
    exponent = y
    for one, power in zip(arguments, powers, strict=True):
        exponent = exponent - power * xp.logaddexp(y, xp.log(one))
    total = xp.sum(xp.exp(exponent), axis=0) * (last - first) / (count - 1)
    for one, power in zip(arguments, powers, strict=True):
        total = xp.where((one == 0) & (power > 1), math.inf, total)
    return xp.where((xp.stack(list(arguments)) < 0).any(axis=0), math.nan, total)
