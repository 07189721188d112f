# Written by tools/generate/module_stubs.py.
from wengert_distributions.multivariate.lowrank_multivariate_normal import LowRankMultivariateNormal as LowRankMultivariateNormal

__all__ = [
    "LowRankMultivariateNormal"
]
