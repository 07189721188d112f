# Written by tools/generate/module_stubs.py.
from wengert_distributions.continuous.continuous_bernoulli import ContinuousBernoulli as ContinuousBernoulli

__all__ = [
    "ContinuousBernoulli"
]
