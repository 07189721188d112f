# Written by tools/generate/module_stubs.py.
from wengert_distributions.continuous.exponential import Exponential as Exponential

__all__ = [
    "Exponential"
]
