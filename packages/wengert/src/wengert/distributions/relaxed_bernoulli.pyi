# Written by tools/generate/module_stubs.py.
from wengert_distributions.transformed.relaxed_bernoulli import LogitRelaxedBernoulli as LogitRelaxedBernoulli
from wengert_distributions.transformed.relaxed_bernoulli import RelaxedBernoulli as RelaxedBernoulli

__all__ = [
    "LogitRelaxedBernoulli", "RelaxedBernoulli"
]
