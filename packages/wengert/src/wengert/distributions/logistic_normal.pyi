# Written by tools/generate/module_stubs.py.
from wengert_distributions.transformed.logistic_normal import LogisticNormal as LogisticNormal

__all__ = [
    "LogisticNormal"
]
