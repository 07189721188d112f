# Written by tools/generate/module_stubs.py.
from wengert_distributions.base.distribution import Distribution as Distribution

__all__ = [
    "Distribution"
]
