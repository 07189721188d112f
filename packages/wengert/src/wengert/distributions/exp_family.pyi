# Written by tools/generate/module_stubs.py.
from wengert_distributions.base.exp_family import ExponentialFamily as ExponentialFamily

__all__ = [
    "ExponentialFamily"
]
