# Written by tools/generate/module_stubs.py.
from wengert_distributions.multivariate.wishart import Wishart as Wishart

__all__ = [
    "Wishart"
]
