# Written by tools/generate/module_stubs.py.
from wengert_distributions.transformed.pareto import Pareto as Pareto

__all__ = [
    "Pareto"
]
