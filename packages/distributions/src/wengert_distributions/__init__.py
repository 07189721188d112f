"""Probability distributions for wengert, as in torch.distributions.

Each name is loaded from its module when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

MODULES = {
    "base.distribution": "Distribution",
    "base.exp_family": "ExponentialFamily",
    "combined.independent": "Independent",
    "combined.mixture_same_family": "MixtureSameFamily",
    "continuous.beta": "Beta",
    "continuous.cauchy": "Cauchy",
    "continuous.chi2": "Chi2",
    "continuous.continuous_bernoulli": "ContinuousBernoulli",
    "continuous.exponential": "Exponential",
    "continuous.fishersnedecor": "FisherSnedecor",
    "continuous.gamma": "Gamma",
    "continuous.generalized_pareto": "GeneralizedPareto",
    "continuous.laplace": "Laplace",
    "continuous.normal": "Normal",
    "continuous.student_t": "StudentT",
    "continuous.uniform": "Uniform",
    "continuous.von_mises": "VonMises",
    "discrete.bernoulli": "Bernoulli",
    "discrete.binomial": "Binomial",
    "discrete.categorical": "Categorical",
    "discrete.geometric": "Geometric",
    "discrete.multinomial": "Multinomial",
    "discrete.negative_binomial": "NegativeBinomial",
    "discrete.one_hot_categorical": "OneHotCategorical OneHotCategoricalStraightThrough",
    "discrete.poisson": "Poisson",
    "multivariate.dirichlet": "Dirichlet",
    "multivariate.lkj_cholesky": "LKJCholesky",
    "multivariate.lowrank_multivariate_normal": "LowRankMultivariateNormal",
    "multivariate.multivariate_normal": "MultivariateNormal",
    "multivariate.wishart": "Wishart",
    "transformed.gumbel": "Gumbel",
    "transformed.half_cauchy": "HalfCauchy",
    "transformed.half_normal": "HalfNormal",
    "transformed.inverse_gamma": "InverseGamma",
    "transformed.kumaraswamy": "Kumaraswamy",
    "transformed.log_normal": "LogNormal",
    "transformed.logistic_normal": "LogisticNormal",
    "transformed.pareto": "Pareto",
    "transformed.relaxed_bernoulli": "RelaxedBernoulli",
    "transformed.relaxed_categorical": "RelaxedOneHotCategorical",
    "transformed.transformed_distribution": "TransformedDistribution",
    "transformed.weibull": "Weibull",
    "kl": "kl_divergence register_kl",
    "transforms.registry": "biject_to transform_to",
    "transforms": """
        AbsTransform AffineTransform CatTransform ComposeTransform CorrCholeskyTransform
        CumulativeDistributionTransform ExpTransform IndependentTransform LowerCholeskyTransform
        PositiveDefiniteTransform PowerTransform ReshapeTransform SigmoidTransform SoftmaxTransform
        SoftplusTransform StackTransform StickBreakingTransform TanhTransform Transform identity_transform
    """,
}
"""The names of each module."""
HOMES = {name: module for module, names in MODULES.items() for name in names.split()}
"""The module of each name."""

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "Bernoulli",
    "Beta",
    "Binomial",
    "CatTransform",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ComposeTransform",
    "ContinuousBernoulli",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "Dirichlet",
    "Distribution",
    "ExpTransform",
    "Exponential",
    "ExponentialFamily",
    "FisherSnedecor",
    "Gamma",
    "GeneralizedPareto",
    "Geometric",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Independent",
    "IndependentTransform",
    "InverseGamma",
    "Kumaraswamy",
    "LKJCholesky",
    "Laplace",
    "LogNormal",
    "LogisticNormal",
    "LowRankMultivariateNormal",
    "LowerCholeskyTransform",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Pareto",
    "Poisson",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "StudentT",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "VonMises",
    "Weibull",
    "Wishart",
    "biject_to",
    "identity_transform",
    "kl_divergence",
    "register_kl",
    "transform_to",
]


def __getattr__(name: str) -> Any:
    module = HOMES.get(name)
    if module is None:
        raise AttributeError(f"module 'wengert_distributions' has no attribute '{name}'", name=name)
    value = getattr(import_module(f"wengert_distributions.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *HOMES})
