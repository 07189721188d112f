# Written by tools/generate/module_stubs.py.
from wengert_distributions.transformed.gumbel import Gumbel as Gumbel

__all__ = [
    "Gumbel"
]
