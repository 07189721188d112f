"""Divergences of two distributions of one family."""

from __future__ import annotations

from typing import Any

import wengert as wg
from wengert import Tensor
from wengert.nn.functional import softplus

from wengert_distributions.base.exp_family import ExponentialFamily
from wengert_distributions.base.utils import _sum_rightmost, euler_constant
from wengert_distributions.combined.independent import Independent
from wengert_distributions.continuous.beta import Beta
from wengert_distributions.continuous.cauchy import Cauchy
from wengert_distributions.continuous.continuous_bernoulli import ContinuousBernoulli
from wengert_distributions.continuous.exponential import Exponential
from wengert_distributions.continuous.gamma import Gamma
from wengert_distributions.continuous.laplace import Laplace
from wengert_distributions.continuous.normal import Normal
from wengert_distributions.continuous.uniform import Uniform
from wengert_distributions.discrete.bernoulli import Bernoulli
from wengert_distributions.discrete.binomial import Binomial
from wengert_distributions.discrete.categorical import Categorical
from wengert_distributions.discrete.geometric import Geometric
from wengert_distributions.discrete.one_hot_categorical import OneHotCategorical
from wengert_distributions.discrete.poisson import Poisson
from wengert_distributions.kl.registry import kl_divergence, register_kl
from wengert_distributions.transformed.gumbel import Gumbel
from wengert_distributions.transformed.half_normal import HalfNormal
from wengert_distributions.transformed.pareto import Pareto
from wengert_distributions.transformed.transformed_distribution import TransformedDistribution

# ---- discrete


@register_kl(Bernoulli, Bernoulli)
def kl_bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    """Return the sum over both outcomes; one that q excludes is infinitely surprising, unless p excludes it, too."""
    one = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    one = one.masked_fill(q.probs == 0, wg.inf).masked_fill(p.probs == 0, 0.0)
    zero = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    zero = zero.masked_fill(q.probs == 1, wg.inf).masked_fill(p.probs == 1, 0.0)
    return one + zero


@register_kl(Binomial, Binomial)
def kl_binomial(p: Binomial, q: Binomial) -> Tensor:
    """Return that of one trial times their number."""
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    log_ratio = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return (p.total_count * log_ratio).masked_fill(p.total_count > q.total_count, wg.inf)


@register_kl(Categorical, Categorical)
def kl_categorical(p: Categorical, q: Categorical) -> Tensor:
    """Return the sum over all outcomes; see kl_bernoulli."""
    terms = p.probs * (p.logits - q.logits)
    return terms.masked_fill(q.probs == 0, wg.inf).masked_fill(p.probs == 0, 0.0).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def kl_one_hot(p: OneHotCategorical, q: OneHotCategorical) -> Tensor:
    """Return that of the indices."""
    return kl_categorical(p._categorical, q._categorical)


@register_kl(Geometric, Geometric)
def kl_geometric(p: Geometric, q: Geometric) -> Tensor:
    """Return the cross entropy less the entropy."""
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(Poisson, Poisson)
def kl_poisson(p: Poisson, q: Poisson) -> Tensor:
    """Return rate (log rate - log rate') - (rate - rate')."""
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


# ---- continuous


@register_kl(Beta, Beta)
def kl_beta(p: Beta, q: Beta) -> Tensor:
    """Return the difference of log normalizers, less that of parameters times the mean of the statistics."""
    total_p, total_q = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
    log_beta_q = q.concentration1.lgamma() + q.concentration0.lgamma() - total_q.lgamma()
    log_beta_p = p.concentration1.lgamma() + p.concentration0.lgamma() - total_p.lgamma()
    one = (p.concentration1 - q.concentration1) * p.concentration1.digamma()
    zero = (p.concentration0 - q.concentration0) * p.concentration0.digamma()
    return log_beta_q - log_beta_p + one + zero + (total_q - total_p) * total_p.digamma()


@register_kl(Cauchy, Cauchy)
def kl_cauchy(p: Cauchy, q: Cauchy) -> Tensor:
    """Return the formula of Chyzak, Nielsen, arXiv:1905.10965."""
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def kl_continuous_bernoulli(p: ContinuousBernoulli, q: ContinuousBernoulli) -> Tensor:
    """Return the mean times the difference of logits, and the difference of log normalizers."""
    log_norms = p._cont_bern_log_norm() - q._cont_bern_log_norm()
    return p.mean * (p.logits - q.logits) + log_norms + (-p.probs).log1p() - (-q.probs).log1p()


@register_kl(Exponential, Exponential)
def kl_exponential(p: Exponential, q: Exponential) -> Tensor:
    """Return ratio - 1 - log ratio, of the rates."""
    ratio = q.rate / p.rate
    return ratio - ratio.log() - 1


@register_kl(Gamma, Gamma)
def kl_gamma(p: Gamma, q: Gamma) -> Tensor:
    """Return the difference of log normalizers, less that of parameters times the mean of the statistics."""
    log_normalizers = q.concentration * (p.rate / q.rate).log() + q.concentration.lgamma() - p.concentration.lgamma()
    shape = (p.concentration - q.concentration) * p.concentration.digamma()
    return log_normalizers + shape + (q.rate - p.rate) * (p.concentration / p.rate)


@register_kl(Gumbel, Gumbel)
def kl_gumbel(p: Gumbel, q: Gumbel) -> Tensor:
    """Return the formula with the moments of exp(-x)."""
    ratio, shift = p.scale / q.scale, (q.loc - p.loc) / q.scale
    mean = (shift + (1 + ratio).lgamma()).exp()
    return -ratio.log() - shift + ratio * euler_constant + mean - (1 + euler_constant)


@register_kl(Laplace, Laplace)
def kl_laplace(p: Laplace, q: Laplace) -> Tensor:
    """Return the formula of the expected distance from another location."""
    ratio, distance = p.scale / q.scale, (p.loc - q.loc).abs()
    return distance / q.scale + ratio * (-distance / p.scale).exp() - ratio.log() - 1


@register_kl(Normal, Normal)
def kl_normal(p: Normal, q: Normal) -> Tensor:
    """Return (ratio + distance**2 - 1 - log ratio) / 2, of the variances."""
    ratio, distance = (p.scale / q.scale).pow(2), (p.loc - q.loc) / q.scale
    return 0.5 * (ratio + distance.pow(2) - 1 - ratio.log())


@register_kl(HalfNormal, HalfNormal)
def kl_half_normal(p: HalfNormal, q: HalfNormal) -> Tensor:
    """Return that of the normal distributions."""
    return kl_normal(p.base_dist, q.base_dist)


@register_kl(Pareto, Pareto)
def kl_pareto(p: Pareto, q: Pareto) -> Tensor:
    """Return that of the exponents; infinity where p has smaller values than q."""
    ratio = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return result.masked_fill(p.scale < q.scale, wg.inf)


@register_kl(Uniform, Uniform)
def kl_uniform(p: Uniform, q: Uniform) -> Tensor:
    """Return the logarithm of the ratio of widths; infinity where p leaves the interval of q."""
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return result.masked_fill((q.low > p.low) | (q.high < p.high), wg.inf)


# ---- by structure


@register_kl(ExponentialFamily, ExponentialFamily)
def kl_exponential_family(p: Any, q: Any) -> Tensor:
    """Return the Bregman divergence of the log normalizer, for two distributions of one class."""
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot be computed using Bregman "
            f"divergences: got {type(p).__name__} and {type(q).__name__}"
        )
    params = [param.detach().requires_grad_() for param in p._natural_params]
    log_normalizer = p._log_normalizer(*params)
    gradients = wg.autograd.grad(log_normalizer.sum(), params, create_graph=True)
    result: Tensor = q._log_normalizer(*q._natural_params) - log_normalizer
    for param, other, gradient in zip(params, q._natural_params, gradients, strict=True):
        result = result - _sum_rightmost((other - param) * gradient, len(q.event_shape))
    return result


@register_kl(TransformedDistribution, TransformedDistribution)
def kl_transformed(p: Any, q: Any) -> Tensor:
    """Return that of the base distributions, which equal transforms do not change."""
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError("KL(p || q) of transformed distributions needs equal transforms and event shapes")
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Independent, Independent)
def kl_independent(p: Any, q: Any) -> Tensor:
    """Return the sum over the independent parts of an event."""
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError("KL(p || q) of Independent needs the same reinterpreted_batch_ndims")
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)
