# Written by tools/generate/module_stubs.py.
from wengert.distributions import bernoulli as bernoulli
from wengert.distributions import beta as beta
from wengert.distributions import binomial as binomial
from wengert.distributions import categorical as categorical
from wengert.distributions import cauchy as cauchy
from wengert.distributions import chi2 as chi2
from wengert.distributions import constraint_registry as constraint_registry
from wengert.distributions import constraints as constraints
from wengert.distributions import continuous_bernoulli as continuous_bernoulli
from wengert.distributions import dirichlet as dirichlet
from wengert.distributions import distribution as distribution
from wengert.distributions import exp_family as exp_family
from wengert.distributions import exponential as exponential
from wengert.distributions import fishersnedecor as fishersnedecor
from wengert.distributions import gamma as gamma
from wengert.distributions import generalized_pareto as generalized_pareto
from wengert.distributions import geometric as geometric
from wengert.distributions import gumbel as gumbel
from wengert.distributions import half_cauchy as half_cauchy
from wengert.distributions import half_normal as half_normal
from wengert.distributions import independent as independent
from wengert.distributions import inverse_gamma as inverse_gamma
from wengert.distributions import kl as kl
from wengert.distributions import kumaraswamy as kumaraswamy
from wengert.distributions import laplace as laplace
from wengert.distributions import lkj_cholesky as lkj_cholesky
from wengert.distributions import log_normal as log_normal
from wengert.distributions import logistic_normal as logistic_normal
from wengert.distributions import lowrank_multivariate_normal as lowrank_multivariate_normal
from wengert.distributions import mixture_same_family as mixture_same_family
from wengert.distributions import multinomial as multinomial
from wengert.distributions import multivariate_normal as multivariate_normal
from wengert.distributions import negative_binomial as negative_binomial
from wengert.distributions import normal as normal
from wengert.distributions import one_hot_categorical as one_hot_categorical
from wengert.distributions import pareto as pareto
from wengert.distributions import poisson as poisson
from wengert.distributions import relaxed_bernoulli as relaxed_bernoulli
from wengert.distributions import relaxed_categorical as relaxed_categorical
from wengert.distributions import studentT as studentT
from wengert.distributions import transformed_distribution as transformed_distribution
from wengert.distributions import transforms as transforms
from wengert.distributions import uniform as uniform
from wengert.distributions import utils as utils
from wengert.distributions import von_mises as von_mises
from wengert.distributions import weibull as weibull
from wengert.distributions import wishart as wishart
from wengert_distributions import biject_to as biject_to
from wengert_distributions import identity_transform as identity_transform
from wengert_distributions import transform_to as transform_to
from wengert_distributions.base.distribution import Distribution as Distribution
from wengert_distributions.base.exp_family import ExponentialFamily as ExponentialFamily
from wengert_distributions.combined.independent import Independent as Independent
from wengert_distributions.combined.mixture_same_family import MixtureSameFamily as MixtureSameFamily
from wengert_distributions.continuous.beta import Beta as Beta
from wengert_distributions.continuous.cauchy import Cauchy as Cauchy
from wengert_distributions.continuous.chi2 import Chi2 as Chi2
from wengert_distributions.continuous.continuous_bernoulli import ContinuousBernoulli as ContinuousBernoulli
from wengert_distributions.continuous.exponential import Exponential as Exponential
from wengert_distributions.continuous.fishersnedecor import FisherSnedecor as FisherSnedecor
from wengert_distributions.continuous.gamma import Gamma as Gamma
from wengert_distributions.continuous.generalized_pareto import GeneralizedPareto as GeneralizedPareto
from wengert_distributions.continuous.laplace import Laplace as Laplace
from wengert_distributions.continuous.normal import Normal as Normal
from wengert_distributions.continuous.student_t import StudentT as StudentT
from wengert_distributions.continuous.uniform import Uniform as Uniform
from wengert_distributions.continuous.von_mises import VonMises as VonMises
from wengert_distributions.discrete.bernoulli import Bernoulli as Bernoulli
from wengert_distributions.discrete.binomial import Binomial as Binomial
from wengert_distributions.discrete.categorical import Categorical as Categorical
from wengert_distributions.discrete.geometric import Geometric as Geometric
from wengert_distributions.discrete.multinomial import Multinomial as Multinomial
from wengert_distributions.discrete.negative_binomial import NegativeBinomial as NegativeBinomial
from wengert_distributions.discrete.one_hot_categorical import OneHotCategorical as OneHotCategorical
from wengert_distributions.discrete.one_hot_categorical import OneHotCategoricalStraightThrough as OneHotCategoricalStraightThrough
from wengert_distributions.discrete.poisson import Poisson as Poisson
from wengert_distributions.kl.registry import kl_divergence as kl_divergence
from wengert_distributions.kl.registry import register_kl as register_kl
from wengert_distributions.multivariate.dirichlet import Dirichlet as Dirichlet
from wengert_distributions.multivariate.lkj_cholesky import LKJCholesky as LKJCholesky
from wengert_distributions.multivariate.lowrank_multivariate_normal import LowRankMultivariateNormal as LowRankMultivariateNormal
from wengert_distributions.multivariate.multivariate_normal import MultivariateNormal as MultivariateNormal
from wengert_distributions.multivariate.wishart import Wishart as Wishart
from wengert_distributions.transformed.gumbel import Gumbel as Gumbel
from wengert_distributions.transformed.half_cauchy import HalfCauchy as HalfCauchy
from wengert_distributions.transformed.half_normal import HalfNormal as HalfNormal
from wengert_distributions.transformed.inverse_gamma import InverseGamma as InverseGamma
from wengert_distributions.transformed.kumaraswamy import Kumaraswamy as Kumaraswamy
from wengert_distributions.transformed.log_normal import LogNormal as LogNormal
from wengert_distributions.transformed.logistic_normal import LogisticNormal as LogisticNormal
from wengert_distributions.transformed.pareto import Pareto as Pareto
from wengert_distributions.transformed.relaxed_bernoulli import RelaxedBernoulli as RelaxedBernoulli
from wengert_distributions.transformed.relaxed_categorical import RelaxedOneHotCategorical as RelaxedOneHotCategorical
from wengert_distributions.transformed.transformed_distribution import TransformedDistribution as TransformedDistribution
from wengert_distributions.transformed.weibull import Weibull as Weibull
from wengert_distributions.transforms.base import Transform as Transform
from wengert_distributions.transforms.composite import ComposeTransform as ComposeTransform
from wengert_distributions.transforms.composite import IndependentTransform as IndependentTransform
from wengert_distributions.transforms.composite import ReshapeTransform as ReshapeTransform
from wengert_distributions.transforms.matrix import CorrCholeskyTransform as CorrCholeskyTransform
from wengert_distributions.transforms.matrix import LowerCholeskyTransform as LowerCholeskyTransform
from wengert_distributions.transforms.matrix import PositiveDefiniteTransform as PositiveDefiniteTransform
from wengert_distributions.transforms.partwise import CatTransform as CatTransform
from wengert_distributions.transforms.partwise import CumulativeDistributionTransform as CumulativeDistributionTransform
from wengert_distributions.transforms.partwise import StackTransform as StackTransform
from wengert_distributions.transforms.pointwise import AbsTransform as AbsTransform
from wengert_distributions.transforms.pointwise import AffineTransform as AffineTransform
from wengert_distributions.transforms.pointwise import ExpTransform as ExpTransform
from wengert_distributions.transforms.pointwise import PowerTransform as PowerTransform
from wengert_distributions.transforms.pointwise import SigmoidTransform as SigmoidTransform
from wengert_distributions.transforms.pointwise import SoftplusTransform as SoftplusTransform
from wengert_distributions.transforms.pointwise import TanhTransform as TanhTransform
from wengert_distributions.transforms.simplex import SoftmaxTransform as SoftmaxTransform
from wengert_distributions.transforms.simplex import StickBreakingTransform as StickBreakingTransform

__all__ = [
    "AbsTransform", "AffineTransform", "Bernoulli", "Beta", "Binomial", "CatTransform", "Categorical", "Cauchy",
    "Chi2", "ComposeTransform", "ContinuousBernoulli", "CorrCholeskyTransform", "CumulativeDistributionTransform",
    "Dirichlet", "Distribution", "ExpTransform", "Exponential", "ExponentialFamily", "FisherSnedecor", "Gamma",
    "GeneralizedPareto", "Geometric", "Gumbel", "HalfCauchy", "HalfNormal", "Independent", "IndependentTransform",
    "InverseGamma", "Kumaraswamy", "LKJCholesky", "Laplace", "LogNormal", "LogisticNormal",
    "LowRankMultivariateNormal", "LowerCholeskyTransform", "MixtureSameFamily", "Multinomial", "MultivariateNormal",
    "NegativeBinomial", "Normal", "OneHotCategorical", "OneHotCategoricalStraightThrough", "Pareto", "Poisson",
    "PositiveDefiniteTransform", "PowerTransform", "RelaxedBernoulli", "RelaxedOneHotCategorical",
    "ReshapeTransform", "SigmoidTransform", "SoftmaxTransform", "SoftplusTransform", "StackTransform",
    "StickBreakingTransform", "StudentT", "TanhTransform", "Transform", "TransformedDistribution", "Uniform",
    "VonMises", "Weibull", "Wishart", "biject_to", "identity_transform", "kl_divergence", "register_kl",
    "transform_to"
]
