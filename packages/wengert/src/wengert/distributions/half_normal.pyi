# Written by tools/generate/module_stubs.py.
from wengert_distributions.transformed.half_normal import HalfNormal as HalfNormal

__all__ = [
    "HalfNormal"
]
