"""Derivatives of Riemann's zeta function, which SciPy has not, as power series in the distance from the argument.

A series is the list of its coefficients, arrays; products of series are cut at the degree that is wanted.
"""

from __future__ import annotations

import math
from typing import Any

from wengert_special.table import TABLE, WIDE, scipy_row, scipy_special

TERMS = 16
"""Terms of the sum before Euler and Maclaurin's formula."""
REFLECTED = -1.0
"""Below this argument the functional equation gives the values."""
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)
"""The Bernoulli numbers of the orders 2, 4, ..., 20."""

Series = list[Any]


def multiply(first: Series, second: Series) -> Series:
    """The product, to the same degree."""
    return [sum(first[i] * second[k - i] for i in range(k + 1)) for k in range(len(first))]


def power_series(xp: Any, base: float, s: Any, degree: int) -> Series:
    """base ** -(s + e)."""
    log = -math.log(base)
    return [xp.exp(log * s) * (log**k / math.factorial(k)) for k in range(degree + 1)]


def upper_series(xp: Any, s: Any, degree: int) -> Series:
    """zeta(s + e) for s >= -1: the first terms, and the rest by Euler and Maclaurin's formula."""
    total = [xp.zeros_like(s) for _ in range(degree + 1)]
    for n in range(1, TERMS):
        total = [a + b for a, b in zip(total, power_series(xp, n, s, degree), strict=True)]
    last = power_series(xp, TERMS, s, degree)
    pole = [(-1.0) ** k / (s - 1) ** (k + 1) for k in range(degree + 1)]
    rest = [TERMS * a + b / 2 for a, b in zip(multiply(last, pole), last, strict=True)]
    factor, tail = last, rest
    for j, number in enumerate(BERNOULLI, 1):
        for shift in (2 * j - 3, 2 * j - 2) if j > 1 else (0,):
            factor = multiply(factor, [s + shift, xp.ones_like(s), *[xp.zeros_like(s)] * degree][: degree + 1])
        scale = number / math.factorial(2 * j) / TERMS ** (2 * j - 1)
        tail = [a + scale * b for a, b in zip(tail, factor, strict=True)]
    return [a + b for a, b in zip(total, tail, strict=True)]


def lower_series(xp: Any, s: Any, degree: int) -> Series:
    """zeta(s + e) for s < -1, by Riemann's functional equation."""
    special = scipy_special(xp)
    mirror = 1 - s
    signs = [(-1.0) ** k for k in range(degree + 1)]
    other = [sign * a for sign, a in zip(signs, upper_series(xp, mirror, degree), strict=True)]
    scale = [xp.exp(math.log(2 * math.pi) * s) / math.pi * (math.log(2 * math.pi) ** k / math.factorial(k))
             for k in range(degree + 1)]
    turn = s - 4 * xp.round(s / 4)
    sine = [xp.sin(math.pi / 2 * (turn + k)) * ((math.pi / 2) ** k / math.factorial(k)) for k in range(degree + 1)]
    return multiply(multiply(scale, sine), multiply(gamma_series(xp, special, mirror, signs), other))


def gamma_series(xp: Any, special: Any, x: Any, signs: list[float]) -> Series:
    """gamma(x - e): the exponential of the series of its logarithm."""
    degree = len(signs) - 1
    log = [signs[k] * (special.psi(x) if k == 1 else polygamma(special, k - 1, x)) / math.factorial(k)
           for k in range(1, degree + 1)]
    series = [special.gamma(x)]
    for k in range(1, degree + 1):
        series.append(sum(i * log[i - 1] * series[k - i] for i in range(1, k + 1)) / k)
    return series


def polygamma(special: Any, n: int, x: Any) -> Any:
    """The n-th derivative of digamma for positive x."""
    return (-1.0) ** (n + 1) * math.factorial(n) * special.zeta(n + 1.0, x)


def zeta_slope(xp: Any, s: Any, n: Any) -> Any:
    """The n-th derivative of Riemann's zeta function."""
    degree, wide = int(n), s.astype(xp.float64)
    negative = wide < REFLECTED  # near 0 the functional equation has a pole times a zero
    upper = upper_series(xp, xp.where(negative, 2.0, wide), degree)[degree]
    lower = lower_series(xp, xp.where(negative, wide, 2 * REFLECTED), degree)[degree]
    return math.factorial(degree) * xp.where(negative, lower, upper)


scipy_row("zetac", "x", "Riemann's zeta function minus 1.")
scipy_row("riemann_zeta", "x", "Riemann's zeta function.", hidden=True,
          reference=lambda xp, x: scipy_special(xp).zeta(x))
TABLE.pointwise(
    2, "_zeta_slope(Tensor self, int n) -> Tensor", reference=zeta_slope, promotion="float", dtypes=WIDE,
    inplace=False, method=False, n_promote=1, doc="The n-th derivative of Riemann's zeta function.",
)
TABLE.hidden.add("_zeta_slope")
