# Written by tools/generate/module_stubs.py.
from wengert_distributions.discrete.poisson import Poisson as Poisson

__all__ = [
    "Poisson"
]
