# Written by tools/generate/module_stubs.py.
from wengert_distributions.continuous.von_mises import VonMises as VonMises

__all__ = [
    "VonMises"
]
