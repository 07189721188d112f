# Written by tools/generate/module_stubs.py.
from wengert_distributions.transformed.inverse_gamma import InverseGamma as InverseGamma

__all__ = [
    "InverseGamma"
]
