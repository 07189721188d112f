# Written by tools/generate/module_stubs.py.
from wengert_distributions.transformed.half_cauchy import HalfCauchy as HalfCauchy

__all__ = [
    "HalfCauchy"
]
