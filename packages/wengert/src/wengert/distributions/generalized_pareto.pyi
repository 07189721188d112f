# Written by tools/generate/module_stubs.py.
from wengert_distributions.continuous.generalized_pareto import GeneralizedPareto as GeneralizedPareto

__all__ = [
    "GeneralizedPareto"
]
