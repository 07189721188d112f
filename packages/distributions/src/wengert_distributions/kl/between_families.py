"""Divergences of distributions of different families: the cross entropy, less the entropy of p."""

from __future__ import annotations

import math
from typing import Any

import wengert as wg
from wengert import Tensor

from wengert_distributions.base.utils import euler_constant
from wengert_distributions.continuous.beta import Beta
from wengert_distributions.continuous.continuous_bernoulli import ContinuousBernoulli
from wengert_distributions.continuous.exponential import Exponential
from wengert_distributions.continuous.gamma import Gamma
from wengert_distributions.continuous.laplace import Laplace
from wengert_distributions.continuous.normal import Normal
from wengert_distributions.continuous.uniform import Uniform
from wengert_distributions.discrete.bernoulli import Bernoulli
from wengert_distributions.discrete.poisson import Poisson
from wengert_distributions.kl.registry import register_kl
from wengert_distributions.transformed.gumbel import Gumbel
from wengert_distributions.transformed.pareto import Pareto

# ---- minus the expected log density of q, by moments of p


def normal_cross(q: Normal, mean: Tensor, variance: Tensor) -> Tensor:
    """Return that of a normal distribution, by the mean and the variance of p."""
    log_scale = q.scale.log() + 0.5 * math.log(2 * math.pi)
    return log_scale + (variance + (mean - q.loc).pow(2)) / (2 * q.scale.pow(2))


def exponential_cross(q: Exponential, mean: Tensor) -> Tensor:
    """Return that of an exponential distribution, by the mean of p."""
    return q.rate * mean - q.rate.log()


def gamma_cross(q: Gamma, mean: Tensor, mean_log: Tensor) -> Tensor:
    """Return that of a gamma distribution, by the means of x and of log x."""
    log_normalizer = q.concentration.lgamma() - q.concentration * q.rate.log()
    return log_normalizer - (q.concentration - 1) * mean_log + q.rate * mean


def gumbel_cross(q: Gumbel, mean: Tensor, mean_exp: Tensor) -> Tensor:
    """Return that of a Gumbel distribution, by the means of x and of exp(-x / scale)."""
    return q.scale.log() + (mean - q.loc) / q.scale + (q.loc / q.scale).exp() * mean_exp


def continuous_bernoulli_cross(q: ContinuousBernoulli, mean: Tensor) -> Tensor:
    """Return that of a continuous Bernoulli distribution, by the mean of p."""
    return -mean * q.logits - (-q.probs).log1p() - q._cont_bern_log_norm()


def mean_log(p: Uniform) -> Tensor:
    """Return the mean of log x for a uniform distribution above 0."""
    return (p.high.xlogy(p.high) - p.low.xlogy(p.low)) / (p.high - p.low) - 1


# ---- p on the unit interval, or of two outcomes


@register_kl(Bernoulli, Poisson)
def kl_bernoulli_poisson(p: Bernoulli, q: Poisson) -> Tensor:
    """Return q.rate - p.probs log q.rate - H(p): the factorials of 0 and 1 are 1."""
    return q.rate - p.probs * q.rate.log() - p.entropy()


@register_kl(Beta, ContinuousBernoulli)
def kl_beta_continuous_bernoulli(p: Beta, q: ContinuousBernoulli) -> Tensor:
    """Return the divergence by the mean."""
    return continuous_bernoulli_cross(q, p.mean) - p.entropy()


@register_kl(Beta, Exponential)
@register_kl(ContinuousBernoulli, Exponential)
def kl_exponential_by_mean(p: Any, q: Exponential) -> Tensor:
    """Return the divergence by the mean."""
    return exponential_cross(q, p.mean) - p.entropy()  # type: ignore[no-any-return]


@register_kl(Beta, Gamma)
def kl_beta_gamma(p: Beta, q: Gamma) -> Tensor:
    """Return the divergence by the means of x and log x."""
    mean_log = p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    return gamma_cross(q, p.mean, mean_log) - p.entropy()


@register_kl(Beta, Normal)
@register_kl(ContinuousBernoulli, Normal)
def kl_normal_by_moments(p: Any, q: Normal) -> Tensor:
    """Return the divergence by the mean and the variance."""
    return normal_cross(q, p.mean, p.variance) - p.entropy()  # type: ignore[no-any-return]


@register_kl(Beta, Uniform)
def kl_beta_uniform(p: Beta, q: Uniform) -> Tensor:
    """Return log(high - low) - H(p); infinity where q does not cover the unit interval."""
    result = (q.high - q.low).log() - p.entropy()
    return result.masked_fill((q.low > 0) | (q.high < 1), wg.inf)


@register_kl(ContinuousBernoulli, Uniform)
def kl_continuous_bernoulli_uniform(p: ContinuousBernoulli, q: Uniform) -> Tensor:
    """Return log(high - low) - H(p); infinity unless q covers more than the unit interval on both sides."""
    result = (q.high - q.low).log() - p.entropy()
    return result.masked_fill((q.low >= 0) | (q.high <= 1), wg.inf)


# ---- p on the positive half line


@register_kl(Exponential, Gamma)
def kl_exponential_gamma(p: Exponential, q: Gamma) -> Tensor:
    """Return the divergence by the means of x and log x."""
    return gamma_cross(q, p.mean, -euler_constant - p.rate.log()) - p.entropy()


@register_kl(Exponential, Gumbel)
def kl_exponential_gumbel(p: Exponential, q: Gumbel) -> Tensor:
    """Return the divergence by the means of x and exp(-x / scale)."""
    product = p.rate * q.scale
    return gumbel_cross(q, p.mean, product / (product + 1)) - p.entropy()


@register_kl(Exponential, Normal)
@register_kl(Gamma, Normal)
def kl_positive_normal(p: Any, q: Normal) -> Tensor:
    """Return the divergence by the mean and the variance."""
    return normal_cross(q, p.mean, p.variance) - p.entropy()  # type: ignore[no-any-return]


@register_kl(Gamma, Exponential)
def kl_gamma_exponential(p: Gamma, q: Exponential) -> Tensor:
    """Return the divergence by the mean."""
    return exponential_cross(q, p.mean) - p.entropy()


@register_kl(Gamma, Gumbel)
def kl_gamma_gumbel(p: Gamma, q: Gumbel) -> Tensor:
    """Return the divergence by the means of x and exp(-x / scale)."""
    mean_exp = (1 + (p.rate * q.scale).reciprocal()).pow(-p.concentration)
    return gumbel_cross(q, p.mean, mean_exp) - p.entropy()


# ---- p on the real line


@register_kl(Gumbel, Normal)
@register_kl(Laplace, Normal)
def kl_real_normal(p: Any, q: Normal) -> Tensor:
    """Return the divergence by the mean and the variance."""
    return normal_cross(q, p.mean, p.variance) - p.entropy()  # type: ignore[no-any-return]


@register_kl(Normal, Gumbel)
def kl_normal_gumbel(p: Normal, q: Gumbel) -> Tensor:
    """Return the divergence by the means of x and exp(-x / scale)."""
    mean_exp = (0.5 * (p.scale / q.scale).pow(2) - p.loc / q.scale).exp()
    return gumbel_cross(q, p.mean, mean_exp) - p.entropy()


@register_kl(Normal, Laplace)
def kl_normal_laplace(p: Normal, q: Laplace) -> Tensor:
    """Return the divergence by the expected distance from the location of q."""
    difference = p.loc - q.loc
    z = difference / p.scale
    distance = math.sqrt(2 / math.pi) * p.scale * (-0.5 * z.pow(2)).exp() + difference * (math.sqrt(0.5) * z).erf()
    return (2 * q.scale).log() + distance / q.scale - p.entropy()


# ---- p of Pareto: moments that may be infinite


@register_kl(Pareto, Exponential)
def kl_pareto_exponential(p: Pareto, q: Exponential) -> Tensor:
    """Return the divergence by the mean, which is infinite for alpha up to 1."""
    return (exponential_cross(q, pareto_mean(p)) - p.entropy()).masked_fill(p.alpha <= 1, wg.inf)


@register_kl(Pareto, Gamma)
def kl_pareto_gamma(p: Pareto, q: Gamma) -> Tensor:
    """Return the divergence by the means of x, infinite for alpha up to 1, and of log x."""
    cross = gamma_cross(q, pareto_mean(p), p.scale.log() + p.alpha.reciprocal())
    return (cross - p.entropy()).masked_fill(p.alpha <= 1, wg.inf)


@register_kl(Pareto, Normal)
def kl_pareto_normal(p: Pareto, q: Normal) -> Tensor:
    """Return the divergence by the mean and the variance, which is infinite for alpha up to 2."""
    variance = p.alpha * (p.scale / (p.alpha - 1)).pow(2) / (p.alpha - 2)
    return (normal_cross(q, pareto_mean(p), variance) - p.entropy()).masked_fill(p.alpha <= 2, wg.inf)


def pareto_mean(p: Pareto) -> Tensor:
    """Return the formula of the mean, which holds for alpha above 1."""
    return p.alpha * p.scale / (p.alpha - 1)


# ---- p uniform: infinite where it leaves the support of q


@register_kl(Uniform, Beta)
def kl_uniform_beta(p: Uniform, q: Beta) -> Tensor:
    """Return the divergence by the means of log x and log(1 - x)."""
    width = p.high - p.low
    below, above = 1 - p.low, 1 - p.high
    mean_log_rest = (below.xlogy(below) - above.xlogy(above)) / width - 1
    log_beta = q._log_normalizer(q.concentration1, q.concentration0)
    powers = (q.concentration1 - 1) * mean_log(p) + (q.concentration0 - 1) * mean_log_rest
    return (log_beta - powers - width.log()).masked_fill((p.high > 1) | (p.low < 0), wg.inf)


@register_kl(Uniform, ContinuousBernoulli)
def kl_uniform_continuous_bernoulli(p: Uniform, q: ContinuousBernoulli) -> Tensor:
    """Return the divergence by the mean; infinity unless p lies inside of the unit interval, without its ends."""
    result = continuous_bernoulli_cross(q, p.mean) - p.entropy()
    return result.masked_fill((p.high >= 1) | (p.low <= 0), wg.inf)


@register_kl(Uniform, Exponential)
def kl_uniform_exponential(p: Uniform, q: Exponential) -> Tensor:
    """Return the divergence by the mean."""
    return (exponential_cross(q, p.mean) - p.entropy()).masked_fill(p.low < 0, wg.inf)


@register_kl(Uniform, Gamma)
def kl_uniform_gamma(p: Uniform, q: Gamma) -> Tensor:
    """Return the divergence by the means of x and log x."""
    return (gamma_cross(q, p.mean, mean_log(p)) - p.entropy()).masked_fill(p.low < 0, wg.inf)


@register_kl(Uniform, Gumbel)
def kl_uniform_gumbel(p: Uniform, q: Gumbel) -> Tensor:
    """Return the divergence by the means of x and exp(-x / scale)."""
    mean_exp = q.scale / (p.high - p.low) * ((-p.low / q.scale).exp() - (-p.high / q.scale).exp())
    return gumbel_cross(q, p.mean, mean_exp) - p.entropy()


@register_kl(Uniform, Normal)
def kl_uniform_normal(p: Uniform, q: Normal) -> Tensor:
    """Return the divergence by the mean and the variance."""
    return normal_cross(q, p.mean, p.variance) - p.entropy()


@register_kl(Uniform, Pareto)
def kl_uniform_pareto(p: Uniform, q: Pareto) -> Tensor:
    """Return the divergence by the mean of log x."""
    cross = (q.alpha + 1) * mean_log(p) - q.alpha.log() - q.alpha * q.scale.log()
    return (cross - p.entropy()).masked_fill(p.low < q.scale, wg.inf)
