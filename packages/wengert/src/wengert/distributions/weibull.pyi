# Written by tools/generate/module_stubs.py.
from wengert_distributions.transformed.weibull import Weibull as Weibull

__all__ = [
    "Weibull"
]
