"""The logarithm of the gamma function and its derivative, as formulas on arrays of any array namespace.

Both go up to large arguments by the recurrence, take the asymptotic series there, and reflect negative arguments.
Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 6.1.17, 6.1.40, 6.3.5, 6.3.7 and 6.3.18.
"""

from __future__ import annotations

import math
from typing import Any

STEPS = 10
"""How far the recurrence goes: from there on the series are exact to the last bits of float64."""
LOG_SERIES = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
PSI_SERIES = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12, -3617 / 8160)


def series(coefficients: tuple[float, ...], z: Any) -> Any:
    """Horner's rule, the lowest power first."""
    value = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        value = value * z + c
    return value


def from_nearest(xp: Any, x: Any) -> Any:
    """x less the nearest integer, which is exact; 0 of infinities."""
    finite = xp.where(xp.isinf(x), 0.0, x)
    return finite - xp.round(finite)


def lgamma_positive(xp: Any, x: Any) -> Any:
    """lgamma of float64 x > 0."""
    small = x < STEPS
    product, far = xp.where(small, x, 1.0), xp.where(small, x + STEPS, x)
    for k in range(1, STEPS):
        product = product * xp.where(small, x + k, 1.0)
    value = (far - 0.5) * xp.log(far) - far + 0.5 * math.log(2 * math.pi) + series(LOG_SERIES, far**-2.0) / far
    return xp.where(xp.isinf(x), x, value - xp.log(product))


def lgamma(xp: Any, x: Any) -> Any:
    """log|gamma(x)|, infinite at 0, the negative integers and both infinities."""
    wide = x.astype(xp.float64)
    negative = wide < 0.5
    inner = lgamma_positive(xp, xp.where(negative, 1 - wide, wide))
    part = from_nearest(xp, wide)
    reflected = math.log(math.pi) - xp.log(xp.abs(xp.sin(math.pi * part))) - inner
    return xp.where(part == 0, xp.where(wide <= 0, xp.inf, inner), xp.where(negative, reflected, inner)).astype(x.dtype)


def digamma(xp: Any, x: Any) -> Any:
    """The derivative of lgamma: -+ infinity at +-0, NaN at the negative integers and at -infinity."""
    wide = x.astype(xp.float64)
    negative = wide < 0
    y = xp.where(negative, 1 - wide, wide)
    small, shift = y < STEPS, xp.zeros_like(y)
    for k in range(STEPS):
        shift = shift - xp.where(small, 1 / xp.where(small, y + k, 1.0), 0.0)
    far = xp.where(small, y + STEPS, y)
    value = shift + xp.log(far) - 0.5 / far - series(PSI_SERIES, far**-2.0) * far**-2.0
    part = from_nearest(xp, wide)
    reflected = xp.where(part == 0, xp.nan, value - math.pi / xp.tan(math.pi * xp.where(part == 0, 0.5, part)))
    value = xp.where(negative, reflected, value)
    return xp.where(wide == 0, xp.copysign(xp.inf, -wide), value).astype(x.dtype)
