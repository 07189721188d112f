# Written by tools/generate/module_stubs.py.
from wengert_distributions.discrete.negative_binomial import NegativeBinomial as NegativeBinomial

__all__ = [
    "NegativeBinomial"
]
