"""The distributions of one variable, in the standard form, loc 0 and scale 1.

Formulas: SciPy's reference of each distribution; entropies and moments as in Johnson, Kotz and Balakrishnan,
Continuous Univariate Distributions.
"""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

import wengert as wg
from wengert import Tensor
from wengert.special import (
    betainc,
    betaincc,
    betaincinv,
    betaln,
    gammainccinv,
    gammaincinv,
    gammaln,
    log_ndtr,
    ndtr,
    ndtri,
    psi,
    stdtr,
    stdtrit,
    xlog1py,
    xlogy,
)
from wengert_core.extend import find_op

from wengert_numpy.autograd_scipy.stats.distributions import Continuous, Discrete

_stats = import_module("scipy.stats")

gammainc, gammaincc = find_op("_gammainc"), find_op("_gammaincc")
HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)
UNIT: dict[str, Any] = {"mean": lambda: 0.0, "var": lambda: 1.0}


def is_positive(*shapes: Tensor) -> Tensor:
    """Return whether all shapes are positive."""
    allowed = shapes[0] > 0
    for shape in shapes[1:]:
        allowed = allowed & (shape > 0)
    return allowed


norm = Continuous(
    _stats.norm, **UNIT, logpdf=lambda x: -(x**2) / 2 - HALF_LOG_2PI, cdf=ndtr, logcdf=log_ndtr,
    sf=lambda x: ndtr(-x), logsf=lambda x: log_ndtr(-x), ppf=ndtri, isf=lambda q: -ndtri(q),
    entropy=lambda: HALF_LOG_2PI + 0.5,
)  # fmt: skip


# ---- Student's t


def t_logpdf(x: Tensor, df: Tensor) -> Tensor:
    """Return the density's logarithm; that of the normal distribution for infinite degrees of freedom."""
    infinite = wg.isinf(df)
    df = wg.where(infinite, 1, df)
    norming = gammaln((df + 1) / 2) - gammaln(df / 2) - 0.5 * wg.log(df * math.pi)
    return wg.where(infinite, -(x**2) / 2 - HALF_LOG_2PI, norming - (df + 1) / 2 * wg.log1p(x**2 / df))


def t_entropy(df: Tensor) -> Tensor:
    """Return the entropy."""
    infinite = wg.isinf(df)
    df = wg.where(infinite, 1, df)
    half, next_half = df / 2, (df + 1) / 2
    value = next_half * (psi(next_half) - psi(half)) + 0.5 * wg.log(df) + betaln(half, 0.5 * wg.ones_like(half))
    return wg.where(infinite, HALF_LOG_2PI + 0.5, value)


def t_variance(df: Tensor) -> Tensor:
    """Return the variance: infinite for df <= 2, undefined for df <= 1."""
    finite = (df > 2) & ~wg.isinf(df)
    safe = wg.where(finite, df, 3)
    other = wg.where(wg.isinf(df), 1.0, wg.where(df > 1, math.inf, math.nan))
    return wg.where(finite, safe / (safe - 2), other.to(df.dtype))


t = Continuous(
    _stats.t, valid=is_positive, safe=(1.0,), logpdf=t_logpdf, cdf=lambda x, df: stdtr(df, x),
    sf=lambda x, df: stdtr(df, -x), ppf=lambda q, df: stdtrit(df, q), isf=lambda q, df: -stdtrit(df, q),
    mean=lambda df: wg.where(df > 1, 0.0, math.inf), var=t_variance, entropy=t_entropy,
)  # fmt: skip


# ---- beta, gamma, chi2


def beta_entropy(a: Tensor, b: Tensor) -> Tensor:
    """Return the entropy."""
    return betaln(a, b) - (a - 1) * psi(a) - (b - 1) * psi(b) + (a + b - 2) * psi(a + b)


beta = Continuous(
    _stats.beta, valid=is_positive, safe=(1.0, 1.0), low=0.0, high=1.0,
    logpdf=lambda x, a, b: xlog1py(b - 1, -x) + xlogy(a - 1, x) - betaln(a, b),
    cdf=lambda x, a, b: betainc(a, b, x), sf=lambda x, a, b: betaincc(a, b, x),
    ppf=lambda q, a, b: betaincinv(a, b, q), isf=lambda q, a, b: 1 - betaincinv(b, a, q),
    mean=lambda a, b: a / (a + b), var=lambda a, b: a * b / ((a + b) ** 2 * (a + b + 1)), entropy=beta_entropy,
)  # fmt: skip
gamma = Continuous(
    _stats.gamma, valid=is_positive, safe=(1.0,), low=0.0, logpdf=lambda x, a: xlogy(a - 1, x) - x - gammaln(a),
    cdf=lambda x, a: gammainc(a, x), sf=lambda x, a: gammaincc(a, x), ppf=lambda q, a: gammaincinv(a, q),
    isf=lambda q, a: gammainccinv(a, q), mean=lambda a: a, var=lambda a: a,
    entropy=lambda a: a + gammaln(a) + (1 - a) * psi(a),
)  # fmt: skip
chi2 = Continuous(
    _stats.chi2, valid=is_positive, safe=(1.0,), low=0.0,
    logpdf=lambda x, df: xlogy(df / 2 - 1, x) - x / 2 - gammaln(df / 2) - math.log(2) * df / 2,
    cdf=lambda x, df: gammainc(df / 2, x / 2), sf=lambda x, df: gammaincc(df / 2, x / 2),
    ppf=lambda q, df: 2 * gammaincinv(df / 2, q), isf=lambda q, df: 2 * gammainccinv(df / 2, q),
    mean=lambda df: df, var=lambda df: 2 * df,
    entropy=lambda df: df / 2 + math.log(2) + gammaln(df / 2) + (1 - df / 2) * psi(df / 2),
)  # fmt: skip


# ---- others, by elementary functions

expon = Continuous(
    _stats.expon, low=0.0, logpdf=lambda x: -x, cdf=lambda x: -wg.expm1(-x), sf=lambda x: wg.exp(-x),
    logsf=lambda x: -x, ppf=lambda q: -wg.log1p(-q), isf=lambda q: -wg.log(q), mean=lambda: 1.0, var=lambda: 1.0,
    entropy=lambda: 1.0,
)  # fmt: skip
uniform = Continuous(
    _stats.uniform, low=0.0, high=1.0, logpdf=wg.zeros_like, cdf=lambda x: x, ppf=lambda q: q, mean=lambda: 0.5,
    var=lambda: 1 / 12, entropy=lambda: 0.0,
)  # fmt: skip
logistic = Continuous(
    _stats.logistic, logpdf=lambda x: -wg.abs(x) - 2 * wg.log1p(wg.exp(-wg.abs(x))), cdf=wg.special.expit,
    sf=lambda x: wg.special.expit(-x), logcdf=wg.special.log_expit, logsf=lambda x: wg.special.log_expit(-x),
    ppf=wg.special.logit, isf=lambda q: -wg.special.logit(q), mean=lambda: 0.0, var=lambda: math.pi**2 / 3,
    entropy=lambda: 2.0,
)  # fmt: skip
laplace = Continuous(
    _stats.laplace, logpdf=lambda x: -wg.abs(x) - math.log(2),
    cdf=lambda x: wg.where(x > 0, 1 - 0.5 * wg.exp(-wg.abs(x)), 0.5 * wg.exp(-wg.abs(x))),
    sf=lambda x: wg.where(x > 0, 0.5 * wg.exp(-wg.abs(x)), 1 - 0.5 * wg.exp(-wg.abs(x))),
    ppf=lambda q: wg.where(q > 0.5, -wg.log(2 * (1 - q)), wg.log(2 * q)),
    isf=lambda q: wg.where(q > 0.5, wg.log(2 * (1 - q)), -wg.log(2 * q)), mean=lambda: 0.0, var=lambda: 2.0,
    entropy=lambda: math.log(2) + 1,
)  # fmt: skip
cauchy = Continuous(
    _stats.cauchy, logpdf=lambda x: -math.log(math.pi) - wg.log1p(x**2), cdf=lambda x: 0.5 + wg.atan(x) / math.pi,
    sf=lambda x: 0.5 - wg.atan(x) / math.pi, ppf=lambda q: wg.tan(math.pi * (q - 0.5)),
    isf=lambda q: wg.tan(math.pi * (0.5 - q)), mean=lambda: math.nan, var=lambda: math.nan,
    entropy=lambda: math.log(4 * math.pi),
)  # fmt: skip


# ---- integers

poisson = Discrete(
    _stats.poisson, valid=lambda mu: mu >= 0, safe=(1.0,), low=0.0,
    logpmf=lambda k, mu: xlogy(k, mu) - gammaln(k + 1) - mu,
    cdf=lambda k, mu: gammaincc(k + 1, mu), sf=lambda k, mu: gammainc(k + 1, mu), mean=lambda mu: mu,
    var=lambda mu: mu,
)  # fmt: skip
bernoulli = Discrete(
    _stats.bernoulli, valid=lambda p: (p >= 0) & (p <= 1), safe=(0.5,), low=0.0, high=1.0,
    logpmf=lambda k, p: xlogy(k, p) + xlog1py(1 - k, -p), cdf=lambda k, p: 1 - p, sf=lambda k, p: p + 0 * k,
    mean=lambda p: p, var=lambda p: p * (1 - p), entropy=lambda p: -xlogy(p, p) - xlog1py(1 - p, -p),
)  # fmt: skip

UNIVARIATE = (bernoulli, beta, cauchy, chi2, expon, gamma, laplace, logistic, norm, poisson, t, uniform)
"""The distributions that have derivatives."""
