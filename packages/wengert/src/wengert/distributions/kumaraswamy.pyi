# Written by tools/generate/module_stubs.py.
from wengert_distributions.transformed.kumaraswamy import Kumaraswamy as Kumaraswamy

__all__ = [
    "Kumaraswamy"
]
