# Written by tools/generate/module_stubs.py.
from wengert_distributions.discrete.multinomial import Multinomial as Multinomial

__all__ = [
    "Multinomial"
]
