# Written by tools/generate/module_stubs.py.
from wengert_distributions.discrete.bernoulli import Bernoulli as Bernoulli

__all__ = [
    "Bernoulli"
]
