# Written by tools/generate/module_stubs.py.
from wengert_distributions.continuous.cauchy import Cauchy as Cauchy

__all__ = [
    "Cauchy"
]
