"""Distributions of every class, by name: functions of their parameters, in float64."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import wengert as wg
from wengert import distributions as dist


def numbers(*values: float) -> Any:
    return wg.tensor(values, dtype=wg.float64)


@dataclass
class Case:
    """A distribution as a function of its parameters, and what it has."""

    name: str
    make: Any
    parameters: tuple[Any, ...]
    moments: bool = True
    quantile: bool = False

    def __str__(self) -> str:
        return self.name

    def build(self, requires_grad: bool = False) -> tuple[Any, list[Any]]:
        """Return the distribution and its parameters."""
        parameters = [value.clone().requires_grad_(requires_grad) for value in self.parameters]
        return self.make(*parameters), parameters


LOC, SCALE, SHAPE = numbers(-1.0, 0.5, 2.0), numbers(0.5, 1.0, 2.5), numbers(0.7, 2.0, 5.0)
COVARIANCE = wg.tensor([[2.0, 0.5, 0.1], [0.5, 1.5, 0.2], [0.1, 0.2, 1.0]], dtype=wg.float64)
FACTOR = wg.linspace(-1.0, 1.0, 6, dtype=wg.float64).reshape(3, 2)
PROBS = numbers(0.1, 0.45, 0.8)

CONTINUOUS = [
    Case("normal", dist.Normal, (LOC, SCALE), quantile=True),
    Case("log_normal", dist.LogNormal, (LOC, SCALE / 3), quantile=True),
    Case("half_normal", dist.HalfNormal, (SCALE,), quantile=True),
    Case("cauchy", dist.Cauchy, (LOC, SCALE), moments=False, quantile=True),
    Case("half_cauchy", dist.HalfCauchy, (SCALE,), moments=False, quantile=True),
    Case("laplace", dist.Laplace, (LOC, SCALE), quantile=True),
    Case("gumbel", dist.Gumbel, (LOC, SCALE), quantile=True),
    Case("uniform", lambda low, width: dist.Uniform(low, low + width), (LOC, SCALE), quantile=True),
    Case("exponential", dist.Exponential, (SCALE,), quantile=True),
    Case("weibull", dist.Weibull, (SCALE, SHAPE + 0.5), quantile=True),
    Case("pareto", dist.Pareto, (SCALE, SHAPE + 4), quantile=True),
    Case("generalized_pareto", dist.GeneralizedPareto, (LOC, SCALE, numbers(-0.5, 0.05, 0.1)), quantile=True),
    Case("kumaraswamy", dist.Kumaraswamy, (SHAPE, SCALE), quantile=True),
    Case("continuous_bernoulli", dist.ContinuousBernoulli, (PROBS,), quantile=True),
    Case("gamma", dist.Gamma, (SHAPE, SCALE)),
    Case("chi2", dist.Chi2, (SHAPE,)),
    Case("inverse_gamma", dist.InverseGamma, (SHAPE + 4, SCALE)),
    Case("beta", dist.Beta, (SHAPE, SCALE)),
    Case("student_t", dist.StudentT, (SHAPE + 4, LOC, SCALE)),
    Case("fisher_snedecor", dist.FisherSnedecor, (SHAPE + 1, SHAPE + 9)),
]
VECTORS = [
    Case("dirichlet", dist.Dirichlet, (wg.stack([SHAPE, SCALE]),)),
    Case("multivariate_normal", dist.MultivariateNormal, (LOC, COVARIANCE)),
    Case("lowrank_multivariate_normal", dist.LowRankMultivariateNormal, (LOC, FACTOR, SCALE)),
    Case("wishart", dist.Wishart, (numbers(6.0).squeeze(), COVARIANCE)),
    Case("logistic_normal", dist.LogisticNormal, (LOC, SCALE), moments=False),
    Case("independent", lambda loc, scale: dist.Independent(dist.Normal(loc, scale), 1), (LOC, SCALE)),
]
RELAXED = [
    Case("relaxed_bernoulli", lambda probs: dist.RelaxedBernoulli(numbers(0.5).squeeze(), probs), (PROBS,), False),
    Case(
        "relaxed_one_hot_categorical",
        lambda probs: dist.RelaxedOneHotCategorical(numbers(0.5).squeeze(), probs),
        (PROBS,),
        moments=False,
    ),
]
FINITE = [
    Case("bernoulli", dist.Bernoulli, (PROBS,)),
    Case("binomial", lambda probs: dist.Binomial(4, probs), (PROBS,)),
    Case("categorical", dist.Categorical, (wg.stack([PROBS, SCALE]),), moments=False),
    Case("one_hot_categorical", dist.OneHotCategorical, (PROBS,)),
]
DISCRETE = [
    *FINITE,
    Case("geometric", dist.Geometric, (PROBS,)),
    Case("negative_binomial", lambda probs: dist.NegativeBinomial(2.5, probs), (PROBS,)),
    Case("poisson", dist.Poisson, (SCALE,)),
    Case("multinomial", lambda probs: dist.Multinomial(5, probs), (PROBS,)),
]
OTHERS = [
    Case("von_mises", dist.VonMises, (LOC, SCALE), moments=False),
    Case("lkj_cholesky", lambda shape: dist.LKJCholesky(3, shape), (SHAPE,), moments=False),
    Case(
        "mixture",
        lambda probs, loc: dist.MixtureSameFamily(dist.Categorical(probs), dist.Normal(loc, 1.0)),
        (PROBS, LOC),
    ),
    Case(
        "straight_through", dist.OneHotCategoricalStraightThrough, (PROBS,),
    ),
]  # fmt: skip
CASES = [*CONTINUOUS, *VECTORS, *RELAXED, *DISCRETE, *OTHERS]
REPARAMETRIZED = [*CONTINUOUS, *VECTORS, *RELAXED]
