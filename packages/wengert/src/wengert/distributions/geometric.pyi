# Written by tools/generate/module_stubs.py.
from wengert_distributions.discrete.geometric import Geometric as Geometric

__all__ = [
    "Geometric"
]
