# Written by tools/generate/module_stubs.py.
from wengert_distributions.discrete.binomial import Binomial as Binomial

__all__ = [
    "Binomial"
]
