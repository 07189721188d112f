# Written by tools/generate/module_stubs.py.
from wengert_distributions.multivariate.multivariate_normal import MultivariateNormal as MultivariateNormal

__all__ = [
    "MultivariateNormal"
]
