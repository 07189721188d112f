"""Derivatives of the gamma and beta functions, binomial coefficients and rising factorials, also at poles of gamma."""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_special.derivatives import TABLE
from wengert_special.derivatives.operands import special, tensors

elementwise = TABLE.elementwise


def is_pole(x: Tensor) -> Tensor:
    """Whether gamma has a pole."""
    return (x <= 0) & (x == x.floor())


def rgamma_slope(x: Tensor) -> Tensor:
    """The derivative of 1 / gamma, below 1/2 by its reflection sin(pi x) gamma(1 - x) / pi, which has no poles."""
    below = x < 0.5
    mirror, above = 1 - wc.where(below, x, 0), wc.where(below, 1, x)
    angle = math.pi * (x - 2 * (x / 2).round())
    reflected = special("gamma", mirror) * (angle.cos() - angle.sin() * mirror.digamma() / math.pi)
    return wc.where(below, reflected, -above.digamma() * special("rgamma", above))


elementwise("special_gamma", lambda self, result: result * self.digamma())
elementwise("special_rgamma", lambda self: rgamma_slope(self))
elementwise("special_loggamma", lambda self: self.digamma())
TABLE.zero("special_gammasgn")


def difference(first: Any, second: Any) -> Any:
    """digamma(first) - digamma(first + second)."""
    first, second = tensors(first, second)
    return first.digamma() - (first + second).digamma()


elementwise("special_beta", a=lambda a, b, result: result * difference(a, b),
            b=lambda a, b, result: result * difference(b, a))
elementwise("special_betaln", a=lambda a, b: difference(a, b), b=lambda a, b: difference(b, a))


# ---- binomial coefficients: gamma(n + 1) / (gamma(k + 1) gamma(n - k + 1))
def binom_slopes(n: Any, k: Any, result: Tensor) -> tuple[Tensor, Tensor]:
    """The derivatives by n and k: by digamma, or by those of 1 / gamma where it is 0."""
    n, k = tensors(n, k)
    poles = is_pole(k + 1) | is_pole(n - k + 1)
    kept_n, kept_k = wc.where(poles, 2, n), wc.where(poles, 1, k)
    rest = (kept_n - kept_k + 1).digamma()
    regular = result * ((kept_n + 1).digamma() - rest), result * (rest - (kept_k + 1).digamma())
    top, low, other = (wc.where(poles, one, 1) for one in (n + 1, k + 1, n - k + 1))
    factorial, first, second = special("gamma", top), special("rgamma", low), special("rgamma", other)
    by_n = factorial * first * (top.digamma() * second + rgamma_slope(other))
    by_k = factorial * (rgamma_slope(low) * second - first * rgamma_slope(other))
    return wc.where(poles, by_n, regular[0]), wc.where(poles, by_k, regular[1])


elementwise("special_binom", n=lambda n, k, result: binom_slopes(n, k, result)[0],
            k=lambda n, k, result: binom_slopes(n, k, result)[1])


# ---- rising factorials: gamma(z + m) / gamma(z)
def poch_z(z: Any, m: Any, result: Tensor) -> Any:
    """The derivative by z; where both gamma functions have poles, by the reflection (-1) ** m poch(1 - z - m, m)."""
    z, m = tensors(z, m)
    bottom, top = is_pole(z), is_pole(z + m)
    low, high = wc.where(bottom, 1 - z, z), wc.where(top, 1 - z - m, z + m)
    alone = bottom & ~top  # the value is 0 there
    regular = result * (high.digamma() - low.digamma())
    at, above = wc.where(alone, z, 1), wc.where(alone, z + m, 1)
    slope = special("gamma", above) * (above.digamma() * special("rgamma", at) + rgamma_slope(at))
    return wc.where(alone, slope, regular)


def poch_m(z: Any, m: Any, result: Tensor) -> Any:
    """The derivative by m."""
    z, m = tensors(z, m)
    return result * (z + m).digamma()


elementwise("special_poch", z=poch_z, m=poch_m)
