# Written by tools/generate/module_stubs.py.
from wengert_distributions.discrete.categorical import Categorical as Categorical

__all__ = [
    "Categorical"
]
