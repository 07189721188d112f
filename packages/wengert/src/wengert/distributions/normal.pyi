# Written by tools/generate/module_stubs.py.
from wengert_distributions.continuous.normal import Normal as Normal

__all__ = [
    "Normal"
]
