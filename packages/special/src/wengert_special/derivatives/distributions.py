"""Derivatives of distribution functions: densities, integrals for shapes, and their quotients for quantiles."""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_special.derivatives import TABLE
from wengert_special.derivatives.incomplete import beta_density, beta_moment, gamma_density, gamma_shape, odds_density
from wengert_special.derivatives.operands import missing, missing_each, special, tensors

elementwise = TABLE.elementwise


# ---- binomial and Poisson: functions of floor(k), so the derivative by k is 0
def binomial_slope(k: Any, n: Any, p: Any) -> Tensor:
    """The derivative of the binomial distribution function by p."""
    k, n, p = tensors(k, n, p)
    k = k.floor()
    log = wc.xlogy(k, p) + special("xlog1py", n - k - 1, -p) - special("betaln", n - k, k + 1)
    return -wc.where((k < 0) | (k >= n), 0, log.exp())


def negative_binomial_slope(k: Any, n: Any, p: Any) -> Tensor:
    """The derivative of the negative binomial distribution function by p."""
    k, n, p = tensors(k, n, p)
    return beta_density(n.floor(), k.floor() + 1, p)


elementwise("special_bdtr", k=None, n=missing("bdtr: n"), p=binomial_slope)
elementwise("special_bdtrc", k=None, n=missing("bdtrc: n"), p=lambda k, n, p: -binomial_slope(k, n, p))
elementwise("special_bdtri", **missing_each("bdtri", "k", "n"), y=lambda k, n, result: 1 / binomial_slope(k, n, result))
elementwise("special_nbdtr", **missing_each("nbdtr", "k", "n"), p=negative_binomial_slope)
elementwise("special_nbdtrc", **missing_each("nbdtrc", "k", "n"), p=lambda k, n, p: -negative_binomial_slope(k, n, p))
elementwise("special_nbdtri", **missing_each("nbdtri", "k", "n"),
            y=lambda k, n, result: 1 / negative_binomial_slope(k, n, result))


def poisson_mass(k: Any, m: Any) -> Any:
    """The probability of floor(k) events where m are expected."""
    k, m = tensors(k, m)
    return gamma_density(k.floor() + 1, m)


elementwise("special_pdtr", k=None, m=lambda k, m: -poisson_mass(k, m))
elementwise("special_pdtrc", k=None, m=poisson_mass)
elementwise("special_pdtri", k=missing("pdtri: k"), y=lambda k, result: -1 / poisson_mass(k, result))


# ---- gamma of rate a and shape b, chi-square
def rate_density(a: Any, b: Any, x: Any) -> Any:
    """The density of the gamma distribution of shape b at a * x."""
    return gamma_density(b, product(a, x))


def rate_shape(a: Any, b: Any, x: Any) -> Tensor:
    """The derivative of the gamma distribution function at a * x by the shape b."""
    return gamma_shape(b, product(a, x))


def product(a: Any, x: Any) -> Any:
    """a * x, where each may be a number."""
    return a * x


elementwise("special_gdtr", a=lambda a, b, x: x * rate_density(a, b, x), b=rate_shape,
            x=lambda a, b, x: a * rate_density(a, b, x))
elementwise("special_gdtrc", a=lambda a, b, x: -x * rate_density(a, b, x), b=lambda a, b, x: -rate_shape(a, b, x),
            x=lambda a, b, x: -a * rate_density(a, b, x))
elementwise("special_gdtria", p=lambda b, x, result: 1 / (x * rate_density(result, b, x)),
            b=lambda b, x, result: -rate_shape(result, b, x) / (x * rate_density(result, b, x)),
            x=lambda x, result: -result / x)
elementwise("special_gdtrib", a=lambda a, x, result: -x * rate_density(a, result, x) / rate_shape(a, result, x),
            p=lambda a, x, result: 1 / rate_shape(a, result, x),
            x=lambda a, x, result: -a * rate_density(a, result, x) / rate_shape(a, result, x))
elementwise("special_gdtrix", a=lambda a, result: -result / a,
            b=lambda a, b, result: -rate_shape(a, b, result) / (a * rate_density(a, b, result)),
            p=lambda a, b, result: 1 / (a * rate_density(a, b, result)))


def chi_square_density(v: Any, x: Any) -> Any:
    """The density of the chi-square distribution; 0 below 0."""
    v, x = tensors(v, x)
    return wc.where(x < 0, 0, gamma_density(v / 2, wc.where(x < 0, 1, x) / 2) / 2)


def chi_square_freedom(v: Any, x: Any) -> Tensor:
    """The derivative of the chi-square distribution function by the degrees of freedom."""
    v, x = tensors(v, x)
    return gamma_shape(v / 2, x.clamp(min=0) / 2) / 2


elementwise("special_chdtr", v=chi_square_freedom, x=chi_square_density)
elementwise("special_chdtrc", v=lambda v, x: -chi_square_freedom(v, x), x=lambda v, x: -chi_square_density(v, x))
elementwise("special_chdtri", v=lambda v, result: -chi_square_freedom(v, result) / chi_square_density(v, result),
            p=lambda v, result: -1 / chi_square_density(v, result))


# ---- F
def f_slopes(dfn: Any, dfd: Any, x: Any) -> tuple[Tensor, Tensor, Tensor]:
    """The derivatives of the F distribution function by each argument, by the odds u = dfn * x / dfd."""
    dfn, dfd, x = tensors(dfn, dfd, x)
    a, b, u = dfn / 2, dfd / 2, dfn * x / dfd
    slope = odds_density(a, b, u)
    by_dfn = beta_moment(a, b, u, 1, 0) / 2 + slope * x / dfd
    by_dfd = beta_moment(a, b, u, 0, 1) / 2 - slope * u / dfd
    return by_dfn, by_dfd, slope * dfn / dfd


elementwise("special_fdtr", dfn=lambda dfn, dfd, x: f_slopes(dfn, dfd, x)[0],
            dfd=lambda dfn, dfd, x: f_slopes(dfn, dfd, x)[1], x=lambda dfn, dfd, x: f_slopes(dfn, dfd, x)[2])
elementwise("special_fdtrc", dfn=lambda dfn, dfd, x: -f_slopes(dfn, dfd, x)[0],
            dfd=lambda dfn, dfd, x: -f_slopes(dfn, dfd, x)[1], x=lambda dfn, dfd, x: -f_slopes(dfn, dfd, x)[2])


def f_quantile(dfn: Any, dfd: Any, x: Tensor, place: int) -> Tensor:
    """The derivative of the quantile x by an argument."""
    slopes = f_slopes(dfn, dfd, x)
    return 1 / slopes[2] if place == 2 else -slopes[place] / slopes[2]


elementwise("special_fdtri", dfn=lambda dfn, dfd, result: f_quantile(dfn, dfd, result, 0),
            dfd=lambda dfn, dfd, result: f_quantile(dfn, dfd, result, 1),
            p=lambda dfn, dfd, result: f_quantile(dfn, dfd, result, 2))


# ---- Student's t
def student_density(df: Any, t: Any) -> Any:
    """The density of Student's t distribution."""
    df, t = tensors(df, t)
    half = df / 2
    return (-(half + 0.5) * (t * t / df).log1p() - special("betaln", 0.5, half)).exp() / df.sqrt()


def student_freedom(df: Any, t: Any) -> Any:
    """The derivative by df of Student's distribution function, 1/2 + sign(t) / 2 * that of F(1, df) at t ** 2."""
    df, t = tensors(df, t)
    edge = (t == 0) | t.isinf()  # where the density of t ** 2 is infinite, or times 0
    t = wc.where(edge, 1, t)
    u = t * t / df
    by_df = beta_moment(0.5, df / 2, u, 0, 1) / 2 - odds_density(0.5, df / 2, u) * u / df
    return wc.where(edge, 0, t.sign() * by_df / 2)


elementwise("special_stdtr", df=student_freedom, t=student_density)
elementwise("special_stdtrit", df=lambda df, result: -student_freedom(df, result) / student_density(df, result),
            p=lambda df, result: 1 / student_density(df, result))


# ---- normal
def owens_h(h: Any, a: Any) -> Any:
    """-phi(h) * (Phi(a * h) - 1/2)."""
    h, a = tensors(h, a)
    return (-h * h / 2).exp() * (a * h * math.sqrt(0.5)).erf() * (-0.5 / math.sqrt(2 * math.pi))


def owens_a(h: Any, a: Any) -> Any:
    """The integrand at its end."""
    h, a = tensors(h, a)
    square = 1 + a * a
    return (-h * h * square / 2).exp() / (2 * math.pi * square)


elementwise("special_owens_t", h=owens_h, a=owens_a)
elementwise("special_ndtri_exp",
            lambda result: math.sqrt(math.pi / 2) * special("erfcx", result * -math.sqrt(0.5)))
