# Written by tools/generate/module_stubs.py.
from wengert_distributions.continuous.gamma import Gamma as Gamma

__all__ = [
    "Gamma"
]
