# Written by tools/generate/module_stubs.py.
from wengert_distributions.continuous.uniform import Uniform as Uniform

__all__ = [
    "Uniform"
]
