# Written by tools/generate/module_stubs.py.
from wengert_distributions.multivariate.dirichlet import Dirichlet as Dirichlet

__all__ = [
    "Dirichlet"
]
