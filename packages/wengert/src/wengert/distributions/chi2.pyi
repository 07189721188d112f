# Written by tools/generate/module_stubs.py.
from wengert_distributions.continuous.chi2 import Chi2 as Chi2

__all__ = [
    "Chi2"
]
