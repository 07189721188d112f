# Written by tools/generate/module_stubs.py.
from wengert_distributions.combined.mixture_same_family import MixtureSameFamily as MixtureSameFamily

__all__ = [
    "MixtureSameFamily"
]
