# Written by tools/generate/module_stubs.py.
from wengert_distributions.continuous.laplace import Laplace as Laplace

__all__ = [
    "Laplace"
]
