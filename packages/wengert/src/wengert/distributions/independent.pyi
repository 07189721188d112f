# Written by tools/generate/module_stubs.py.
from wengert_distributions.combined.independent import Independent as Independent

__all__ = [
    "Independent"
]
