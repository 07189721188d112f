"""Pairs with an infinite divergence: p has values that q excludes, whatever the parameters are."""

from __future__ import annotations

from typing import Any

import wengert as wg
from wengert import Tensor

from wengert_distributions.continuous.beta import Beta
from wengert_distributions.continuous.continuous_bernoulli import ContinuousBernoulli
from wengert_distributions.continuous.exponential import Exponential
from wengert_distributions.continuous.gamma import Gamma
from wengert_distributions.continuous.laplace import Laplace
from wengert_distributions.continuous.normal import Normal
from wengert_distributions.continuous.uniform import Uniform
from wengert_distributions.discrete.bernoulli import Bernoulli
from wengert_distributions.discrete.binomial import Binomial
from wengert_distributions.discrete.poisson import Poisson
from wengert_distributions.kl.registry import register_kl
from wengert_distributions.transformed.gumbel import Gumbel
from wengert_distributions.transformed.pareto import Pareto

UNIT = (Beta, ContinuousBernoulli)
POSITIVE = (Exponential, Gamma)
REAL_LINE = (*UNIT, *POSITIVE, Pareto, Uniform)
INFINITE: dict[type, tuple[str, tuple[type, ...]]] = {
    Beta: ("concentration1", (Pareto,)),
    ContinuousBernoulli: ("probs", (Pareto,)),
    Exponential: ("rate", (*UNIT, Pareto, Uniform)),
    Gamma: ("concentration", (*UNIT, Pareto, Uniform)),
    Gumbel: ("loc", REAL_LINE),
    Laplace: ("loc", REAL_LINE),
    Normal: ("loc", REAL_LINE),
    Pareto: ("scale", (*UNIT, Uniform)),
    Poisson: ("rate", (Bernoulli, Binomial)),
}
"""For the class of p: a parameter, whose shape the divergence has, and the classes of q."""


def register_infinite(type_p: type, parameter: str, types_q: tuple[type, ...]) -> None:
    """Register the divergences of one class from several."""

    def infinite_divergence(p: Any, q: Any) -> Tensor:
        return wg.full_like(getattr(p, parameter), wg.inf)

    for type_q in types_q:
        register_kl(type_p, type_q)(infinite_divergence)


for kind, (name, others) in INFINITE.items():
    register_infinite(kind, name, others)
